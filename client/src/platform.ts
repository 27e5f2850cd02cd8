/**
 * What the client needs of the machine that it runs on. It never uses the globals of a browser by itself: `web()`,
 * `node()` and `reactNative()` pass them in, and an app can pass its own.
 */
export interface Platform {
  fetch(request: Request): Promise<Response>
  openSocket(url: string, protocols: string[]): PlatformSocket
  /** Durable storage, if the platform has it. */
  store: Store
  /** Milliseconds since the epoch; jumps when the clock is changed. */
  now(): number
  /** Milliseconds of a monotonic clock, which may stop while the machine sleeps. */
  steady(): number
  /** A random number from 0 up to 1. */
  random(): number
  uuid(): string
  /**
   * Runs something later, or after some weeks if that is later still; returns a function that cancels it. Browsers delay the
   * timers of hidden pages.
   */
  after(ms: number, run: () => void): () => void
  /** Locks across all tabs of the origin; without them each tab works on its own. */
  locks?: Locks | undefined
  openChannel?: ((name: string, take: (message: unknown) => void) => Channel) | undefined
  /** Sends a body and reports the progress; left out: without progress. */
  upload?: Upload | undefined
  /** Whether the page is visible; left out: always. */
  isVisible?: (() => boolean) | undefined
  /** Reports events of the page or app; returns a function that ends this. */
  watch?: ((tell: (event: LifeEvent) => void) => () => void) | undefined
}

/** `form`: the request's body where it is a form, because not every platform can read it from the request again. */
export type Upload = (
  request: Request,
  tell: (sent: number, total: number | undefined) => void,
  form?: FormData,
) => Promise<Response>

/**
 * `wake`: visible again, in front, back online, or awake after a sleep: everything may have changed. `hide`: hidden,
 * and perhaps never shown again. `leave`: about to be frozen or closed, so that locks must be released. `return`:
 * shown again after a `leave`.
 */
export type LifeEvent = 'wake' | 'hide' | 'leave' | 'return'

/** A durable store. Values are plain data that JSON can hold, and files: one that can't hold these loses what is sent with them. */
export interface Store {
  get(key: string): Promise<unknown>
  /** Resolves once the value is stored. */
  set(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
  /** All entries whose key begins with `prefix`, in the order of the keys. */
  list(prefix: string): Promise<[key: string, value: unknown][]>
  /**
   * Replaces a value by what `change` makes of it, in one step: nothing else is written to this key in between.
   * undefined deletes it; the same value leaves it. Left out: it is read and then written, which is right where one
   * process at a time has the store, such as on a phone.
   */
  update?: ((key: string, change: (stored: unknown) => unknown) => Promise<void>) | undefined
  /** What is stored is gone when the process ends. */
  isVolatile?: boolean | undefined
  /** Lets go of what is open; the next use opens it again. */
  close?: (() => void) | undefined
}

export interface Locks {
  /**
   * Holds the lock `name` while `work` runs. `steal` takes it from the holder, whose request then rejects;
   * `ifAvailable` calls `work` with `null` if the lock is held; `signal` ends the waiting.
   */
  request<T>(
    name: string,
    options: { steal?: boolean; ifAvailable?: boolean; signal?: AbortSignal },
    work: (lock: unknown) => Promise<T>,
  ): Promise<T>
}

export interface Channel {
  post(message: unknown): void
  close(): void
}

/** The part of a WebSocket that is used. */
export interface PlatformSocket {
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  onerror: ((event: never) => void) | null
  send(text: string): void
  close(code?: number): void
}
