export type SlotResult =
  /** The slot was free and is now the holder's. */
  | { state: 'taken' }
  /** The slot was this holder's already: the same request again. */
  | { state: 'held' }
  | { state: 'refused'; retryAfterMs: number }

/**
 * Slots that let one request through and are closed for a while then: for example one message in two seconds per
 * person, over all nodes (docs/protocol/http.md#limits).
 *
 * Guarantees, for every implementation (test/contracts/rate-slots.ts):
 * - Of any number of simultaneous requests with different holders, one gets the slot.
 * - `release` frees the slot if this holder has it, so that a request that fails for another reason doesn't use it
 *   up.
 * - A slot is free again `ttlMs` after it was taken, even if its node has died.
 * - Never fails: while the shared store is away, each node keeps slots of its own.
 */
export interface RateSlots {
  take(key: string, holder: string, ttlMs: number): Promise<SlotResult>
  release(key: string, holder: string): Promise<void>
}
