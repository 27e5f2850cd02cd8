import { atom } from 'nanostores'
import { client } from './client.ts'

/** Whether an active exam locks chat, tutor, discussions and the library, by the service's latest frame. */
export const $isHelpLocked = atom(false)

export function watchHelpLock(): () => void {
  return client.live.listen((frame) => {
    if (frame.type === 'help_locked') $isHelpLocked.set(true)
    if (frame.type === 'help_unlocked') $isHelpLocked.set(false)
    // While help is locked, the counters are withheld as well.
    if (frame.type === 'ready') $isHelpLocked.set(frame.unread === null)
  })
}
