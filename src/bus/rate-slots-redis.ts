import type { RateSlots } from './rate-slots.ts'
import { type SharedRedis, tryCommand } from './redis-connections.ts'

const DELETE_OWN = `
  if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
  return 0`

/** Slots that all nodes share; while Redis is away, `alone` keeps those of this node. */
export function createRedisRateSlots({ commands, prefix }: SharedRedis, alone: RateSlots): RateSlots {
  const nameOf = (key: string) => `${prefix}slot:${key}`
  return {
    async take(key, holder, ttlMs) {
      if (ttlMs <= 0) return { state: 'taken' }
      try {
        const held = await commands.set(nameOf(key), holder, 'PX', ttlMs, 'NX', 'GET')
        if (held === null) return { state: 'taken' }
        if (held === holder) return { state: 'held' }
        return { state: 'refused', retryAfterMs: Math.max(1, await commands.pttl(nameOf(key))) }
      } catch {
        return alone.take(key, holder, ttlMs)
      }
    },
    async release(key, holder) {
      await alone.release(key, holder)
      // If Redis can't be reached, the slot expires by itself.
      await tryCommand(() => commands.eval(DELETE_OWN, 1, nameOf(key), holder))
    },
  }
}
