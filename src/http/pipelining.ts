import { IncomingMessage, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'

// What Node leaves open below HTTP, on a node without a proxy (docs/operators/security.md#floods).

/** Requests of one connection that may wait or run: each takes far more memory than its client sent. */
const MOST_WAITING = 20
/** Pieces of a body that may be small, and bytes of all others on average: a small one costs as much as a large one. */
const FREE_PIECES = 256
const LEAST_PIECE = 64

/**
 * Begins a request of a connection when the answers to all earlier ones have been sent. Node would begin all that came
 * in one packet. If too many wait, the connection is closed (docs/protocol/http.md#limits).
 */
export function oneAfterAnother(handle: RequestListener): RequestListener {
  /** What each connection has begun or is to begin, in the order of its requests. */
  const lines = new WeakMap<Socket, (() => void)[]>()
  return (request, response) => {
    const { socket } = request
    // Node still reads what came before the connection was closed.
    if (socket.destroyed) return
    const begin = () => {
      if (socket.destroyed) return
      response.once('close', () => {
        line.shift()
        line[0]?.()
      })
      handle(request, response)
    }
    const known = lines.get(socket)
    const line = known ?? []
    const length = line.push(begin)
    if (!known) {
      lines.set(socket, line)
      // Whether a new client has hung up already is only read in the next turn of the event loop.
      setImmediate(() => setImmediate(begin))
    } else if (length === 1) begin()
    else if (length > MOST_WAITING) socket.destroy()
  }
}

/** A request whose connection is closed if its body comes in crumbs (docs/protocol/http.md#limits). */
export class BoundedMessage extends IncomingMessage {
  #pieces = 0
  #bytes = 0

  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(piece)
    if (this.socket.destroyed) return true
    this.#pieces += 1
    this.#bytes += piece.length
    if (this.#pieces <= FREE_PIECES || this.#bytes >= this.#pieces * LEAST_PIECE) return super.push(piece)
    this.socket.destroy()
    return true
  }
}
