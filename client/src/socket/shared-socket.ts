import { atom, type ReadableAtom } from 'nanostores'
import type { ServerClock } from '../clock.ts'
import type { Note } from '../diagnostics.ts'
import type { ClientFrame, ServerFrame, ServerFrames } from '../generated/frames.ts'
import type { Channel, Platform } from '../platform.ts'
import type { Owner, Session } from '../session/session.ts'
import { TabLock } from '../tab-lock.ts'
import { tryChannel } from '../tabs.ts'
import { Disconnected } from './errors.ts'
import { tellWhileSeen } from './seen.ts'
import { type PendingFrame, Socket, type SocketStatus } from './socket.ts'
import { settle, type TabMessage, toAnswer } from './tab-messages.ts'
import { judgeAfter } from './verdict.ts'

/** How often a visible follower asks whether the leader is alive, and how long the leader may take to answer. */
const PROBE_EVERY_MS = 5_000
const PROBE_MS = 2_000
/** How late the timer for the answer may be. */
const LATE_MS = 1_000

/**
 * One socket for all tabs. The tab that holds a lock leads: it has the socket and passes every frame on to the
 * others. If it is closed or crashes, the next tab gets the lock at once. If it is frozen, it holds the lock without
 * answering, and a visible tab takes the lock from it. Without locks each tab has its own socket.
 */
export class SharedSocket {
  readonly #status = atom<SocketStatus>('offline')
  readonly $status: ReadableAtom<SocketStatus> = this.#status
  readonly #leads = atom(false)
  /** Whether this tab has the socket. Work that must be done once for all tabs is done in this tab. */
  readonly $leads: ReadableAtom<boolean> = this.#leads
  readonly #platform: Platform
  readonly #note: Note
  readonly #session: Session
  readonly #clock: ServerClock
  readonly #name: string
  readonly #createSocket: (owner: Owner) => Socket
  readonly #listeners = new Set<(frame: ServerFrame) => void>()
  readonly #tab: string
  #isWanted = true
  #isAway = false
  #runsFor: Owner | undefined
  /** The lock of the leading tab. */
  #lock: TabLock | undefined
  #socket: Socket | undefined
  #channel: Channel | undefined
  #ready: ServerFrames['ready'] | undefined
  /** When it came, by the steady clock. */
  #readyAt = 0
  #asked = 0
  readonly #asks = new Map<number, PendingFrame>()
  /** The tabs that have subscribed to each topic. */
  readonly #topics = new Map<string, Set<string>>()
  #cancelProbe: (() => void) | undefined
  #cancelVerdict: (() => void) | undefined
  readonly #unwatch: (() => void)[] = []

  constructor(platform: Platform, baseUrl: string, session: Session, clock: ServerClock, note: Note) {
    this.#platform = platform
    this.#note = note
    this.#session = session
    this.#clock = clock
    this.#name = `exam-practice:${baseUrl}:socket:`
    this.#tab = platform.uuid()
    this.#createSocket = (owner) =>
      new Socket(platform, baseUrl, session, owner, note, {
        status: (status) => this.#tellStatus(status),
        frame: (frame) => this.#tellFrame(frame),
      })
    this.#unwatch.push(session.$user.subscribe(() => this.#decide()))
    const unwatch = platform.watch?.((event) => {
      if (event === 'leave' || event === 'return') {
        this.#isAway = event === 'leave'
        this.#decide()
      }
      if (event === 'wake') this.check()
    })
    if (unwatch) this.#unwatch.push(unwatch)
    this.#unwatch.push(tellWhileSeen(platform, this.#status, (frame) => this.post(frame)))
  }

