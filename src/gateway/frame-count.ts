import type { CloseReason } from '../../schemas/close-codes.ts'

const PERIOD_MS = 10_000
/** Frames of one socket in a period (docs/protocol/realtime.md#limits). */
const MOST = 100
/** Malformed frames of one socket in a period, the last of which closes it (4002). */
const MOST_MALFORMED = 10

/** Counts the frames of one socket in periods, each of which begins with a frame. */
export class FrameCount {
  #since = Number.NEGATIVE_INFINITY
  #frames = 0
  #malformed = 0

  /** Counts a frame; answers the reason to close the socket if it is one too many. `now` is in milliseconds. */
  add(now: number): CloseReason | undefined {
    if (now - this.#since >= PERIOD_MS) {
      this.#since = now
      this.#frames = 0
      this.#malformed = 0
    }
    this.#frames += 1
    return this.#frames > MOST ? 'flood' : undefined
  }

  /** Says that the frame counted last was malformed; returns why the socket has to be closed, if it has to. */
  addMalformed(): CloseReason | undefined {
    this.#malformed += 1
    return this.#malformed >= MOST_MALFORMED ? 'malformed' : undefined
  }
}
