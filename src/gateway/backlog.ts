import type { WebSocket } from 'ws'

/** Most bytes that wait behind a slow command; with more, the socket is not read. */
const MOST_BYTES = 64 * 1024
/** Bytes of memory that a waiting command takes besides its text. */
const COMMAND_BYTES = 2 * 1024

/**
 * Runs one socket's commands one after another, so that its own messages keep their order. While too many wait, the
 * socket is not read, and the peer has to wait.
 */
export class Backlog {
  readonly #socket: Pick<WebSocket, 'pause' | 'resume' | 'isPaused'>
  #last: Promise<unknown>
  #bytes = 0

  /** All commands wait for `ready`. */
  constructor(socket: Pick<WebSocket, 'pause' | 'resume' | 'isPaused'>, ready: Promise<unknown>) {
    this.#socket = socket
    this.#last = ready
  }

  /** `run` never rejects. */
  add(length: number, run: () => Promise<void>): void {
    const bytes = length + COMMAND_BYTES
    this.#bytes += bytes
    if (this.#bytes > MOST_BYTES) this.#socket.pause()
    this.#last = this.#last.then(run).then(() => {
      this.#bytes -= bytes
      if (this.#socket.isPaused && this.#bytes <= MOST_BYTES / 2) this.#socket.resume()
    })
  }
}
