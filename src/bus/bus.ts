import type { Topic, Topics } from './events.ts'

export type Listener<T extends Topic> = (event: Topics[T]) => void

export interface Subscription {
  /** Resolves once every event that any node publishes from now on will arrive. While the bus is away: at once. */
  ready: Promise<void>
  close(): void
}

/**
 * Carries hints between nodes: what was committed is already true, an event only says so sooner.
 *
 * Guarantees, for every implementation (test/contracts/bus.ts):
 * - `publish` never throws, never waits and never fails a caller. Listeners of this node have been called
 *   when it returns; listeners elsewhere hear it soon, or not at all while the bus is away.
 * - Events of one publisher on one topic arrive in the order of their publishing.
 * - A listener hears an event once, only while subscribed, and a throwing listener harms no other.
 * - After the bus was away, `onResync` listeners are called: events may have been missed meanwhile.
 */
export interface Bus {
  publish<T extends Topic>(topic: T, event: Topics[T]): void
  subscribe<T extends Topic>(topic: T, listener: Listener<T>): Subscription
  onResync(listener: () => void): void
  /** Rejects while the bus cannot carry events to other nodes. */
  ping(): Promise<void>
  /**
   * Seconds that an event needs to reach other nodes, measured now; undefined on a lone node, or while the bus is
   * away.
   */
  measureLag(): Promise<number | undefined>
  close(): Promise<void>
}
