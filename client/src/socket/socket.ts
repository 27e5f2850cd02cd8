import type { Note } from '../diagnostics.ts'
import type { ClientFrame, ServerFrame, ServerFrames } from '../generated/frames.ts'
import { send, withToken } from '../http/request.ts'
import type { Platform, PlatformSocket } from '../platform.ts'
import type { Owner, Session } from '../session/session.ts'
import { fullJitter } from './backoff.ts'
import { Disconnected, Refused } from './errors.ts'
import { judgeAfter } from './verdict.ts'

const PROTOCOL = 'exam-practice.v1'
/** After a connection that lasted this long, the next failure starts with the shortest pause again. */
const STABLE_MS = 10_000
const OPENING_MS = 10_000
const PONG_MS = 5_000
/** How late the timer for a pong may be. */
const LATE_MS = 2_000
const SLOW_DOWN_MS = 10_000

const TOKEN_ENDED = 4001
const MALFORMED = 4002
const TOO_MANY_FRAMES = 4029

export type SocketStatus = 'offline' | 'connecting' | 'online'

export interface SocketEvents {
  status(status: SocketStatus): void
  /** A frame that is not the answer to a request; `ready` is the first one of each connection. */
  frame(frame: ServerFrame): void
}

/** A request that waits for its answer. */
export interface PendingFrame {
  resolve(ack: ServerFrames['ack']): void
  reject(error: Error): void
}

/**
 * One WebSocket that reconnects by itself until it is stopped.
 *
 * Browsers delay the timers of hidden pages, and phones report a close an hour late. So a connection only counts as
 * dead when a ping stays unanswered and the timer that waited for the answer was on time. Frames of a connection that
 * was given up are ignored.
 */
export class Socket {
  readonly #platform: Platform
  readonly #url: string
  readonly #session: Session
  readonly #owner: Owner
  readonly #note: Note
  readonly #events: SocketEvents
  #wanted = false
  #socket: PlatformSocket | undefined
  /** The token of the connection. */
  #token: string | undefined
  #isOpen = false
  #openedAt = 0
  #attempt = 0
  /** The number of the latest try to connect; events of earlier ones are ignored. */
  #try = 0
  #lastFrameAt = 0
  #heartbeat = 25_000
  #cancelWait: (() => void) | undefined
  #cancelWatch: (() => void) | undefined
  #cancelPing: (() => void) | undefined
  #refs = 0
  readonly #pending = new Map<string, PendingFrame>()

  constructor(
    platform: Platform,
    baseUrl: string,
    session: Session,
    owner: Owner,
    note: Note,
    events: SocketEvents,
  ) {
    this.#platform = platform
    this.#url = `${baseUrl.replace(/^http/, 'ws')}/api/v01/ws`
    this.#session = session
    this.#owner = owner
    this.#note = note
    this.#events = events
  }

