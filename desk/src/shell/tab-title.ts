import { computed } from 'nanostores'
import { chat } from '../chat.ts'
import { $title } from '../view-title.ts'

/** Shows the view's name and unread messages in the tab's title and icon. Returns a function that ends this. */
export function watchTitle(): () => void {
  const $shown = computed([$title, chat.$unread], (title, unread) => ({ title, unread }))
  let wasUnread = false
  return $shown.subscribe(({ title, unread }) => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${title} · Exam Practice`
    // Of the installed app; where there is none, nothing happens.
    void navigator.setAppBadge?.(unread).catch(() => {})
    if (unread > 0 === wasUnread) return
    wasUnread = unread > 0
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon) icon.href = wasUnread ? '/desk/icon-unread.svg' : '/desk/icon.svg'
  })
}
