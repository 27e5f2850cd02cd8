import type { Platform } from './platform.ts'

/** How soon it is tried again after a request that failed by itself. */
const AGAIN_MS = 1_000

/**
 * A lock that one tab at a time holds, for work that only one tab may do. A tab whose lock was taken by another one
 * waits for it again. Where locks are denied, as in a sandboxed frame, each tab has its own.
 */
export class TabLock {
  readonly #platform: Platform
  readonly #name: string
  readonly #change: (isOurs: boolean) => void
  #abort: AbortController | undefined

  /** `change` is called with true when this tab gets the lock, and with false when another tab has taken it. */
  constructor(platform: Platform, name: string, change: (isOurs: boolean) => void) {
    this.#platform = platform
    this.#name = name
    this.#change = change
  }

  wait(): void {
    this.#request(false)
  }

  /** Takes the lock from the tab that holds it. */
  take(): void {
    this.#request(true)
  }

  /** Releases the lock, or stops waiting for it. */
  leave(): void {
    this.#abort?.abort()
  }

  #request(steal: boolean): void {
    this.leave()
    this.#abort = new AbortController()
    const { signal } = this.#abort
    const { locks, after } = this.#platform
    locks
      ?.request(this.#name, steal ? { steal } : { signal }, async () => {
        if (signal.aborted) return
        this.#change(true)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      })
      .catch(({ name }: Error) => {
        if (signal.aborted) return
        if (name === 'SecurityError') return this.#change(true)
        // Lost to another tab, or refused for the moment, such as in a page that is being left.
        this.#change(false)
        if (name === 'AbortError') this.wait()
        else after(AGAIN_MS, () => signal.aborted || this.wait())
      })
  }
}
