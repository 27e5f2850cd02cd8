import { atom, type ReadableAtom } from 'nanostores'
import type { ServerFrame } from '../generated/frames.ts'
import type { Client } from '../index.ts'
import { fullJitter } from './backoff.ts'
import { Disconnected, Refused } from './errors.ts'

export type Watched<T> =
  | { status: 'loading'; data: T | undefined }
  | { status: 'ready'; data: T }
  /** It isn't there, or isn't for this person: a code of the service. */
  | { status: 'refused'; data: undefined; code: string }

export interface WatchOptions<T> {
  topic: string
  /** The whole of it. */
  read(): Promise<{ data?: T | undefined; error?: { code: string } | undefined }>
  /** What a frame makes of it; undefined: it has to be read again; the same: the frame is about something else. */
  apply(data: T, frame: ServerFrame): T | undefined
}

/**
 * Something of the service's that is followed: subscribed to, then read, so that nothing falls in between; after each
 * new connection both again.
 */
export class Watch<T> {
  readonly $value: ReadableAtom<Watched<T>>
  readonly #value = atom<Watched<T>>({ status: 'loading', data: undefined })
  readonly #client: Client
  readonly #options: WatchOptions<T>
  readonly #unlisten: () => void
  #isReading = false
  #readAgain = false
  #cancelRetry: (() => void) | undefined
  #attempt = 0
  #isClosed = false

  constructor(client: Client, options: WatchOptions<T>) {
    this.$value = this.#value
    this.#client = client
    this.#options = options
    this.#unlisten = client.live.listen((frame) => this.#take(frame))
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRetry?.()
    this.#unlisten()
    const { topic } = this.#options
    void this.#client.live.request({ type: 'unsubscribe', topic }).catch(() => {})
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'ready' || frame.type === 'resync') {
      void this.#subscribe()
      return
    }
    const { data, status } = this.#value.get()
    if (data === undefined || status === 'refused') {
      this.#readAgain = true
      return
    }
    const applied = this.#options.apply(data, frame)
    if (applied === data) return
    // What is being read may be older than this.
    this.#readAgain = true
    if (applied !== undefined) this.#value.set({ status: 'ready', data: applied })
    else void this.#read()
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#client.live.request({ type: 'subscribe', topic: this.#options.topic })
      await this.#read()
    } catch (error) {
      // The next connection subscribes again.
      if (error instanceof Disconnected) return
      if (error instanceof Refused && (error.code === 'not_found' || error.code === 'forbidden'))
        this.#value.set({ status: 'refused', data: undefined, code: error.code })
      else this.#retry(() => void this.#subscribe())
    }
  }

  async #read(): Promise<void> {
    this.#readAgain = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#readAgain && !this.#isClosed) {
        this.#readAgain = false
        const { data, error } = await this.#options.read()
        if (this.#isClosed) return
        if (data !== undefined) this.#value.set({ status: 'ready', data })
        else if (error) this.#value.set({ status: 'refused', data: undefined, code: error.code })
      }
      this.#attempt = 0
    } catch {
      this.#retry(() => void this.#read())
    } finally {
      this.#isReading = false
    }
  }

  #retry(again: () => void): void {
    this.#attempt += 1
    this.#cancelRetry?.()
    if (!this.#isClosed)
      this.#cancelRetry = this.#client.platform.after(fullJitter(this.#client.platform, this.#attempt), again)
  }
}
