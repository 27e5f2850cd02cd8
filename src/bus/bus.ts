import type { Topic, Topics } from './events.ts'

export type Listener<T extends Topic> = (event: Topics[T]) => void

export interface Subscription {
  /** Resolves once all later events of all nodes will arrive; at once while the bus is away. */
  ready: Promise<void>
  close(): void
}

/**
 * Carries events between nodes. They may be lost: the database has the truth, an event only makes nodes read it sooner.
 *
 * Guarantees, for every implementation (test/contracts/bus.ts):
 * - `publish` never throws and never waits. When it returns, the listeners of this node have been called; listeners of
 *   other nodes are called soon, or not at all while the bus is away.
 * - Events of one publisher on one topic arrive in the order of their publishing.
 * - A listener gets an event once, only while subscribed, and a throwing listener harms no other.
 * - After the bus was away, `onResync` listeners are called: events may have been missed meanwhile.
 */
export interface Bus {
  publish<T extends Topic>(topic: T, event: Topics[T]): void
  subscribe<T extends Topic>(topic: T, listener: Listener<T>): Subscription
  onResync(listener: () => void): void
  /**
   * The name of what carries the events, which all nodes that hear one another give, and no others; undefined while it
   * is away. It changes when that has lost everything.
   */
  identify(): Promise<string | undefined>
  /** Rejects while the bus cannot carry events to other nodes. */
  ping(): Promise<void>
  /**
   * Seconds that an event takes to reach other nodes, measured now; undefined on a single node, or while the bus is
   * away.
   */
  measureLag(): Promise<number | undefined>
  close(): Promise<void>
}
