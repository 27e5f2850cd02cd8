import type { Socket } from 'node:net'
import { AppError } from '../errors.ts'

/** Sockets that are set up at the same time. */
const AT_ONCE = 250
/** Sockets that may wait: as many as a slow machine sets up before their clients give up. */
const MOST_WAITING = 5_000
const RETRY_SECONDS = 5

/**
 * Sets up sockets in the order in which they came, a limited number at a time. Otherwise many sockets that reconnect at
 * once would slow each other down until all of them time out and try again.
 */
export class Admission {
  #settingUp = 0
  readonly #waiting = new Set<() => void>()
  readonly #turns = new WeakMap<Socket, () => void>()

  /** Resolves when it is this socket's turn. 503 `unavailable` if too many wait, `aborted` if it hung up. */
  async enter(socket: Socket): Promise<void> {
    if (this.#settingUp < AT_ONCE) this.#settingUp += 1
    else await this.#wait(socket)
    const end = () => {
      socket.off('close', end)
      this.#turns.delete(socket)
      this.#next()
    }
    this.#turns.set(socket, end)
    if (socket.destroyed) end()
    else socket.once('close', end)
  }

  /** Call it when the socket is set up; the end of the socket has the same effect. */
  leave(socket: Socket): void {
    this.#turns.get(socket)?.()
  }

  #wait(socket: Socket): Promise<void> {
    if (this.#waiting.size >= MOST_WAITING) throw new AppError('unavailable', { retryAfter: RETRY_SECONDS })
    return new Promise((resolve, reject) => {
      const gone = () => {
        this.#waiting.delete(begin)
        reject(new AppError('aborted'))
      }
      const begin = () => {
        socket.off('close', gone)
        resolve()
      }
      this.#waiting.add(begin)
      socket.once('close', gone)
    })
  }

  /** Gives the turn to the next one in line, if there is one. */
  #next(): void {
    const [begin] = this.#waiting
    if (!begin) this.#settingUp -= 1
    else {
      this.#waiting.delete(begin)
      begin()
    }
  }
}
