import type { Core } from '../../../core.ts'
import { encodeFrame } from '../../../gateway/frame.ts'
import type { Person } from '../../../gateway/person.ts'
import { listCounters } from '../conversations/memberships.service.ts'

/**
 * Shortest time between two `unread` frames to one person (docs/protocol/realtime.md#counters): a little more than
 * half a second, so that a client never gets three within one second, even if the first was delayed.
 */
const INTERVAL_MS = 520

/**
 * Sends people their counters when these change. They are read from the database after the change, so they are exact;
 * one query reads them for everybody who is due.
 */
export class CounterUpdates {
  readonly #core: Core
  /**
   * People with changed counters, and the conversation that changed them; undefined if it was more than one, or none.
   */
  readonly #due = new Map<Person, number | undefined>()
  readonly #lastSent = new WeakMap<Person, { at: number; text: string | undefined }>()
  #timer: NodeJS.Timeout | undefined

  constructor(core: Core) {
    this.#core = core
  }

  changed(person: Person, conversationId?: number): void {
    const isSame = !this.#due.has(person) || this.#due.get(person) === conversationId
    this.#due.set(person, isSame ? conversationId : undefined)
    if (!this.#timer) this.#schedule()
  }

  /** A new socket got the counters in its `ready` frame: the next frame is sent even if it equals the last one. */
  forget(person: Person): void {
    const last = this.#lastSent.get(person)
    if (last) last.text = undefined
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#due.clear()
  }

  #schedule(): void {
    const now = performance.now()
    let wait = Number.POSITIVE_INFINITY
    for (const person of this.#due.keys()) wait = Math.min(wait, this.#dueAt(person) - now)
    if (wait !== Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => void this.#send(), Math.max(0, wait)).unref()
  }

  #dueAt(person: Person): number {
    return (this.#lastSent.get(person)?.at ?? Number.NEGATIVE_INFINITY) + INTERVAL_MS
  }

  async #send(): Promise<void> {
    const now = performance.now()
    const due = [...this.#due].filter(([person]) => this.#dueAt(person) <= now)
    for (const [person] of due) {
      this.#due.delete(person)
      this.#lastSent.set(person, { at: now, text: this.#lastSent.get(person)?.text })
    }
    try {
      const rows = await listCounters(
        this.#core,
        due.map(([{ userId }, conversationId]) => ({ userId, conversationId })),
      )
      const counters = new Map(rows.map((row) => [row.userId, row]))
      for (const [person, conversationId] of due) {
        const { unread, unreadAll, requests, mentions, conversationUnread } = counters.get(person.userId) ?? {
          unread: 0,
          unreadAll: 0,
          requests: 0,
          mentions: 0,
          conversationUnread: null,
        }
        const text = `${unread} ${unreadAll} ${requests} ${mentions}`
        if (this.#lastSent.get(person)?.text === text) continue
        // A withheld frame does not count as sent.
        const isWithheld = [...person.connections].some((connection) => connection.isWithholding)
        this.#lastSent.set(person, { at: performance.now(), text: isWithheld ? undefined : text })
        const frame = encodeFrame({
          type: 'unread',
          unread,
          unread_all: unreadAll,
          requests,
          mentions,
          ...(conversationId === undefined || conversationUnread === null
            ? {}
            : { conversation_id: conversationId, conversation_unread: conversationUnread }),
        })
        for (const connection of person.connections) connection.write(frame)
      }
    } catch (error) {
      this.#core.log.warn({ err: error }, 'counters could not be read; trying again')
      for (const [person, conversationId] of due) this.changed(person, conversationId)
    }
    this.#timer = undefined
    this.#schedule()
  }
}
