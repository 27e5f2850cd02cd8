import type { Locks } from '../platform.ts'
import { Turn } from '../turn.ts'

/** Which of several tabs may write: the first, the next when that one is closed, or whoever takes over. */
export class Writer {
  readonly #isFree: () => Promise<boolean>
  readonly #change: (canWrite: boolean) => void
  readonly #turn: Turn | undefined
  #decided: () => void = () => {}

  constructor(locks: Locks | undefined, name: string, change: (canWrite: boolean) => void) {
    this.#change = (canWrite) => {
      change(canWrite)
      this.#decided()
    }
    this.#isFree = async () =>
      locks?.request(name, { ifAvailable: true }, async (lock) => lock !== null) ?? true
    this.#turn = locks && new Turn(locks, name, this.#change)
  }

  /** Becomes the writer now, if nobody is, or later. Resolves once it is known which. */
  async start(): Promise<void> {
    const isFree = await this.#isFree()
    if (!isFree) this.#change(false)
    const decided = isFree ? new Promise<void>((resolve) => (this.#decided = resolve)) : undefined
    this.wait()
    await decided
  }

  wait(): void {
    if (this.#turn) this.#turn.wait()
    else this.#change(true)
  }

  /** Becomes the writer; who was it can only read from then on. */
  takeOver(): void {
    this.#turn?.take()
  }

  close(): void {
    this.#turn?.leave()
  }
}
