import { setImmediate } from 'node:timers/promises'

/** Milliseconds that work holds the process before everything else has its turn. */
const HELD_MS = 5

/**
 * For long work in the process: what it answers is awaited between the steps of the work, and lets others in once they
 * have waited for a while.
 */
export function breaks(): () => Promise<void> | undefined {
  let began = performance.now()
  const rest = async () => {
    await setImmediate()
    began = performance.now()
  }
  return () => (performance.now() - began < HELD_MS ? undefined : rest())
}
