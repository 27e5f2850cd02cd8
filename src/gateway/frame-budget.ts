import type { CloseReason } from './close-codes.ts'

const WINDOW_MS = 10_000
/** Frames of one socket within the window (realtime.md, close code 4029). */
const FRAMES = 100
/** Malformed frames of one socket within the window, the last of which closes it (4002). */
const MALFORMED = 10

/** How much one socket may ask for. */
export class FrameBudget {
  #windowStart = Number.NEGATIVE_INFINITY
  #frames = 0
  #malformed = 0

  /** Counts a frame; the reason to close where it is one too many. `now` is in milliseconds. */
  spend(now: number): CloseReason | undefined {
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now
      this.#frames = 0
      this.#malformed = 0
    }
    this.#frames += 1
    return this.#frames > FRAMES ? 'flood' : undefined
  }

  /** True where it is one too many. */
  countMalformed(): boolean {
    this.#malformed += 1
    return this.#malformed >= MALFORMED
  }
}
