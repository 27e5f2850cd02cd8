import type { Platform } from './platform.ts'
import type { Storage } from './storage/storage.ts'

/** How far the wall clock and the monotonic clock may differ before the service is asked again. */
const DRIFT_MS = 2_000
const KEY = 'clock'
/** A smaller change of the difference isn't stored. */
const NOTABLE_MS = 200
/** The `Date` of an answer is cut off after the second. */
const HALF_SECOND_MS = 500

/**
 * The service's time, independent of this machine's clocks: the wall clock may be changed, the monotonic one may stop
 * while the machine sleeps. Until the service says it again, the later of the two counts, so that nobody is shown time
 * that they don't have. After a restart without the service, the last known difference to the wall clock counts.
 */
export class ServerClock {
  /** Resolves once the last known difference has been read. */
  readonly ready: Promise<void>
  readonly #platform: Platform
  readonly #storage: Storage
  /** How far the service was ahead of the wall clock when that was last known. */
  #aheadMs = 0
  #server: number | undefined
  #wall = 0
  #steady = 0

  constructor(platform: Platform, storage: Storage) {
    this.#platform = platform
    this.#storage = storage
    this.ready = storage.get(KEY).then(
      (aheadMs) => {
        if (this.#server === undefined && typeof aheadMs === 'number') this.#aheadMs = aheadMs
      },
      () => {},
    )
  }

  /** `time`: the service's time in an answer; `askedAt`: the platform's clock at the request. */
  set(time: string | number, askedAt: number): void {
    this.#wall = this.#platform.now()
    this.#steady = this.#platform.steady()
    this.#server = new Date(time).getTime() + Math.max(0, this.#wall - askedAt) / 2
    const aheadMs = this.#server - this.#wall
    if (Math.abs(aheadMs - this.#aheadMs) < NOTABLE_MS) return
    this.#aheadMs = aheadMs
    void this.#storage.set(KEY, aheadMs).catch(() => {})
  }

  /** The `Date` of an answer is coarse, and may have been long on its way: it counts while nothing better is known. */
  hear({ headers }: Response): void {
    const date = Date.parse(headers.get('date') ?? '')
    if (this.isDoubtful && !Number.isNaN(date)) this.set(date + HALF_SECOND_MS, this.#platform.now())
  }

  /** Milliseconds since the epoch. */
  now(): number {
    if (this.#server === undefined) return this.#platform.now() + this.#aheadMs
    return this.#server + Math.max(this.#platform.now() - this.#wall, this.#platform.steady() - this.#steady)
  }

  /**
   * Milliseconds until a moment, at least 0; undefined: it seems to be past, but only the service knows, since a clock
   * of this machine was changed or stood still.
   */
  until(moment: number): number | undefined {
    const left = moment - this.now()
    if (left > 0) return left
    return this.isDoubtful ? undefined : 0
  }

  /** Whether the service has to say its time again. */
  get isDoubtful(): boolean {
    const drift = this.#platform.now() - this.#wall - (this.#platform.steady() - this.#steady)
    return this.#server === undefined || Math.abs(drift) > DRIFT_MS
  }
}
