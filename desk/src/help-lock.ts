import { atom } from 'nanostores'
import { client } from './client.ts'

/** Whether an exam under way closes chat, tutor, discussions and the library, as the service last said. */
export const $isHelpLocked = atom(false)

export function watchHelpLock(): () => void {
  return client.live.listen((frame) => {
    const { type } = frame as { type: string }
    if (type === 'help_locked') $isHelpLocked.set(true)
    if (type === 'help_unlocked') $isHelpLocked.set(false)
    // Counters are withheld with the rest.
    if (type === 'ready') $isHelpLocked.set((frame as { unread: number | null }).unread === null)
  })
}
