import type { Locks } from '../platform.ts'
import { TabLock } from '../tab-lock.ts'

/** Decides which of several tabs may write: the first one; after it the next one, or one that takes over. */
export class WritingTab {
  readonly #isFree: () => Promise<boolean>
  readonly #change: (canWrite: boolean) => void
  readonly #lock: TabLock | undefined
  #decided: () => void = () => {}

  constructor(locks: Locks | undefined, name: string, change: (canWrite: boolean) => void) {
    this.#change = (canWrite) => {
      change(canWrite)
      this.#decided()
    }
    this.#isFree = async () =>
      locks?.request(name, { ifAvailable: true }, async (lock) => lock !== null) ?? true
    this.#lock = locks && new TabLock(locks, name, this.#change)
  }

  /** Becomes the writer as soon as no other tab is. Resolves once it is known whether that is now. */
  async start(): Promise<void> {
    const isFree = await this.#isFree()
    if (!isFree) this.#change(false)
    const decided = isFree ? new Promise<void>((resolve) => (this.#decided = resolve)) : undefined
    this.wait()
    await decided
  }

  wait(): void {
    if (this.#lock) this.#lock.wait()
    else this.#change(true)
  }

  /** Becomes the writer; the tab that was the writer can only read from then on. */
  takeOver(): void {
    this.#lock?.take()
  }

  close(): void {
    this.#lock?.leave()
  }
}
