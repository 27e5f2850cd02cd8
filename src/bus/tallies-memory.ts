import type { Tallies } from './tallies.ts'

/** Tallies on a single node. */
export function createMemoryTallies(): Tallies {
  const held = new Map<string, number>()
  return {
    async take(name, limit) {
      const count = held.get(name) ?? 0
      if (count >= limit) return false
      held.set(name, count + 1)
      return true
    },
    release(name) {
      const left = (held.get(name) ?? 0) - 1
      if (left > 0) held.set(name, left)
      else held.delete(name)
    },
    async close() {
      held.clear()
    },
  }
}
