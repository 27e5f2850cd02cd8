import type { Config } from '../settings/config.ts'
import { LocalActivity } from './activity-local.ts'
import type { Presence } from './presence.ts'
import { LocalPresence } from './presence-local.ts'

/** Presence on a single node. */
export function createMemoryPresence({
  graceMs,
  activeMs,
}: Pick<Config['presence'], 'graceMs' | 'activeMs'>): Presence {
  const listeners: ((userId: number) => void)[] = []
  const tell = (userId: number) => {
    for (const listener of listeners) listener(userId)
  }
  const local = new LocalPresence(graceMs, { began: tell, ended: tell })
  const activity = new LocalActivity(activeMs)
  return {
    arrive: (userId) => local.arrive(userId),
    leave: (userId) => local.leave(userId),
    online: async (userIds) => new Set(userIds.filter((id) => local.has(id))),
    touch: (userId) => activity.touch(userId),
    active: async (userIds) => activity.of(userIds),
    seen: async (userIds) => activity.seen(userIds.filter((id) => local.has(id))),
    onChange: (listener) => void listeners.push(listener),
    close: async () => local.close(),
  }
}
