import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that may wait: each takes far more memory than its client sent. */
const MOST_WAITING = 20
/** Time for beginning requests, after which all connections are read again and a new one is accepted. */
const SLICE_MS = 10
/** Pieces of a body that may be small. */
const FREE_PIECES = 256
/** Bytes of all others, on the average: each costs as much as a large one. */
const LEAST_PIECE = 64
/** Longer than proxies keep a connection that nothing is asked on. */
const KEEP_ALIVE_MS = 72_000

/** A request, or an upgrade to a WebSocket, that has arrived. */
interface Arrival {
  asker: string
  /** Calls `ended` when the next request of the connection may begin. */
  begin: (ended: () => void) => void
}

/** A connection and its requests. */
interface Line {
  socket: Socket
  /** Whether a request has begun whose answer has not ended. */
  isBusy: boolean
  /** Whether the socket is not read because requests wait. */
  isHeld: boolean
  waiting: Arrival[]
}

/** What Node's parser calls. */
interface Parser {
  /** At each request, once its head is read. It goes on by 0. */
  onIncoming: (...request: unknown[]) => number
  /** With each piece of a body; it makes none where there is no function. */
  [ON_BODY]: ((piece: Buffer) => void) | undefined
}
/** Node's `HTTPParser.kOnBody`. */
const ON_BODY = 3

type ParsedSocket = Socket & { parser?: Parser }

/** A server for `handler`, which one connection can't keep busy with what costs its client nothing. */
export function createHttpServer(handler: RequestListener, options: ServerOptions): Server {
  const enqueue = takeTurns()
  const server = createServer({ ...options, IncomingMessage: GatheringMessage }, (request, response) =>
    enqueue(request, (ended) => {
      response.once('close', ended)
      handler(request, response)
    }),
  )
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...values: unknown[]) => {
    if (event !== 'upgrade') return emit(event, ...values)
    const [request] = values as [IncomingMessage]
    // Node has taken its own listener away; without one, an error would end the process.
    request.socket.on('error', ignore)
    const begin = () => {
      emit(event, ...values)
      request.socket.off('error', ignore)
    }
    enqueue(request, begin, true)
    return true
  }
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

function ignore(): void {}

/**
 * Begins requests at once while that takes a short time of a turn of the event loop. The others begin later: askers
 * take turns, and so do the connections of one asker, each with one request at a time. Otherwise thousands of requests
 * that came in one packet, or from hundreds of connections, would all begin before the next one of anybody else. A
 * connection is not read while requests of it wait. If too many wait, it is cut off; when it closes, they are dropped.
 */
function takeTurns() {
  const lines = new WeakMap<Socket, Line>()
  /** Connections whose next request may begin, by asker. */
  const ready = new Map<string, Line[]>()
  let isScheduled = false
  /** When no more requests begin in this turn of the event loop. */
  let end = 0

  const beginSome = () => {
    end = performance.now() + SLICE_MS
    for (const [asker, theirs] of ready) {
      const line = theirs.shift()
      // Whoever asks for more goes to the end.
      ready.delete(asker)
      if (theirs.length > 0) ready.set(asker, theirs)
      if (line) beginNext(line)
      if (performance.now() >= end) break
    }
    isScheduled = ready.size > 0
    if (isScheduled) setImmediate(beginSome)
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    end = performance.now() + SLICE_MS
    setImmediate(beginSome)
  }
  const beginInTurn = (line: Line) => {
    schedule()
    if (ready.size === 0 && performance.now() < end) {
      beginNext(line)
      return
    }
    const asker = line.waiting[0]?.asker ?? ''
    const theirs = ready.get(asker)
    if (theirs) theirs.push(line)
    else ready.set(asker, [line])
  }
  const beginNext = (line: Line) => {
    const { socket, waiting } = line
    const next = waiting.shift()
    if (!next) return
    if (!socket.writable || socket.readableEnded) {
      waiting.length = 0
      // Node ends a socket itself when its client hangs up, but not one that is to be upgraded.
      if (socket.writable) socket.destroySoon()
      return
    }
    if (line.isHeld && waiting.length === 0) {
      line.isHeld = false
      socket.resume()
    }
    line.isBusy = true
    next.begin(() => {
      line.isBusy = false
      if (waiting.length > 0) beginInTurn(line)
    })
  }

  return (request: IncomingMessage, begin: Arrival['begin'], isUpgrade = false) => {
    const { socket } = request
    const known = lines.get(socket)
    const line = known ?? { socket, isBusy: false, isHeld: false, waiting: [] }
    if (!known) lines.set(socket, line)
    const isFirst = line.waiting.length === 0 && !line.isBusy
    // No client upgrades before the answers to its requests.
    if (line.waiting.length >= MOST_WAITING || (isUpgrade && !isFirst)) {
      cutOff(socket)
      return
    }
    line.waiting.push({ asker: guessAsker(request), begin })
    if (!isFirst) {
      // Pausing is safe: the bodies of all earlier requests have arrived before this one.
      line.isHeld = true
      socket.pause()
    } else if (known) beginInTurn(line)
    // Whether a new client has hung up already is only read in the next turn of the event loop.
    else setImmediate(() => setImmediate(beginInTurn, line))
  }
}

/** Who asks, by what is known before tokens are checked: those that are not valid cost little. */
function guessAsker({ headers, socket }: IncomingMessage): string {
  const { authorization, cookie, 'sec-websocket-protocol': protocol } = headers
  // Without any it is the connection: a whole school, or a proxy, may share an address.
  return authorization ?? cookie ?? protocol ?? `${socket.remoteAddress}:${socket.remotePort}`
}

/**
 * Makes the parser fail at the next request: nothing else stops it within what it has read, of which it would make
 * thousands of requests.
 */
function cutOff(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => -1
  setImmediate(() => socket.destroySoon())
}

/**
 * A request that passes on as one what is read together of a chunked body, and cuts its connection off when the body
 * comes in crumbs.
 */
class GatheringMessage extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #gathered: Buffer[] = []

  override push(piece: Buffer | null): boolean {
    if (piece === null) this.#pass()
    if (piece === null || this.headers['transfer-encoding'] === undefined) return super.push(piece)
    this.#pieces += 1
    this.#bytes += piece.length
    if (this.#pieces <= FREE_PIECES || this.#bytes >= this.#pieces * LEAST_PIECE) {
      if (this.#gathered.push(piece) === 1) process.nextTick(() => this.#pass())
      return true
    }
    this.push = () => true
    dropBody(this.socket)
    cutOff(this.socket)
    return true
  }

  #pass(): void {
    const [first, ...others] = this.#gathered
    if (!first) return
    const bytes = others.length > 0 ? Buffer.concat(this.#gathered) : first
    this.#gathered = []
    // As Node does where a request is not read.
    if (!super.push(bytes)) this.socket.pause()
  }
}

/**
 * Makes the rest of a body cost hardly anything: what was read at once may hold ten thousand pieces of it. Node's
 * parsers serve other connections later, so this one is mended before its next request, or before Node takes it back.
 */
export function dropBody(socket: ParsedSocket): void {
  const { parser } = socket
  if (!parser?.[ON_BODY]) return
  const { onIncoming, [ON_BODY]: onBody } = parser
  const mend = () => {
    parser[ON_BODY] = onBody
  }
  parser[ON_BODY] = undefined
  parser.onIncoming = (...request) => {
    mend()
    socket.off('close', mend)
    parser.onIncoming = onIncoming
    return onIncoming(...request)
  }
  socket.prependOnceListener('close', mend)
}
