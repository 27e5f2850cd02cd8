import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import type { Socket } from 'node:net'
import { cutOff, GatheringMessage } from './parser.ts'

/** Requests of one connection that may wait: each takes far more memory than its client sent. */
const MOST_WAITING = 20
/** Time for beginning requests, after which all connections are read again and a new one is accepted. */
const SLICE_MS = 10
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
