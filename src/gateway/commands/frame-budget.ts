import type { CloseReason } from '../../../schemas/close-codes.ts'

const WINDOW_MS = 10_000
/** Frames of one socket within any window (docs/protocol/realtime.md#limits). */
const FRAMES = 100
/** Malformed frames of one socket within any window, the last of which closes it (4002). */
const MALFORMED = 10

/** Limits the frames of one socket. `now` is in milliseconds. */
export class FrameBudget {
  readonly #frames = new Recent(FRAMES)
  readonly #malformed = new Recent(MALFORMED - 1)

  /** Counts a frame; answers the reason to close the socket if it is one too many. */
  spend(now: number): CloseReason | undefined {
    return this.#frames.add(now) ? undefined : 'flood'
  }

  spendMalformed(now: number): CloseReason | undefined {
    return this.#malformed.add(now) ? undefined : 'malformed'
  }
}

/** The times of the latest events, at most as many as are allowed within the window. */
class Recent {
  readonly #times: number[] = []
  readonly #limit: number
  #oldest = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False if it is one more than allowed. */
  add(now: number): boolean {
    if (this.#times.length < this.#limit) {
      this.#times.push(now)
      return true
    }
    if (now - (this.#times[this.#oldest] ?? 0) < WINDOW_MS) return false
    this.#times[this.#oldest] = now
    this.#oldest = (this.#oldest + 1) % this.#limit
    return true
  }
}
