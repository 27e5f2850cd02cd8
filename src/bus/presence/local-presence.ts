export interface PresenceListeners {
  began(userId: number): void
  ended(userId: number): void
}

/**
 * Who is online on one node. A stay ends `graceMs` after somebody's last socket, so that a page reload is not visible
 * to others.
 */
export class LocalPresence {
  /** By user id; the value is the timer of somebody who is leaving. */
  readonly #stays = new Map<number, NodeJS.Timeout | undefined>()
  readonly #graceMs: number
  readonly #listeners: PresenceListeners

  constructor(graceMs: number, listeners: PresenceListeners) {
    this.#graceMs = graceMs
    this.#listeners = listeners
  }

  has(userId: number): boolean {
    return this.#stays.has(userId)
  }

  userIds(): number[] {
    return [...this.#stays.keys()]
  }

  arrive(userId: number): void {
    const stayed = this.#stays.has(userId)
    clearTimeout(this.#stays.get(userId))
    this.#stays.set(userId, undefined)
    if (!stayed) this.#listeners.began(userId)
  }

  leave(userId: number): void {
    if (!this.#stays.has(userId)) return
    clearTimeout(this.#stays.get(userId))
    const timer = setTimeout(() => {
      this.#stays.delete(userId)
      this.#listeners.ended(userId)
    }, this.#graceMs)
    this.#stays.set(userId, timer.unref())
  }

  close(): void {
    for (const timer of this.#stays.values()) clearTimeout(timer)
    this.#stays.clear()
  }
}
