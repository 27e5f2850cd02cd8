import { setTimeout as pause } from 'node:timers/promises'
import { busy } from '../errors.ts'

/** The pause between two tries: short at first, since most races are over by then. */
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 100

/**
 * Tries until there is an outcome, but no longer than the request that waits: 503 `unavailable` after `patienceMs`.
 */
export async function retryFor<T>(patienceMs: number, attempt: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + patienceMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
    if (performance.now() > end) throw busy()
    await pause(pauseMs)
  }
}
