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
/** How long a peer may take to answer a close before it is dropped. */
const CLOSE_TIMEOUT_MS = 1_000

/** What a frame about a conversation's history carries beside its bytes. */
interface HeldFrame {
  version: number
  frame: Buffer
}

/**
 * One socket: the only place that writes to it. Frames that are queued within one turn of the event loop
 * leave in one write.
 */
export class Connection {
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly topics: SocketTopics
  claims: Claims
  /** When the peer last showed life, in the hub's milliseconds. */
  lastSeen: number
  /** Frames wait here until `begin`, so that `ready` is the first. */
  #beforeReady: Buffer[] | undefined = []
  /** What leaves at the end of this turn of the event loop: mostly one frame, and only further ones take a list. */
  #first: Buffer | undefined
  readonly #further: Buffer[] = []
  #queuedBytes = 0
  /** Conversations that are being resumed: newer frames about them wait for the older ones. */
  readonly #held = new Map<number, HeldFrame[]>()

  constructor(bus: Bus, socket: WebSocket, tcp: Socket, claims: Claims, now: number) {
    this.topics = new SocketTopics(bus, claims.userId, (frame) => this.write(frame))
    this.#socket = socket
    this.#tcp = tcp
    this.claims = claims
    this.lastSeen = now
  }

  /** Sends `ready`, and then whatever came up while it was being prepared. */
  begin(ready: ServerFrame): void {
    const waiting = this.#beforeReady ?? []
    this.#beforeReady = undefined
    this.send(ready)
    for (const frame of waiting) this.write(frame)
  }

  send(frame: ServerFrame): void {
    this.write(encodeFrame(frame))
  }

  /** Queues bytes that `encodeFrame` made. */
  write(frame: Buffer): void {
    if (this.#beforeReady) {
      this.#beforeReady.push(frame)
      return
    }
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#queuedBytes += frame.length
    if (this.#queuedBytes + this.#tcp.writableLength > OUTBOUND_LIMIT) {
      this.close('tooSlow')
      return
    }
    if (this.#first) this.#further.push(frame)
    else {
      this.#first = frame
      flushSoon(this)
    }
  }

  /** A change of a conversation's history, which waits while an earlier part of it is being resumed. */
  writeChange(conversationId: number, version: number, frame: Buffer): void {
    const held = this.#held.get(conversationId)
    if (held) held.push({ version, frame })
    else this.write(frame)
  }

  hold(conversationId: number): void {
    this.#held.set(conversationId, [])
  }

  /** Lets go of what was held, save what the resume itself has sent by now. */
  release(conversationId: number, sentVersion: number): void {
    const held = this.#held.get(conversationId) ?? []
    this.#held.delete(conversationId)
    for (const { version, frame } of held) if (version > sentVersion) this.write(frame)
  }

  flush(): void {
    const first = this.#first
    if (!first) return
    const bytes =
      this.#further.length === 0 ? first : Buffer.concat([first, ...this.#further], this.#queuedBytes)
    this.#discardQueue()
    if (this.#socket.readyState === this.#socket.OPEN) this.#tcp.write(bytes)
  }

  #discardQueue(): void {
    this.#first = undefined
    if (this.#further.length > 0) this.#further.length = 0
    this.#queuedBytes = 0
  }

  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  close(reason: CloseReason): void {
    if (this.#socket.readyState === this.#socket.OPEN) {
      const [code, text] = CLOSE[reason]
      // What is queued leaves before the close, save for somebody who doesn't read anyway.
      if (reason === 'tooSlow') this.#discardQueue()
      this.flush()
      this.#socket.close(code, text)
    }
    // Also for a peer that began to close and never ended.
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref()
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

const unflushed: Connection[] = []

function flushSoon(connection: Connection): void {
  if (unflushed.push(connection) === 1) setImmediate(flushAll)
}

function flushAll(): void {
  for (const connection of unflushed.splice(0)) connection.flush()
}
