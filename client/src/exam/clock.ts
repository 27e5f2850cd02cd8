import type { Platform } from '../platform.ts'

/** How far the two ways of counting time may differ before the service has to be asked again. */
const DRIFT_MS = 2_000

/**
 * The service's time, whatever happens to this machine's clock. The wall clock may be set, the monotonic one may
 * stand still while the machine sleeps: the one that counted more is believed, so that nobody is shown time that
 * they don't have, until the service is asked again.
 */
export class ServerClock {
  readonly #platform: Platform
  #server: number | undefined
  #wall = 0
  #steady = 0

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /** The service said `time`, in answer to what was asked at `askedAt` of the platform's clock. */
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
