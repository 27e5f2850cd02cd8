import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that run at once; their answers are sent in order anyway. */
const AT_ONCE = 10
/** Those that may wait: each takes far more memory than its client sent. */
const MOST_WAITING = 100
/** Pieces of a body that may be small. */
const FREE_PIECES = 256
/** Bytes of all others, on the average: each costs as much as a large one. */
const LEAST_PIECE = 64
/** Longer than proxies keep a connection that nothing is asked on. */
const KEEP_ALIVE_MS = 72_000

interface Pipeline {
  running: number
  waiting: (() => void)[]
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
  const server = createServer({ ...options, IncomingMessage: GatheringMessage }, limitPipelined(handler))
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

/**
 * Limits how many pipelined requests of one connection run at once: otherwise a thousand requests in one packet would
 * all begin before the next request of anybody else. While some wait, the connection is not read. If too many wait, it
 * is cut off; when it closes, they are dropped.
 */
function limitPipelined(handler: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>()

  return (request, response) => {
    const { socket } = request
    const pipeline = pipelines.get(socket) ?? { running: 0, waiting: [] }
    pipelines.set(socket, pipeline)
    const begin = () => {
      pipeline.running += 1
      response.once('close', () => {
        pipeline.running -= 1
        next(socket, pipeline)
      })
      handler(request, response)
    }
    if (pipeline.running < AT_ONCE) begin()
    else if (pipeline.waiting.length < MOST_WAITING) {
      pipeline.waiting.push(begin)
      // Pausing is safe: the bodies of all earlier requests have arrived before this one.
      socket.pause()
    } else cutOff(socket)
  }
}

/**
 * Makes the parser fail at the next request: nothing else stops it within what it has read, of which it would make
 * thousands of requests.
 */
function cutOff(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => -1
  setImmediate(() => socket.destroySoon())
}

function next(socket: Socket, { waiting }: Pipeline): void {
  if (socket.destroyed) {
    waiting.length = 0
    return
  }
  waiting.shift()?.()
  if (waiting.length === 0) socket.resume()
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
