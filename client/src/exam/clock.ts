import type { Platform } from '../platform.ts'
import type { Storage } from '../storage/storage.ts'

/** How far the wall clock and the monotonic clock may differ before the service is asked again. */
const DRIFT_MS = 2_000
const KEY = 'clock'
/** A smaller change of the difference isn't stored. */
const NOTABLE_MS = 200

/**
 * The service's time, independent of this machine's clocks: the wall clock may be changed, the monotonic one may stop
 * while the machine sleeps. Until the service is asked again, the later of the two counts, so that nobody is shown time
 * that they don't have. After a restart without the service, the last known difference to the wall clock counts.
 */
export class ServerClock {
  readonly #platform: Platform
  readonly #storage: Storage | undefined
  /** How far the service was ahead of the wall clock when that was last known. */
  #aheadMs: number
  #server: number | undefined
  #wall = 0
  #steady = 0

  constructor(platform: Platform, storage?: Storage, aheadMs = 0) {
    this.#platform = platform
    this.#storage = storage
    this.#aheadMs = aheadMs
  }

  /** A clock that goes on from where an earlier one was. */
  static async open(platform: Platform, storage: Storage): Promise<ServerClock> {
    const aheadMs = await storage.get(KEY).catch(() => undefined)
    return new ServerClock(platform, storage, typeof aheadMs === 'number' ? aheadMs : 0)
  }

  /** `time`: the service's time in an answer; `askedAt`: the platform's clock at the request. */
  set(time: string, askedAt: number): void {
    this.#wall = this.#platform.now()
    this.#steady = this.#platform.steady()
    this.#server = Date.parse(time) + Math.max(0, this.#wall - askedAt) / 2
    const aheadMs = this.#server - this.#wall
    if (Math.abs(aheadMs - this.#aheadMs) < NOTABLE_MS) return
    this.#aheadMs = aheadMs
    void this.#storage?.set(KEY, aheadMs).catch(() => {})
  }

  /** Milliseconds since the epoch. */
  now(): number {
    if (this.#server === undefined) return this.#platform.now() + this.#aheadMs
    return this.#server + Math.max(this.#platform.now() - this.#wall, this.#platform.steady() - this.#steady)
  }

  get isDoubtful(): boolean {
    const drift = this.#platform.now() - this.#wall - (this.#platform.steady() - this.#steady)
    return this.#server === undefined || Math.abs(drift) > DRIFT_MS
  }
}
