export interface StayListeners {
  began(userId: number): void
  ended(userId: number): void
}

/** Who is here, on one node: a stay outlasts somebody's last socket by the grace, so that a reload doesn't show. */
export class LocalStays {
  /** With the timer of those who are leaving. */
  readonly #stays = new Map<number, NodeJS.Timeout | undefined>()
  readonly #grace: number
  readonly #listeners: StayListeners

  constructor(grace: number, listeners: StayListeners) {
    this.#grace = grace
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
    }, this.#grace)
    this.#stays.set(userId, timer.unref())
  }

  close(): void {
    for (const timer of this.#stays.values()) clearTimeout(timer)
    this.#stays.clear()
  }
}
