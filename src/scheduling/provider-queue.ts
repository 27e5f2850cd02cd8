import { AppError } from '../errors.ts'
import { type Asker, FairQueue } from './fair-queue.ts'

/** Sign-ins that ask the provider at once, and those of one network. */
const PLACES = 32
const PLACES_EACH = 16
/** Failures of a network within this time after which it has fewer places and waits behind the others. */
const MOST_FAILURES = 10
const FAILURES_MS = 60_000
const PLACES_OF_SUSPECTS = 2
/** Sign-ins that may wait, and how long each of them may. */
const MOST_WAITING = 2_000
const PATIENCE_MS = 15_000

/**
 * Asks the identity provider on behalf of strangers, in turn: anybody can make up codes, and each would be a call there
 * at once. Askers are networks.
 */
export class ProviderQueue {
  readonly #clock: () => number
  /** When the latest sign-ins of each network failed, the network whose last one is the oldest first. */
  readonly #failures = new Map<string, number[]>()
  readonly #queue = new FairQueue({
    places: PLACES,
    each: PLACES_EACH,
    waiting: MOST_WAITING,
    patienceMs: PATIENCE_MS,
    last: { each: PLACES_OF_SUSPECTS, isLast: (network) => this.#isSuspect(network) },
  })

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** 503 `unavailable` after 15 seconds without a place. */
  run<T>(asker: Asker, ask: () => Promise<T>): Promise<T> {
    return this.#queue.run(asker, async () => {
      try {
        return await ask()
      } catch (error) {
        if (error instanceof AppError && error.code === 'oidc_failed') this.#noteFailure(asker.name)
        throw error
      }
    })
  }

  #isSuspect(network: string): boolean {
    const times = this.#failures.get(network) ?? []
    return times.length >= MOST_FAILURES && (times[0] ?? 0) > this.#clock() - FAILURES_MS
  }

  #noteFailure(network: string): void {
    const now = this.#clock()
    const times = [...(this.#failures.get(network) ?? []), now].slice(-MOST_FAILURES)
    this.#failures.delete(network)
    this.#failures.set(network, times)
    for (const [oldest, [...theirs]] of this.#failures) {
      if ((theirs.at(-1) ?? 0) > now - FAILURES_MS) return
      this.#failures.delete(oldest)
    }
  }
}
