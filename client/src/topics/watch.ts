import { atom, type ReadableAtom } from 'nanostores'
import type { ServerFrame } from '../generated/frames.ts'
import type { Client } from '../index.ts'
import { fullJitter } from '../socket/backoff.ts'
import { Disconnected, Refused } from '../socket/errors.ts'

export type Watched<T> =
  | { status: 'loading'; data: T | undefined }
  | { status: 'ready'; data: T }
  /** `code`: why the service refused it, such as `not_found`. */
  | { status: 'refused'; data: undefined; code: string }

export interface WatchOptions<T> {
  topic: string
  /** Reads all of it. */
  read(): Promise<{ data?: T | undefined; error?: { code: string } | undefined }>
  /**
   * The data after a frame: the same object if the frame is about something else, undefined if it has to be read
   * again.
   */
  apply(data: T, frame: ServerFrame): T | undefined
}

/** All other refusals end by themselves. */
const REFUSALS = ['not_found', 'forbidden', 'admin_required', 'exam_in_progress']

/** The watches of each topic: the last one to be closed unsubscribes. */
const watches = new WeakMap<Client, Map<string, Set<unknown>>>()

/**
 * Data of the service that is kept up to date. After each new connection it subscribes first and reads then, so that no
 * change is missed in between.
 */
export class Watch<T> {
  readonly #value = atom<Watched<T>>({ status: 'loading', data: undefined })
  readonly $value: ReadableAtom<Watched<T>> = this.#value
  readonly #client: Client
  readonly #options: WatchOptions<T>
  readonly #stops: (() => void)[]
  /** The watches of this topic, with this one. */
  readonly #others: Set<unknown>
  #isReading = false
  #readAgain = false
  #cancelRetry: (() => void) | undefined
  #attempt = 0
  #isClosed = false

  constructor(client: Client, options: WatchOptions<T>) {
    this.#client = client
    this.#options = options
    const topics = watches.get(client) ?? new Map<string, Set<unknown>>()
    watches.set(client, topics)
    this.#others = topics.get(options.topic) ?? new Set()
    topics.set(options.topic, this.#others.add(this))
    this.#stops = [
      client.live.listen((frame) => this.#take(frame)),
      client.platform.atEnd(() => this.close()),
    ]
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRetry?.()
    for (const stop of this.#stops) stop()
    const { topic } = this.#options
    this.#others.delete(this)
    if (this.#others.size > 0) return
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
    // A reading under way may be older than this frame.
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
      if (error instanceof Refused && REFUSALS.includes(error.code))
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
        else if (error && REFUSALS.includes(error.code))
          this.#value.set({ status: 'refused', data: undefined, code: error.code })
        else throw new Error(error?.code)
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
