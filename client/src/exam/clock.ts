import type { Platform } from '../platform.ts'

/** How far the wall clock and the monotonic clock may differ before the service is asked again. */
const DRIFT_MS = 2_000

/**
 * The service's time, independent of this machine's clocks: the wall clock may be changed, the monotonic one may stop
 * while the machine sleeps. Until the service is asked again, the later of the two counts, so that nobody is shown time
 * that they don't have.
 */
export class ServerClock {
  readonly #platform: Platform
  #server: number | undefined
  #wall = 0
  #steady = 0

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /** `time`: the service's time in an answer; `askedAt`: the platform's clock at the request. */
  set(time: string, askedAt: number): void {
    this.#wall = this.#platform.now()
    this.#steady = this.#platform.steady()
    this.#server = Date.parse(time) + Math.max(0, this.#wall - askedAt) / 2
  }

  /** Milliseconds since the epoch. */
  now(): number {
    if (this.#server === undefined) return this.#platform.now()
    return this.#server + Math.max(this.#platform.now() - this.#wall, this.#platform.steady() - this.#steady)
  }

  get isDoubtful(): boolean {
    const drift = this.#platform.now() - this.#wall - (this.#platform.steady() - this.#steady)
    return this.#server === undefined || Math.abs(drift) > DRIFT_MS
  }
}
