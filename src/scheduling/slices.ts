import { setTimeout as sleep } from 'node:timers/promises'
import { type Asker, FairQueue } from './fair-queue.ts'

/** Milliseconds of work after which everything else has its turn. */
const SLICE_MS = 5

/**
 * Runs work that blocks the process in short slices: askers take turns, and after each slice everything else has as
 * long as the slice took.
 */
export class Slices {
  readonly #queue: FairQueue
  #spentMs = 0

  /** `waiting`: most pieces of work that may wait. */
  constructor(waiting: number) {
    this.#queue = new FairQueue({ places: 1, waiting })
  }

  /** Throws as `FairQueue.run` does. */
  run<T>(asker: Asker, work: () => T): Promise<T> {
    return this.#queue.run(asker, async () => {
      const began = performance.now()
      try {
        return work()
      } finally {
        this.#spentMs += performance.now() - began
        if (this.#spentMs >= SLICE_MS) {
          await sleep(this.#spentMs)
          this.#spentMs = 0
        }
      }
    })
  }
}
