import { LocalPresence } from './local-presence.ts'
import type { Presence } from './presence.ts'

/** Presence on a single node. */
export function createMemoryPresence(graceMs: number): Presence {
  const listeners: ((userId: number) => void)[] = []
  const tell = (userId: number) => {
    for (const listener of listeners) listener(userId)
  }
  const local = new LocalPresence(graceMs, { began: tell, ended: tell })
  return {
    arrive: (userId) => local.arrive(userId),
    leave: (userId) => local.leave(userId),
    online: async (userIds) => new Set(userIds.filter((id) => local.has(id))),
    onChange: (listener) => void listeners.push(listener),
    close: async () => local.close(),
  }
}
