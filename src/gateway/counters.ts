import type { Core } from '../core.ts'
import * as chat from '../features/chat/service.ts'
import { encodeFrame } from './frame.ts'
import type { Person } from './person.ts'

/** Shortest time between two `unread` frames to one person (contract: at most two a second). */
const INTERVAL_MS = 500

/**
 * Tells people their counters whenever these changed: exact, since they are read from the database after
 * the change, and coalesced, one query for everybody who is due.
 */
export class CounterUpdates {
  readonly #core: Core
  readonly #due = new Set<Person>()
  readonly #lastTold = new WeakMap<Person, { at: number; unread: number; requests: number }>()
  #timer: NodeJS.Timeout | undefined

  constructor(core: Core) {
    this.#core = core
  }

  changed(person: Person): void {
    this.#due.add(person)
    if (!this.#timer) this.#schedule()
  }

  /** A socket of theirs was told by other means: the next frame goes out whatever the last one said. */
  forget(person: Person): void {
    this.#remember(person, this.#lastTold.get(person)?.at ?? 0)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#due.clear()
  }

  #schedule(): void {
    const now = performance.now()
    let wait = Number.POSITIVE_INFINITY
    for (const person of this.#due) wait = Math.min(wait, this.#dueAt(person) - now)
    if (wait !== Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => void this.#tell(), Math.max(0, wait)).unref()
  }

  #dueAt(person: Person): number {
    return (this.#lastTold.get(person)?.at ?? 0) + INTERVAL_MS
  }

  /** Without values: whatever they turn out to be is news. */
  #remember(person: Person, at: number): void {
    this.#lastTold.set(person, { at, unread: -1, requests: -1 })
  }

  async #tell(): Promise<void> {
    const now = performance.now()
    const people = [...this.#due].filter((person) => this.#dueAt(person) <= now)
    for (const person of people) this.#due.delete(person)
    try {
      const counters = await chat.countersOf(
        this.#core,
        people.map(({ userId }) => userId),
      )
      for (const person of people) {
        const { unread, requests } = counters.get(person.userId) ?? { unread: 0, requests: 0 }
        const before = this.#lastTold.get(person)
        this.#lastTold.set(person, { at: now, unread, requests })
        if (before?.unread === unread && before.requests === requests) continue
        const frame = encodeFrame({ type: 'unread', unread, requests })
        for (const connection of person.connections) connection.write(frame)
      }
    } catch (error) {
      this.#core.log.warn({ err: error }, 'counters could not be read; trying again')
      for (const person of people) {
        this.#remember(person, now)
        this.#due.add(person)
      }
    }
    this.#timer = undefined
    this.#schedule()
  }
}
