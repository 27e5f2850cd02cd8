import { atom } from 'nanostores'
import { type Answer, ask, client } from './client.ts'
import { showToast } from './components/dialogs/toasts.tsx'

export type Notice = Answer<'/api/v01/notices', 'get'>['notices'][number]

/** The newest ones, as far as they have been read from the service. */
export const $notices = atom<readonly Notice[]>([])
/** How many the person hasn't read. */
export const $unreadNotices = atom(0)

const MOST = 30

/** Follows what the person is told of. Returns a function that ends this. */
export function watchNotices(): () => void {
  return client.live.listen((frame) => {
    if (frame.type === 'ready') {
      const { unread_notices: unread } = frame
      // A node of the version before says nothing.
      if (typeof unread === 'number') $unreadNotices.set(unread)
      if (unread === null) forget()
      else void lookForNotices().catch(() => {})
    }
    if (frame.type === 'resync') void lookForNotices().catch(() => {})
    if (frame.type === 'help_locked') forget()
    if (frame.type !== 'notice') return
    $unreadNotices.set(frame.unread)
    const { notice } = frame
    // Another device has read.
    if (!notice) return void lookForNotices().catch(() => {})
    if ($notices.get().some(({ id }) => id === notice.id)) return
    $notices.set([notice, ...$notices.get()].slice(0, MOST))
    showToast(sayNotice(notice))
  })
}

export async function lookForNotices(): Promise<readonly Notice[]> {
  const { notices, unread } = await ask(
    client.GET('/api/v01/notices', { params: { query: { limit: MOST } } }),
  )
  $notices.set(notices)
  $unreadNotices.set(unread)
  return notices
}

/** Says that the person has read up to the newest of these. */
export async function readNotices(seen: readonly Notice[]): Promise<void> {
  const upTo = Math.max(...seen.map(({ id }) => id))
  if (seen.length === 0 || $unreadNotices.get() === 0) return
  const { unread } = await ask(client.POST('/api/v01/notices/read', { body: { up_to: upTo } }))
  $unreadNotices.set(unread)
  $notices.set($notices.get().map((each) => (each.id <= upTo ? { ...each, read: true } : each)))
}

export function sayNotice({ title, body }: Notice): string {
  return `${title}: ${body}`
}

/** Where what it tells of is shown. */
export function hrefOf({ exam_id, class_id }: Notice): string {
  if (class_id !== undefined) return `/desk/classes/${class_id}`
  return exam_id === undefined ? '/desk/account' : `/desk/exams/${exam_id}`
}

function forget(): void {
  $notices.set([])
  $unreadNotices.set(0)
}
