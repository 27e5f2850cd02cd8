import { storedOwner } from '@exam-practice/client'
import { indexedDbStore } from '@exam-practice/client/indexeddb'
import { isDesk } from './shell-name.ts'

declare const self: ServiceWorkerGlobalScope

/** The decrypted text of a push (docs/protocol/push.md#what-it-says). */
interface PushText {
  title: string
  body: string
  tag: string
  url: string
}

/** Shows a push, unless the person has signed out here since it was sent, or is looking at the desk anyway. */
export async function showPush(data: PushMessageData | null): Promise<void> {
  if (!data) return
  const { title, body, tag, url }: PushText = data.json()
  const [owner, tabs] = await Promise.all([storedOwner(indexedDbStore()), listTabs()])
  if (!owner || tabs.some(({ focused }) => focused)) return
  // An open desk sets the number itself, which a mark without one would replace.
  if (!tabs.some(({ url }) => isDesk(new URL(url).pathname)))
    await self.navigator.setAppBadge?.().catch(() => {})
  await self.registration.showNotification(title, { body, tag, icon: '/desk/icon.svg', data: url })
}

/** Opens what a notification is about. A tab that shows something else, such as an exam, stays as it is. */
export async function openPush({ notification }: NotificationEvent): Promise<void> {
  notification.close()
  const { origin, pathname } = new URL(String(notification.data), location.origin)
  if (origin !== location.origin) return
  const open = (await listTabs()).find(({ url }) => new URL(url).pathname === pathname)
  if (open) await open.focus()
  else await self.clients.openWindow(pathname)
}

/** The browser has replaced its subscription; the service is told by a tab, or by the next one that is opened. */
export async function renewSubscription({ oldSubscription }: PushSubscriptionChangeEvent): Promise<void> {
  if (oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options)
  for (const tab of await listTabs()) tab.postMessage('subscription renewed')
}

function listTabs() {
  return self.clients.matchAll({ type: 'window', includeUncontrolled: true })
}
