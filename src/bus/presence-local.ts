export interface PresenceListeners {
  began(userId: number): void
  ended(userId: number): void
}

/**
 * Who is online on one node. People stay online for `graceMs` after their last socket, so that others don't notice a
 * page reload.
 */
export class LocalPresence {
  /** By user id; the value is a timer for people without a socket. */
  readonly #online = new Map<number, NodeJS.Timeout | undefined>()
  readonly #graceMs: number
  readonly #listeners: PresenceListeners

  constructor(graceMs: number, listeners: PresenceListeners) {
    this.#graceMs = graceMs
    this.#listeners = listeners
  }

  has(userId: number): boolean {
    return this.#online.has(userId)
  }

  userIds(): number[] {
    return [...this.#online.keys()]
  }

  arrive(userId: number): void {
    const wasOnline = this.#online.has(userId)
    clearTimeout(this.#online.get(userId))
    this.#online.set(userId, undefined)
    if (!wasOnline) this.#listeners.began(userId)
  }

  leave(userId: number): void {
    if (!this.#online.has(userId)) return
    clearTimeout(this.#online.get(userId))
    const timer = setTimeout(() => {
      this.#online.delete(userId)
      this.#listeners.ended(userId)
    }, this.#graceMs)
    this.#online.set(userId, timer.unref())
  }

  close(): void {
    for (const timer of this.#online.values()) clearTimeout(timer)
    this.#online.clear()
  }
}
