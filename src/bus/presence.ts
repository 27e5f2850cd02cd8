/**
 * Who is online, that is, has a socket on any node, and who is active: has done something on one a moment ago.
 *
 * Guarantees, for every implementation (test/contracts/presence.ts):
 * - Somebody is online from `arrive` until `grace` milliseconds after `leave`, unless they `arrive` again before.
 *   With sockets on several nodes they are online as long as one node has them.
 * - `onChange` listeners of at least one node are called for everybody who came online or went offline. They have to
 *   ask `online` for the current state.
 * - The people of a node that dies are offline within 30 s, and another node's listeners are called.
 * - The people of a node that closes stay online for `grace`, so that they can connect to another node.
 * - Somebody is active for `activeMs` after `touch` on any node, whether they are online or not; and seen for a minute
 *   after it, while they are online.
 * - No method ever fails: while the shared store is away, each node answers for its own sockets. Once it is back, its
 *   listeners are called for those whom it called offline meanwhile and who are online.
 */
export interface Presence {
  /** Call it for somebody's first socket on this node. */
  arrive(userId: number): void
  /** Call it when somebody's last socket on this node has ended. */
  leave(userId: number): void
  /** Those of these people who are online. */
  online(userIds: number[]): Promise<Set<number>>
  /** Call it when somebody does something on a socket. */
  touch(userId: number): void
  /** Those of these people who are active, with the milliseconds until they won't be if they do nothing more. */
  active(userIds: number[]): Promise<Map<number, number>>
  /** Those of these people who are online, and have done something on a socket within the last minute. */
  seen(userIds: number[]): Promise<Set<number>>
  onChange(listener: (userId: number) => void): void
  close(): Promise<void>
}
