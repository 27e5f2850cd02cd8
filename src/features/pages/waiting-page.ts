import { html, layout } from '../../formats/html.ts'
import type { Say } from '../../formats/translations.ts'

/** Shown while the desk is not built. */
export function renderUnbuilt(t: Say, username: string | undefined, explanation: string): string {
  return layout(
    t,
    t('One moment'),
    html`${username === undefined ? '' : html`<p>${t('You are signed in as {username}.', { username })}</p>`}
<p class="notice" role="status">${explanation}</p>
<p class="links"><a href="/desk/">${t('Open the desk')}</a> <a href="/docs">${t('The API reference')}</a></p>
<form method="post" action="/logout"><button>${t('Sign out')}</button></form>`,
  )
}
