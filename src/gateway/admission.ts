import type { Socket } from 'node:net'
import { AppError } from '../errors.ts'

/** Sockets that are set up at the same time. */
const AT_ONCE = 250
/** Sockets that may wait: as many as a slow machine sets up before their clients give up. */
const MOST_WAITING = 5_000
const RETRY_SECONDS = 5

/**
 * Lets sockets in, in the order in which they came, as fast as they can be set up. Without it, many sockets that
 * return at once would slow each other down until each took too long and came again.
 */
export class Admission {
  #settingUp = 0
  readonly #waiting = new Set<() => void>()
  readonly #turns = new WeakMap<Socket, () => void>()

  /** Resolves when it is this one's turn. 503 `unavailable` where too many wait, `aborted` where it hung up. */
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
