/**
 * Counts things that exist at this moment, over all nodes, such as a person's sockets.
 *
 * Guarantees, for every implementation (test/bus/tallies.test.ts):
 * - Of any number of simultaneous `take`s on any nodes, no more succeed than the limit allows.
 * - The share of a node that dies ends with its lease.
 * - While the shared store is away, each node counts on its own.
 */
export interface Tallies {
  /** Counts one more; false if there are `limit` already. */
  take(name: string, limit: number): Promise<boolean>
  /** Counts one less. */
  release(name: string): void
  close(): Promise<void>
}
