import type { Locks } from './platform.ts'

/**
 * One tab's place in the line for what only one tab at a time may do. Where it is taken away (`take` by another),
 * this tab goes back to the end of the line.
 */
export class Turn {
  readonly #locks: Locks
  readonly #name: string
  readonly #change: (isOurs: boolean) => void
  #abort: AbortController | undefined

  /** `change` is told true when the turn is this tab's, and false when it was taken away. */
  constructor(locks: Locks, name: string, change: (isOurs: boolean) => void) {
    this.#locks = locks
    this.#name = name
    this.#change = change
  }

  wait(): void {
    this.#request(false)
  }

  /** Takes it now, from whoever has it. */
  take(): void {
    this.#request(true)
  }

  /** Lets go of it, or of its place in the line. */
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
      .catch(() => {
        if (signal.aborted) return
        this.#change(false)
        this.wait()
      })
  }
}
