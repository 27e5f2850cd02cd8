import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

// What Node's HTTP parser doesn't bound by itself, and its types don't show.

/** Pieces of a body that may be small. */
const FREE_PIECES = 256
/** Bytes of all others, on the average: each costs as much as a large one. */
const LEAST_PIECE = 64

/** What Node's parser calls. */
interface Parser {
  /** At each request, once its head is read. Returns 0 to go on reading. */
  onIncoming: (...request: unknown[]) => number
  /** With each piece of a body; it makes none where there is no function. */
  [ON_BODY]: ((piece: Buffer) => void) | undefined
}
/** Node's `HTTPParser.kOnBody`. */
const ON_BODY = 3

type ParsedSocket = Socket & { parser?: Parser }

/**
 * Makes the parser fail at the next request. Nothing else stops it: what it has already read may hold thousands of
 * requests.
 */
export function cutOff(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => -1
  setImmediate(() => socket.destroySoon())
}

/**
 * A request that joins the pieces of a chunked body which are read together. It closes the connection if the pieces are
 * very small on average.
 */
export class GatheringMessage extends IncomingMessage {
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
