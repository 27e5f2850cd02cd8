import { computed } from 'nanostores'
import { chat } from '../chat.ts'
import { $title } from '../title.ts'

/** The view's name and what is unread, in the title and on the tab's icon. Returns what ends it. */
export function watchTitle(): () => void {
  const $shown = computed([$title, chat.$unread], (title, unread) => ({ title, unread }))
  let wasUnread = false
  return $shown.subscribe(({ title, unread }) => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${title} · Exam Practice`
    if (unread > 0 === wasUnread) return
    wasUnread = unread > 0
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon) icon.href = wasUnread ? '/desk/icon-unread.svg' : '/desk/icon.svg'
  })
}
