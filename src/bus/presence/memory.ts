import { LocalPresence } from './local-presence.ts'
import type { Presence } from './presence.ts'

/** Presence of a lone node. */
export function createMemoryPresence(graceMs: number): Presence {
  const listeners: ((userId: number) => void)[] = []
  const tell = (userId: number) => {
    for (const listener of listeners) listener(userId)
  }
  const stays = new LocalPresence(graceMs, { began: tell, ended: tell })
  return {
    arrive: (userId) => stays.arrive(userId),
    leave: (userId) => stays.leave(userId),
    online: async (userIds) => new Set(userIds.filter((id) => stays.has(id))),
    onChange: (listener) => void listeners.push(listener),
    close: async () => stays.close(),
  }
}
