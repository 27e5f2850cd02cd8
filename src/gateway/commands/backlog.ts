import type { WebSocket } from 'ws'

/** Most commands and bytes that wait behind a slow command; with more, the socket is not read. */
const MOST_COMMANDS = 32
const MOST_BYTES = 64 * 1024

/**
 * Runs one socket's commands one after another, so that its own messages keep their order. While too many wait, the
 * socket is not read, and the peer has to wait.
 */
export class Backlog {
  readonly #socket: Pick<WebSocket, 'pause' | 'resume'>
  #last: Promise<unknown>
  #commands = 0
  #bytes = 0
  #isPaused = false

  /** All commands wait for `ready`. */
  constructor(socket: Pick<WebSocket, 'pause' | 'resume'>, ready: Promise<unknown>) {
    this.#socket = socket
    this.#last = ready
  }

  /** `run` never rejects. */
  add(bytes: number, run: () => Promise<void>): void {
    this.#commands += 1
    this.#bytes += bytes
    if (!this.#isPaused && (this.#commands > MOST_COMMANDS || this.#bytes > MOST_BYTES)) {
      this.#isPaused = true
      this.#socket.pause()
    }
    this.#last = this.#last.then(run).then(() => this.#ended(bytes))
  }

  #ended(bytes: number): void {
    this.#commands -= 1
    this.#bytes -= bytes
    if (!this.#isPaused || this.#commands > MOST_COMMANDS / 2 || this.#bytes > MOST_BYTES / 2) return
    this.#isPaused = false
    this.#socket.resume()
  }
}
