/** Somebody who did something on a socket this long ago may still be there: between two `active` frames much can fail. */
export const SEEN_MS = 60_000

/** Who did something on one node lately. */
export class LocalActivity {
  /** When each of them was active last, by `performance.now()`: the earliest first. */
  readonly #at = new Map<number, number>()
  readonly #activeMs: number

  constructor(activeMs: number) {
    this.#activeMs = activeMs
  }

  touch(userId: number): void {
    const now = performance.now()
    this.#at.delete(userId)
    this.#at.set(userId, now)
    for (const [id, at] of this.#at) {
      if (at + Math.max(SEEN_MS, this.#activeMs) > now) break
      this.#at.delete(id)
    }
  }

  /** For how many more milliseconds each of these people counts as active. */
  of(userIds: number[]): Map<number, number> {
    const now = performance.now()
    const left = userIds.map((id) => [id, (this.#at.get(id) ?? -Infinity) + this.#activeMs - now] as const)
    return new Map(left.filter(([, ms]) => ms > 0))
  }

  /** Those of these people who were seen lately. */
  seen(userIds: number[]): Set<number> {
    const since = performance.now() - SEEN_MS
    return new Set(userIds.filter((id) => (this.#at.get(id) ?? -Infinity) > since))
  }
}
