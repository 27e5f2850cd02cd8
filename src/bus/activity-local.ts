/** Who was active on one node, and for how many more milliseconds they count as that. */
export class LocalActivity {
  /** When each of them counts as away, by `performance.now()`: the earliest first. */
  readonly #until = new Map<number, number>()
  readonly #activeMs: number

  constructor(activeMs: number) {
    this.#activeMs = activeMs
  }

  touch(userId: number): void {
    const now = performance.now()
    this.#until.delete(userId)
    this.#until.set(userId, now + this.#activeMs)
    for (const [id, until] of this.#until) {
      if (until > now) break
      this.#until.delete(id)
    }
  }

  of(userIds: number[]): Map<number, number> {
    const now = performance.now()
    const left = userIds.map((id) => [id, (this.#until.get(id) ?? now) - now] as const)
    return new Map(left.filter(([, ms]) => ms > 0))
  }
}
