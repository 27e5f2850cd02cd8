/**
 * What the client needs of the machine that it runs on. It uses no global of a browser by itself: `web()`, `node()`
 * and `reactNative()` hand these over, and so can an app of its own.
 */
export interface Platform {
  fetch(request: Request): Promise<Response>
  openSocket(url: string, protocols: string[]): PlatformSocket
  /** Outlives the page or process, where the platform can. */
  store: Store
  /** Milliseconds since the epoch; may jump. */
  now(): number
  /** Milliseconds since whenever; only rises, but may stand still while the machine sleeps. */
  steady(): number
  /** From 0 up to 1. */
  random(): number
  uuid(): string
  /** Returns what cancels it. May run late: browsers hold timers of hidden pages back. */
  after(ms: number, run: () => void): () => void
  /** Over all tabs of the origin; without them each tab is on its own. */
  locks?: Locks | undefined
  openChannel?: ((name: string, take: (message: unknown) => void) => Channel) | undefined
  /** Sends a body and tells how many of its bytes have left; left out: that can't be told. */
  upload?:
    | ((request: Request, tell: (sent: number, total: number | undefined) => void) => Promise<Response>)
    | undefined
  /** Whether somebody may be looking; left out: always. */
  isVisible?: (() => boolean) | undefined
  /** Tells of the page's or app's life; returns what ends it. */
  watch?: ((tell: (event: LifeEvent) => void) => () => void) | undefined
}

/**
 * `wake`: visible again, in front, back online, or shown after a sleep: everything may have changed.
 * `hide`: out of sight; it may never come back. `leave`: about to be frozen or gone, so that whatever other tabs
 * wait for must be let go. `return`: shown again after a `leave`.
 */
export type LifeEvent = 'wake' | 'hide' | 'leave' | 'return'

/** The four methods of a durable store. Values are plain data that JSON can hold. */
export interface Store {
  get(key: string): Promise<unknown>
  /** Resolves once it is kept. */
  set(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
  /** Everything whose key begins with `prefix`, in the order of the keys. */
  list(prefix: string): Promise<[key: string, value: unknown][]>
}

export interface Locks {
  /**
   * Holds `name` while `work` is under way. `steal` takes it from whoever has it, whose own request then rejects;
   * `ifAvailable` hands `null` over where somebody has it; `signal` stops waiting for it.
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
  onopen: ((event: never) => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  onerror: ((event: never) => void) | null
  send(text: string): void
  close(code?: number): void
}
