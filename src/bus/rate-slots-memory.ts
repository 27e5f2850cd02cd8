import type { RateSlots } from './rate-slots.ts'

/** With more slots than this, the expired ones are dropped. */
const SWEEP_AT = 10_000

/** Slots on a single node. `clock` gives milliseconds. */
export function createMemoryRateSlots(clock: () => number): RateSlots {
  const slots = new Map<string, { holder: string; freeAt: number }>()
  let sweepAt = SWEEP_AT
  return {
    async take(key, holder, ttlMs) {
      const now = clock()
      const slot = slots.get(key)
      // A slot that expires too late was taken before the clock was set back.
      if (slot && slot.freeAt > now && slot.freeAt <= now + ttlMs)
        return slot.holder === holder
          ? { state: 'held' }
          : { state: 'refused', retryAfterMs: slot.freeAt - now }
      slots.set(key, { holder, freeAt: now + ttlMs })
      if (slots.size >= sweepAt) {
        for (const [each, { freeAt }] of slots) if (freeAt <= now) slots.delete(each)
        sweepAt = Math.max(SWEEP_AT, slots.size * 2)
      }
      return { state: 'taken' }
    },
    async release(key, holder) {
      if (slots.get(key)?.holder === holder) slots.delete(key)
    },
  }
}
