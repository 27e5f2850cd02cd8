/**
 * Who is online: has a socket on any node.
 *
 * Guarantees, for every implementation (test/contracts/presence.ts):
 * - Somebody is online from `arrive` on until `grace` milliseconds after `leave`; an `arrive` within that time
 *   continues their stay. On several nodes they are online as long as they are on one of them.
 * - `onChange` listeners hear of everybody who came online or went offline, on one node at least. What they
 *   hear is a hint: `online` tells how it is.
 * - A node that dies without a goodbye takes its people with it within 30 s: another node hears of it.
 * - A node that closes leaves its people online for `grace`, so that they can come back to another.
 * - Nothing here ever fails: while the shared store is away, each node answers from what it knows itself.
 */
export interface Presence {
  /** This node has somebody's first socket. */
  arrive(userId: number): void
  /** The last socket that this node had of them ended. */
  leave(userId: number): void
  /** Those of these people who are online. */
  online(userIds: number[]): Promise<Set<number>>
  onChange(listener: (userId: number) => void): void
  close(): Promise<void>
}