  /** Calls `take` with each frame; with `ready` for each new connection, and at once if there is one already. */
  listen(take: (frame: ServerFrame) => void): () => void {
    this.#listeners.add(take)
    this.#decide()
    const ready = this.#readyNow()
    if (ready && this.#status.get() === 'online') take(ready)
    return () => {
      this.#listeners.delete(take)
      this.#decide()
    }
  }

  /** Closes this tab's part of the socket until `connect`; other tabs stay connected. */
  disconnect(): void {
    this.#isWanted = false
    this.#decide()
  }

  connect(): void {
    this.#isWanted = true
    this.#decide()
  }

  /** Checks whether the connection is alive, after the page or the network came back. */
  check(): void {
    if (this.#socket) this.#socket.check()
    else if (this.#runsFor !== undefined) this.#probe()
  }

  /** Rejects with `Refused`, or with `Disconnected` if no answer came. */
  request(frame: ClientFrame): Promise<ServerFrames['ack']> {
    if (this.#socket) return this.#ask(this.#tab, frame)
    if (!this.#channel) return Promise.reject(new Disconnected())
    return new Promise((resolve, reject) => {
      this.#asked += 1
      this.#asks.set(this.#asked, { resolve, reject })
      this.#tell({ kind: 'ask', from: this.#tab, id: this.#asked, frame })
    })
  }

  /** For frames that are useless later: without a connection they are dropped. */
  post(frame: ClientFrame): void {
    if (this.#socket) this.#socket.post(frame)
    else this.#tell({ kind: 'post', from: this.#tab, frame })
  }

  close(): void {
    for (const unwatch of this.#unwatch.splice(0)) unwatch()
    this.#listeners.clear()
    this.#decide()
  }

  #decide(): void {
    const owner =
      this.#isWanted && !this.#isAway && this.#listeners.size > 0 ? this.#session.owner() : undefined
    if (owner?.stay === this.#runsFor?.stay) return
    this.#end()
    if (owner) this.#begin(owner)
  }

  #begin(owner: Owner): void {
    this.#runsFor = owner
    // A tab whose store doesn't work is signed in by itself: another's socket would not send what it has.
    const name = this.#name + owner.stay
    const { locks } = this.#platform
    this.#channel = locks && tryChannel(this.#platform, name, (message) => this.#hear(message as TabMessage))
    if (!locks || !this.#channel) this.#lead()
    else {
      this.#follow()
      this.#lock = new TabLock(this.#platform, name, (isOurs) => {
        if (isOurs) this.#lead()
        else {
          this.#unlead()
          this.#follow()
        }
      })
      this.#lock.wait()
    }
  }

  #end(): void {
    this.#tell({ kind: 'bye', from: this.#tab })
    this.#runsFor = undefined
    this.#lock?.leave()
    this.#lock = undefined
    this.#stopProbing()
    this.#unlead()
    this.#channel?.close()
    this.#channel = undefined
    this.#loseAsks()
    this.#status.set('offline')
  }

  #lead(): void {
    if (!this.#runsFor) return
    this.#note('line.lead')
    this.#stopProbing()
    this.#loseAsks()
    this.#ready = undefined
    this.#socket = this.#createSocket(this.#runsFor)
    this.#leads.set(true)
    this.#socket.start()
  }

  #unlead(): void {
    const socket = this.#socket
    this.#socket = undefined
    this.#ready = undefined
    this.#topics.clear()
    socket?.stop()
    this.#leads.set(false)
  }

  #follow(): void {
    this.#status.set('connecting')
    this.#tell({ kind: 'hello' })
    this.#probe()
  }

  // --- as the leader

  #tellStatus(status: SocketStatus): void {
    if (status !== 'online') {
      this.#ready = undefined
      this.#topics.clear()
      this.#tell({ kind: 'status', status, ready: undefined, isNew: true })
    }
    if (this.#socket) this.#status.set(status)
  }

  #tellFrame(frame: ServerFrame): void {
    if (frame.type === 'ready') {
      this.#setReady(frame)
      this.#tell({ kind: 'status', status: 'online', ready: frame, isNew: true })
    } else this.#tell({ kind: 'frame', frame })
    this.#emit(frame)
  }

  async #ask(from: string, frame: ClientFrame): Promise<ServerFrames['ack']> {
    const socket = this.#socket
    if (!socket) throw new Disconnected()
    if (frame.type === 'subscribe') {
      const tabs = this.#topics.get(frame.topic) ?? new Set()
      this.#topics.set(frame.topic, tabs.add(from))
    }
    if (frame.type === 'unsubscribe') {
      this.#topics.get(frame.topic)?.delete(from)
      // Another tab is still subscribed.
      if (this.#topics.get(frame.topic)?.size) return { type: 'ack' }
      this.#topics.delete(frame.topic)
    }
    return socket.request(frame)
  }

  async #answer({ from, id, frame }: TabMessage & { kind: 'ask' }): Promise<void> {
    this.#tell({ kind: 'answer', to: from, id, answer: await toAnswer(this.#ask(from, frame)) })
  }

