import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** At most twenty a second: far more than anybody does by hand. */
const GAP_MS = 50
/** People whose turns are remembered; the one who did nothing for the longest time makes room. */
const REMEMBERED = 10_000

/** The pace at which each person makes changes on this node; `paced` of an operation says which (http/admission.ts). */
export class Pace {
  /** When each person may make the next change, by `performance.now()`. */
  readonly #nextAt = new LRUCache<number, number>({ max: REMEMBERED })

  /** Resolves when this person may make a change. */
  async wait(userId: number): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt.get(userId) ?? 0)
    this.#nextAt.set(userId, at + GAP_MS)
    if (at > now) await setTimeout(at - now)
  }
}
