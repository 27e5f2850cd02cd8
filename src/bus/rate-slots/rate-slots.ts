export type SlotResult =
  /** The slot was free and is now the holder's. */
  | { state: 'taken' }
  /** The slot was this holder's already: the same request again. */
  | { state: 'held' }
  | { state: 'refused'; retryAfterMs: number }

/**
 * One slot per key that lets one request through and then stays shut for a while (one message
 * per 2 s and person, over all nodes: docs/protocol/http.md#limits).
 *
 * Guarantees, for every implementation (test/contracts/rate-slots.ts):
 * - Of any number of takers at once with different holders, one gets the slot.
 * - `release` frees the slot only for the holder that has it: a request that was refused for another
 *   reason uses nothing up.
 * - A slot is free again `ttlMs` after it was taken, whatever became of its taker.
 * - Never fails: while the shared store is away, each node keeps slots of its own.
 */
export interface RateSlots {
  take(key: string, holder: string, ttlMs: number): Promise<SlotResult>
  release(key: string, holder: string): Promise<void>
}
