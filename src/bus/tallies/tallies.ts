/**
 * How much of something is held at this moment, over all nodes: a person's sockets, say.
 *
 * Guarantees, for every implementation (test/bus/tallies.test.ts):
 * - Of any number of `take`s at once, on any nodes, no more succeed than the limit leaves room for.
 * - What a node held ends with the node, within its lease where it died without a goodbye.
 * - While nodes can't reach each other, each counts what it holds itself.
 */
export interface Tallies {
  /** Holds one more, unless as many as `limit` are held already: then false. */
  take(name: string, limit: number): Promise<boolean>
  /** Gives back one that was taken. */
  release(name: string): void
  close(): Promise<void>
}
