import type { WishedKind } from '../../../schemas/notices.schemas.ts'
import { html, layout } from '../../formats/html.ts'
import { type Say, text } from '../../formats/translations.ts'

const KINDS: Record<WishedKind, { asked: string; off: string }> = {
  exam_published: {
    asked: text('You get mails about new exams.'),
    off: text('You get no more mails about new exams.'),
  },
  exam_closing: {
    asked: text('You get mails about exams that close soon.'),
    off: text('You get no more mails about exams that close soon.'),
  },
  class_news: {
    asked: text('You get mails about news of your classes.'),
    off: text('You get no more mails about news of your classes.'),
  },
}

/** The one button that turns off the mails of a kind; `kind` undefined: the link leads to nothing any more. */
export function renderMailsOff(t: Say, kind: WishedKind | undefined, isOff: boolean): string {
  const settings = html`<p class="links"><a href="/desk/notifications">${t('All settings')}</a></p>`
  if (kind === undefined)
    return layout(
      t,
      t('Mails'),
      html`<p class="notice" role="status">${t('This link is no longer valid. What you get is in your settings.')}</p>${settings}`,
    )
  if (isOff)
    return layout(t, t('Mails'), html`<p class="notice" role="status">${t(KINDS[kind].off)}</p>${settings}`)
  return layout(
    t,
    t('Mails'),
    html`<p>${t(KINDS[kind].asked)}</p>
<form method="post"><button class="main">${t('No more of them')}</button></form>${settings}`,
  )
}
