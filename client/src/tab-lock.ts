import type { Locks } from './platform.ts'

/**
 * A lock that one tab at a time holds, for work that only one tab may do. A tab whose lock was taken by another one
 * waits for it again. Where locks are denied, as in a sandboxed frame, each tab has its own.
 */
export class TabLock {
  readonly #locks: Locks
  readonly #name: string
  readonly #change: (isOurs: boolean) => void
  #abort: AbortController | undefined

  /** `change` is called with true when this tab gets the lock, and with false when another tab has taken it. */
  constructor(locks: Locks, name: string, change: (isOurs: boolean) => void) {
    this.#locks = locks
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
    this.#locks
      .request(this.#name, steal ? { steal } : { signal }, async () => {
        if (signal.aborted) return
        this.#change(true)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      })
      .catch((error: unknown) => {
        if (signal.aborted) return
        // Anything but a loss to another tab: locks are denied here, and this tab works on its own.
        if ((error as Error).name !== 'AbortError') return this.#change(true)
        this.#change(false)
        this.wait()
      })
  }
}
