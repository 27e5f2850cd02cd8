import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { ServerFrame } from '../../schemas/events.ts'
import type { Bus } from '../bus/bus.ts'
import type { Claims } from '../tokens.ts'
import { CLOSE, type CloseReason } from './close-codes.ts'
import { encodeFrame } from './frame.ts'
import { SocketTopics } from './topics.ts'

/** Bytes that may wait for a slow reader before it is cut off and has to resume (realtime.md, promise 4). */
const OUTBOUND_LIMIT = 1024 * 1024
/** Bytes that leave in one write; what waits behind them can still be replaced or dropped. */
const WRITE_SIZE = 64 * 1024
/** How long a peer may take to answer a close before it is dropped. */
const CLOSE_TIMEOUT_MS = 1_000
/** The same for one that was too slow: it has what is on its way to read before it comes to the close. */
const SLOW_CLOSE_TIMEOUT_MS = 30_000

/** What a frame about a conversation's history carries beside its bytes. */
interface HeldFrame {
  version: number
  frame: Buffer
}

/**
 * One socket: the only place that writes to it. Frames that are queued within one turn of the event loop
 * leave in one write; while the peer reads more slowly than that, they wait here.
 */
export class Connection {
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly topics: SocketTopics
  claims: Claims
  /** When the peer last showed life, in the hub's milliseconds. */
  lastSeen: number
  /** The end of the token whose end the peer was told of. */
  #toldExpiry = 0
  #begun = false
  #queue: Buffer[] = []
  /** The newest frame of each kind that only matters while it is new, behind `#queue`. */
  #latest = new Map<string, Buffer>()
  /** Conversations that are being resumed: newer frames about them wait for the older ones. */
  readonly #held = new Map<number, HeldFrame[]>()
  /** Bytes in all three. */
  #waitingBytes = 0
  /** Those who wait for the peer to have read. */
  #onDrained: (() => void)[] = []

  constructor(bus: Bus, socket: WebSocket, tcp: Socket, claims: Claims, now: number) {
    this.topics = new SocketTopics(bus, claims.userId, (frame) => this.write(frame))
    this.#socket = socket
    this.#tcp = tcp
    this.claims = claims
    this.lastSeen = now
    tcp.on('drain', () => this.flush())
    tcp.on('close', () => this.#drop())
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Nothing waits: what comes now has to be flushed; later frames leave with it, or once the peer has read. */
  get #isIdle(): boolean {
    return this.#queue.length === 0 && this.#latest.size === 0
  }

  /** Sends `ready`, and then whatever came up while it was being prepared. */
  begin(ready: ServerFrame): void {
    const frame = encodeFrame(ready)
    if (!this.#makeRoom(frame.length)) return
    this.#queue.unshift(frame)
    this.#begun = true
    flushSoon(this)
  }

  send(frame: ServerFrame): void {
    this.write(encodeFrame(frame))
  }

  /** Queues bytes that `encodeFrame` made. */
  write(frame: Buffer): void {
    if (!this.#makeRoom(frame.length)) return
    if (this.#isIdle) flushSoon(this)
    this.#queue.push(frame)
  }

  /** Queues a frame that a newer one with the same key makes pointless: a slow reader gets the newest alone. */
  writeLatest(key: string, frame: Buffer): void {
    const older = this.#latest.get(key)
    if (!this.#makeRoom(frame.length - (older?.length ?? 0))) return
    if (this.#isIdle) flushSoon(this)
    this.#latest.delete(key)
    this.#latest.set(key, frame)
  }

  /** A change of a conversation, which waits while an earlier part of its history is being resumed. */
  writeChange(conversationId: number, version: number, frame: Buffer): void {
    const held = this.#held.get(conversationId)
    if (!held) this.write(frame)
    else if (this.#makeRoom(frame.length)) held.push({ version, frame })
  }

  hold(conversationId: number): void {
    this.#held.set(conversationId, [])
  }

  /** Lets go of what was held, save what the resume itself has sent by now. */
  release(conversationId: number, sentVersion: number): void {
    const held = this.#held.get(conversationId) ?? []
    this.#held.delete(conversationId)
    for (const { version, frame } of held) {
      this.#waitingBytes -= frame.length
      if (version > sentVersion) this.write(frame)
    }
  }

  /** Resolves when the peer has read most of what was sent, or is gone: more can follow without piling up. */
  async drained(): Promise<void> {
    if (!this.#isOpen || this.#queue.length === 0) return
    await new Promise<void>((resolve) => this.#onDrained.push(resolve))
  }

  /** Hands over as much as the peer keeps up with; the rest follows when it has. */
  flush(): void {
    if (!this.#begun || !this.#isOpen) return
    while (!this.#tcp.writableNeedDrain && !this.#isIdle) this.#tcp.write(this.#takeWrite())
    if (this.#queue.length === 0) for (const resume of this.#onDrained.splice(0)) resume()
  }

  /** Says, once per token, that it is about to end. `now` is in seconds since the epoch. */
  warnOfExpiry(now: number): void {
    const { expiresAt } = this.claims
    if (this.#toldExpiry === expiresAt) return
    this.#toldExpiry = expiresAt
    this.send({ type: 'auth_expiring', expires_in: Math.ceil(expiresAt - now) })
  }

  ping(): void {
    if (this.#isOpen) this.#socket.ping()
  }

  close(reason: CloseReason): void {
    if (this.#isOpen) {
      const [code, text] = CLOSE[reason]
      // What is queued leaves before the close, save for somebody who doesn't read anyway.
      if (reason !== 'tooSlow' && this.#begun) this.#tcp.write(Buffer.concat(this.#queue))
      this.#socket.close(code, text)
      this.#drop()
    }
    // Also for a peer that began to close and never ended.
    const timeout = reason === 'tooSlow' ? SLOW_CLOSE_TIMEOUT_MS : CLOSE_TIMEOUT_MS
    setTimeout(() => this.terminate(), timeout).unref()
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /** False if the socket is over, or has to be because of this. */
  #makeRoom(bytes: number): boolean {
    if (!this.#isOpen) return false
    this.#waitingBytes += bytes
    if (this.#waitingBytes + this.#tcp.writableLength <= OUTBOUND_LIMIT) return true
    this.close('tooSlow')
    return false
  }

  /** Takes what one write holds off the queue, at least one frame; what matters only while new goes last. */
  #takeWrite(): Buffer {
    const [first] = this.#queue
    if (first && this.#queue.length === 1 && this.#latest.size === 0) {
      // As it mostly is.
      this.#queue.length = 0
      this.#waitingBytes -= first.length
      return first
    }
    let bytes = 0
    let count = 0
    while (count < this.#queue.length && bytes < WRITE_SIZE) bytes += this.#queue[count++]?.length ?? 0
    const frames = this.#queue.splice(0, count)
    if (this.#queue.length === 0)
      for (const [key, frame] of this.#latest) {
        if (bytes >= WRITE_SIZE) break
        this.#latest.delete(key)
        frames.push(frame)
        bytes += frame.length
      }
    this.#waitingBytes -= bytes
    return Buffer.concat(frames, bytes)
  }

  #drop(): void {
    this.#queue = []
    this.#latest.clear()
    this.#held.clear()
    this.#waitingBytes = 0
    for (const resume of this.#onDrained.splice(0)) resume()
  }
}

const unflushed: Connection[] = []

function flushSoon(connection: Connection): void {
  if (unflushed.push(connection) === 1) setImmediate(flushAll)
}

function flushAll(): void {
  for (const connection of unflushed.splice(0)) connection.flush()
}
