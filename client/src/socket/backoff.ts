import type { Platform } from '../platform.ts'

const BASE_MS = 1_000
const MOST_MS = 30_000

/** Full jitter: clients that lost the same node reconnect at random times within the pause. */
export function fullJitter({ random }: Platform, attempt: number): number {
  return random() * Math.min(MOST_MS, BASE_MS * 2 ** attempt)
}