  #forget(tab: string): void {
    for (const [topic, tabs] of this.#topics)
      if (tabs.delete(tab) && tabs.size === 0) this.#socket?.post({ type: 'unsubscribe', topic })
  }

  // --- as a follower

  #hear(told: TabMessage): void {
    if (this.#socket) {
      if (told.kind === 'ask') void this.#answer(told)
      else if (told.kind === 'post') this.#socket.post(told.frame)
      else if (told.kind === 'bye') this.#forget(told.from)
      else if (told.kind === 'hello' || told.kind === 'probe')
        this.#tell({ kind: 'status', status: this.#status.get(), ready: this.#readyNow(), isNew: false })
      return
    }
    if (told.kind === 'status') {
      this.#cancelVerdict?.()
      this.#cancelVerdict = undefined
      if (!told.isNew && this.#status.get() === told.status) return
      this.#loseAsks()
      this.#setReady(told.ready)
      this.#status.set(told.status)
      if (told.ready) this.#emit(told.ready)
    } else if (told.kind === 'frame') {
      if (this.#status.get() === 'online') this.#emit(told.frame)
    } else if (told.kind === 'answer' && told.to === this.#tab) {
      const ask = this.#asks.get(told.id)
      this.#asks.delete(told.id)
      if (ask) settle(ask, told.answer)
    }
  }

  /** Takes the lock from a leader that doesn't answer in time. */
  #probe(): void {
    this.#cancelProbe?.()
    this.#cancelProbe = this.#platform.after(PROBE_EVERY_MS, () => this.#probe())
    if (this.#cancelVerdict || this.#platform.isVisible?.() === false) return
    this.#tell({ kind: 'probe' })
    this.#cancelVerdict = judgeAfter(this.#platform, PROBE_MS, LATE_MS, (isProof) => {
      this.#cancelVerdict = undefined
      if (this.#socket || !isProof) return
      this.#note('line.steal')
      this.#lock?.take()
    })
  }

  #stopProbing(): void {
    this.#cancelProbe?.()
    this.#cancelVerdict?.()
    this.#cancelProbe = this.#cancelVerdict = undefined
  }

  #loseAsks(): void {
    for (const { reject } of this.#asks.values()) reject(new Disconnected())
    this.#asks.clear()
  }

  #setReady(ready: ServerFrames['ready'] | undefined): void {
    this.#ready = ready
    this.#readyAt = this.#platform.steady()
  }

  /** The first frame of this connection, with the service's time as it is now. */
  #readyNow(): ServerFrames['ready'] | undefined {
    const passed = this.#platform.steady() - this.#readyAt
    return (
      this.#ready && {
        ...this.#ready,
        server_time: new Date(Date.parse(this.#ready.server_time) + passed).toISOString(),
      }
    )
  }

  #tell(told: TabMessage): void {
    this.#channel?.post(told)
  }

  #emit(frame: ServerFrame): void {
    if (frame.type === 'ready') this.#clock.set(frame.server_time, this.#platform.now())
    for (const take of [...this.#listeners]) take(frame)
  }
}