  start(): void {
    if (this.#wanted) return
    this.#wanted = true
    this.#attempt = 0
    void this.#connect()
  }

  /** Closes the connection until `start`. */
  stop(): void {
    this.#wanted = false
    this.#try++
    this.#letGo()
    this.#events.status('offline')
  }

  /** To be called when the page is shown again, or the network is back. */
  check(): void {
    if (!this.#wanted) return
    if (this.#cancelWait) void this.#connect()
    else if (this.#isOpen) void this.#checkOpen()
  }

  /** Rejects with `Refused`, or with `Disconnected` if no answer came. */
  request(frame: ClientFrame): Promise<ServerFrames['ack']> {
    return new Promise((resolve, reject) => {
      this.#refs += 1
      const ref = `${this.#refs}`
      if (!this.post({ ...frame, ref })) reject(new Disconnected())
      else this.#pending.set(ref, { resolve, reject })
    })
  }

  /** False if there is no connection. */
  post(frame: ClientFrame): boolean {
    if (!this.#isOpen) return false
    this.#socket?.send(JSON.stringify(frame))
    return true
  }

  async #connect(): Promise<void> {
    this.#try += 1
    const latest = this.#try
    this.#letGo()
    this.#events.status('connecting')
    const token = await this.#session.token(this.#owner).catch(() => null)
    if (latest !== this.#try) return
    if (token === null) return this.#wait()
    // Nobody is signed in. Listeners that have just begun have to hear that, too.
    if (token === undefined) return this.#events.status('offline')

    this.#note('socket.open')
    this.#token = token
    const socket = this.#platform.openSocket(this.#url, [PROTOCOL, `bearer.${token}`])
    this.#socket = socket
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)))
    socket.onclose = ({ code }) => void this.#closed(code)
    socket.onerror = () => {}
    this.#cancelWatch = this.#platform.after(OPENING_MS, () => void this.#closed(0))
  }

  #take(frame: ServerFrame): void {
    this.#lastFrameAt = this.#platform.now()
    this.#cancelPing?.()
    this.#cancelPing = undefined
    switch (frame.type) {
      case 'ready':
        this.#isOpen = true
        this.#openedAt = this.#lastFrameAt
        this.#heartbeat = frame.heartbeat_seconds * 1_000
        this.#cancelWatch?.()
        this.#watch()
        this.#note('socket.ready')
        this.#events.status('online')
        this.#events.frame(frame)
        return
      case 'ack':
      case 'error': {
        const pending = this.#pending.get(frame.ref ?? '')
        this.#pending.delete(frame.ref ?? '')
        if (frame.type === 'ack') pending?.resolve(frame)
        else if (pending) pending.reject(new Refused(frame))
        else this.#note('socket.error', frame.code)
        return
      }
      case 'auth_expiring':
        void this.#renew(this.#token)
        return
      case 'pong':
        return
      default:
        this.#events.frame(frame)
    }
  }

  /** Sends a ping after a while without frames: the service's own pings are invisible to scripts. */
  #watch(): void {
    const left = this.#lastFrameAt + this.#heartbeat - this.#platform.now()
    if (left <= 0 || left > this.#heartbeat) this.#ping()
    this.#cancelWatch = this.#platform.after(
      left > 0 ? Math.min(left, this.#heartbeat) : this.#heartbeat,
      () => this.#watch(),
    )
  }

  async #checkOpen(): Promise<void> {
    const latest = this.#try
    // First the token: it may have expired while this machine slept.
    const token = await this.#session.token(this.#owner).catch(() => undefined)
    if (latest !== this.#try || !this.#isOpen) return
    if (token !== undefined && token !== this.#token) void this.#renew()
    this.#ping()
  }

  async #renew(spent?: string): Promise<void> {
    const latest = this.#try
    const token = await this.#session.token(this.#owner, spent).catch(() => undefined)
    if (token === undefined || latest !== this.#try) return
    this.#token = token
    await this.request({ type: 'auth', access_token: token }).catch(() => this.#note('socket.not_renewed'))
  }

  #ping(): void {
    if (this.#cancelPing || !this.post({ type: 'ping' })) return
    this.#cancelPing = judgeAfter(this.#platform, PONG_MS, LATE_MS, (isProof) => {
      this.#cancelPing = undefined
      if (!isProof) return this.#ping()
      this.#note('socket.dead')
      void this.#closed(0)
    })
  }

  /** `code` 0: this side gave up. */
  async #closed(code: number): Promise<void> {
    const wasOpen = this.#isOpen
    const token = this.#token
    this.#note('socket.closed', code)
    this.#attempt =
      wasOpen && this.#platform.now() - this.#openedAt > STABLE_MS ? 0 : Math.min(this.#attempt + 1, 16)
    this.#try += 1
    const latest = this.#try
    this.#letGo()
    this.#events.status('connecting')
    if (code === MALFORMED) {
      // An error in this program: reconnecting would only repeat it.
      this.#wanted = false
      return this.#events.status('offline')
    }
    // A refused upgrade looks like a broken network; an ordinary request tells the difference.
    if (code === TOKEN_ENDED || (!wasOpen && token !== undefined && (await this.#isRefused(token))))
      await this.#session.token(this.#owner, token).catch(() => {})
    if (latest === this.#try) this.#wait(code === TOO_MANY_FRAMES ? SLOW_DOWN_MS : 0)
  }

  async #isRefused(token: string): Promise<boolean> {
    const url = this.#url.replace(/^ws/, 'http').replace(/ws$/, 'auth/me')
    return send(this.#platform, withToken(new Request(url), token), OPENING_MS).then(
      ({ status }) => status === 401,
      () => false,
    )
  }

  #wait(atLeast = 0): void {
    if (!this.#wanted) return
    const ms = atLeast + fullJitter(this.#platform, this.#attempt)
    this.#cancelWait = this.#platform.after(ms, () => void this.#connect())
  }

  #letGo(): void {
    for (const cancel of [this.#cancelWait, this.#cancelWatch, this.#cancelPing]) cancel?.()
    this.#cancelWait = this.#cancelWatch = this.#cancelPing = undefined
    this.#isOpen = false
    const socket = this.#socket
    this.#socket = undefined
    if (socket) {
      socket.onmessage = socket.onclose = null
      socket.close()
    }
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(new Disconnected())
  }
}
