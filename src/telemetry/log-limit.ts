/**
 * Bounds the lines about one thing, such as failures while the database is away, which every request meets: at most
 * `most` a second, and the next line after that says how many are missing.
 */
export class LogLimit {
  readonly #most: number
  #second = 0
  #lines = 0
  #missing = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Fields for the next line; undefined if it is one too many. */
  next(): { missing_lines?: number } | undefined {
    const second = Math.floor(performance.now() / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#lines = 0
    }
    this.#lines += 1
    if (this.#lines > this.#most) {
      this.#missing += 1
      return undefined
    }
    const missing = this.#missing
    this.#missing = 0
    return missing > 0 ? { missing_lines: missing } : {}
  }
}
