import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { CLOSE, type CloseReason } from '../../schemas/close-codes.ts'
import type { ServerFrame } from '../../schemas/events.schemas.ts'
import type { Language } from '../../schemas/languages.ts'
import type { Core } from '../core.ts'
import { type Asker, personAsking } from '../scheduling/fair-queue.ts'
import { gateway as measured } from '../telemetry/metrics.ts'
import type { Claims } from '../tokens/tokens.ts'
import { encodeFrame, MergedFrames, typeOfFrame } from './frame.ts'
import { SocketTopics } from './topics.ts'

/**
 * Bytes that may wait for a slow reader before it is cut off and has to resume
 * (docs/protocol/realtime.md#limits).
 */
const OUTBOUND_LIMIT = 1024 * 1024
/** Bytes of one write; frames behind it can still be replaced or dropped. */
const WRITE_SIZE = 64 * 1024
/** The longest that connections are written to before everything else has its turn. */
const FLUSH_MS = 20
/** How long a peer may take to answer a close before it is dropped. */
const CLOSE_TIMEOUT_MS = 1_000
/** How long a slow peer may take to answer a close: it first has to read what is on its way. */
const SLOW_CLOSE_TIMEOUT_MS = 30_000

/** A frame about a conversation that waits. */
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
  #topics: SocketTopics | undefined
  readonly #core: Pick<Core, 'bus' | 'tallies'>
  claims: Claims
  /** What its upgrade asked for; the account's own goes before it. */
  readonly language: Language
  /** When the peer last sent anything, by `Sockets.now()`. */
  lastSeen: number
  /** The expiry of the token for which the peer was warned. */
  #toldExpiry = 0
  #begun = false
  #queue: Buffer[] = []
  // The next two are created when they are first needed: most sockets are idle.
  /** Frames by kind, of which only the newest one is kept. They are sent after `#queue`. */
  #latest: Map<string, Buffer> | undefined
  /** Conversations that are being resumed: newer frames about them wait for the older ones. */
  #held: Map<number, HeldFrame[]> | undefined
  /** Bytes of all waiting frames. */
  #waitingBytes = 0
  /** Ends the socket if the peer doesn't answer the close. */
  #ending: { timeoutMs: number; timer: NodeJS.Timeout } | undefined
  /** Callers that wait until the peer has read. */
  #onDrained: (() => void)[] | undefined
  /** Types of frames that the peer must not see now. */
  #withheld: ReadonlySet<string> | undefined
  /** How often withholding has begun. If it changes while something is sent, a part may have been withheld. */
  withholdings = 0

  constructor(
    core: Pick<Core, 'bus' | 'tallies'>,
    socket: WebSocket,
    tcp: Socket,
    claims: Claims,
    language: Language,
    now: number,
  ) {
    this.#core = core
    this.#socket = socket
    this.#tcp = tcp
    this.claims = claims
    this.language = language
    this.lastSeen = now
    tcp.on('drain', () => flushTogether([this]))
    tcp.on('close', () => {
      clearTimeout(this.#ending?.timer)
      this.#drop()
    })
  }

  get asker(): Asker {
    return personAsking(this.claims.userId, this.#tcp)
  }

  /** The topics that it has subscribed to. */
  get topics(): SocketTopics {
    this.#topics ??= new SocketTopics(this.#core, this)
    return this.#topics
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Whether nothing waits, so that the next frame has to start a flush; later ones are sent with it. */
  get #isIdle(): boolean {
    return this.#queue.length === 0 && !this.#latest?.size
  }

  /** Sends `ready` and the frames that belong to it, then all frames that were queued before. */
  begin(...first: ServerFrame[]): void {
    const frames = first.map(encodeFrame)
    if (!this.#makeRoom(frames.reduce((sum, { length }) => sum + length, 0))) return
    this.#queue.unshift(...frames)
    this.#begun = true
    flushSoon(this)
  }

  send(frame: ServerFrame): void {
    this.write(encodeFrame(frame))
  }

  get isWithholding(): boolean {
    return this.#withheld !== undefined
  }

  /** Drops frames of these types from now on, including those that wait; undefined: none. */
  withhold(types: ReadonlySet<string> | undefined): void {
    if (types && !this.#withheld) this.withholdings += 1
    this.#withheld = types
    if (!types) return
    this.#queue = this.#queue.filter((frame) => this.#keeps(frame))
    for (const [key, frame] of this.#latest ?? []) if (!this.#keeps(frame)) this.#latest?.delete(key)
  }

  /** Queues bytes that `encodeFrame` made. */
  write(frame: Buffer): void {
    if (this.#isWithheld(frame) || !this.#makeRoom(frame.length)) return
    if (this.#isIdle) flushSoon(this)
    this.#queue.push(frame)
  }

  /** Queues a frame that replaces an older one with the same key: a slow reader only gets the newest. */
  writeLatest(key: string, frame: Buffer): void {
    if (this.#isWithheld(frame)) return
    this.#latest ??= new Map()
    const latest = this.#latest
    const older = latest.get(key)
    if (!this.#makeRoom(frame.length - (older?.length ?? 0))) return
    if (this.#isIdle) flushSoon(this)
    latest.delete(key)
    latest.set(key, frame)
  }

  /** Queues a change of a conversation; it waits while older changes are being sent by a resume. */
  writeChange(conversationId: number, version: number, frame: Buffer): void {
    const held = this.#held?.get(conversationId)
    if (!held) this.write(frame)
    else if (!this.#isWithheld(frame) && this.#makeRoom(frame.length)) held.push({ version, frame })
  }

  hold(conversationId: number): void {
    this.#held ??= new Map()
    this.#held.set(conversationId, [])
  }

  /** Sends the changes that have waited, except those that the resume has sent. */
  release(conversationId: number, sentVersion: number): void {
    const held = this.#held?.get(conversationId) ?? []
    this.#held?.delete(conversationId)
    for (const { version, frame } of held) {
      this.#waitingBytes -= frame.length
      if (version > sentVersion) this.write(frame)
    }
  }

  /** Resolves when the peer has read most of what was sent, or the socket has ended. */
  async drained(): Promise<void> {
    if (!this.#isOpen || this.#queue.length === 0) return
    this.#onDrained ??= []
    const waiting = this.#onDrained
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** Writes as much as the peer can read; the rest follows later. */
  flush(merged: MergedFrames): void {
    if (!this.#begun || !this.#isOpen) return
    while (!this.#tcp.writableNeedDrain && !this.#isIdle) {
      this.#tcp.write(this.#takeWrite(merged))
    }
    if (this.#queue.length === 0) this.#goOn()
  }

  /** Warns, once per token, that it is about to expire. `now` is in seconds since the epoch. */
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
      measured.closed.inc({ reason })
      if (reason === 'tooSlow') measured.slowReaders.inc()
      // Queued frames are sent before the close, unless the peer doesn't read.
      if (reason !== 'tooSlow' && this.#begun) {
        measured.sent.inc(this.#queue.length)
        this.#tcp.write(Buffer.concat(this.#queue))
      }
      this.#socket.close(code, text)
      this.#drop()
    }
    // The timer also ends peers that have begun to close and never finish.
    this.#endWithin(reason === 'tooSlow' ? SLOW_CLOSE_TIMEOUT_MS : CLOSE_TIMEOUT_MS)
  }

  /** There is one timer even if the socket is closed several times: the shortest one counts. */
  #endWithin(timeoutMs: number): void {
    if (this.#ending && this.#ending.timeoutMs <= timeoutMs) return
    clearTimeout(this.#ending?.timer)
    this.#ending = { timeoutMs, timer: setTimeout(() => this.terminate(), timeoutMs).unref() }
  }

  terminate(): void {
    this.#socket.terminate()
  }

  #isWithheld(frame: Buffer): boolean {
    return this.#withheld?.has(typeOfFrame(frame)) ?? false
  }

  /** False if the queued frame is withheld now. */
  #keeps(frame: Buffer): boolean {
    if (!this.#isWithheld(frame)) return true
    this.#waitingBytes -= frame.length
    return false
  }

  /** False if the socket has ended, or has to end because of this. */
  #makeRoom(bytes: number): boolean {
    if (!this.#isOpen) return false
    this.#waitingBytes += bytes
    if (this.#waitingBytes + this.#tcp.writableLength <= OUTBOUND_LIMIT) return true
    this.close('tooSlow')
    return false
  }

  /** Takes one write's frames off the queue, at least one; those of `#latest` come last. */
  #takeWrite(merged: MergedFrames): Buffer {
    const [first] = this.#queue
    if (first && this.#queue.length === 1 && !this.#latest?.size) {
      // The usual case.
      this.#queue.length = 0
      this.#waitingBytes -= first.length
      merged.written.frames += 1
      merged.written.bytes += first.length
      return first
    }
    let bytes = 0
    let count = 0
    while (count < this.#queue.length && bytes < WRITE_SIZE) bytes += this.#queue[count++]?.length ?? 0
    const frames = this.#queue.splice(0, count)
    if (this.#queue.length === 0)
      for (const [key, frame] of this.#latest ?? []) {
        if (bytes >= WRITE_SIZE) break
        this.#latest?.delete(key)
        frames.push(frame)
        bytes += frame.length
      }
    if (this.#latest?.size === 0) this.#latest = undefined
    this.#waitingBytes -= bytes
    merged.written.frames += frames.length
    merged.written.bytes += bytes
    return merged.of(frames, bytes)
  }

  #drop(): void {
    this.#queue = []
    this.#latest = undefined
    this.#held = undefined
    this.#waitingBytes = 0
    this.#goOn()
  }

  /** Continues the callers that wait until the peer has read. */
  #goOn(): void {
    for (const resume of this.#onDrained?.splice(0) ?? []) resume()
  }
}

const unflushed: Connection[] = []

function flushSoon(connection: Connection): void {
  if (unflushed.push(connection) === 1) setImmediate(flushAll)
}

function flushAll(): void {
  const flushed = flushTogether(unflushed)
  unflushed.splice(0, flushed)
  if (unflushed.length > 0) setImmediate(flushAll)
}

/** Writes to the first of these connections, as many as there is time for; answers how many. */
function flushTogether(connections: readonly Connection[]): number {
  const merged = new MergedFrames()
  const until = performance.now() + FLUSH_MS
  let flushed = 0
  for (const connection of connections) {
    if (performance.now() > until) break
    connection.flush(merged)
    flushed += 1
  }
  measured.sent.inc(merged.written.frames)
  measured.sentBytes.inc(merged.written.bytes)
  return flushed
}
