import type { Socket } from 'node:net'
import { AppError } from './errors.ts'

/** Who asks for costly work: the address, and the connection. */
export interface Asker {
  ip: string
  /** When it is closed, the work that still waits is dropped. */
  connection: Socket
}

/** Somebody who has signed in is the same wherever they ask from. */
export function personAsking(userId: number, connection: Socket): Asker {
  return { ip: `person ${userId}`, connection }
}

export interface FairQueueOptions {
  /** Pieces of work that run at once. Left out: any number. */
  places?: number
  /** How many of them may be one address's. Left out: all of them. */
  each?: number
  /** Pieces of work that may wait, in all. */
  waiting: number
}

interface Waiter {
  /** Called when there is a place, or with the reason why there won't be one. */
  settle: (refusal?: AppError) => void
}

/**
 * Runs costly work, a few pieces at once. Addresses take turns, and so do the connections of one address: somebody
 * who asks for much delays everybody else by one piece at most. Work of a connection that was closed is dropped. If
 * the queue is full, the last piece of whoever has the most in it is refused with 503 `unavailable`.
 */
export class FairQueue {
  readonly #options: FairQueueOptions
  #running = 0
  readonly #runningFor = new Map<string, number>()
  #waiting = 0
  /** By address, then by connection. Who is next stands first. */
  readonly #lines = new Map<string, Map<Socket, Waiter[]>>()
  /** Connections that have a `close` listener already. */
  readonly #watched = new WeakSet<Socket>()

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** Throws `aborted` where the asker hung up before its turn. Work without an asker is the service's own. */
  async run<T>(asker: Asker | undefined, work: () => Promise<T>): Promise<T> {
    if (asker?.connection.destroyed) throw new AppError('aborted')
    const ip = asker?.ip ?? ''
    if (asker && !this.#mayBegin(ip)) await this.#wait(asker)
    else this.#begin(ip)
    try {
      return await work()
    } finally {
      this.#end(ip)
    }
  }

  #mayBegin(ip: string): boolean {
    const { places = Number.POSITIVE_INFINITY, each = places } = this.#options
    return this.#running < places && (this.#runningFor.get(ip) ?? 0) < each
  }

  #begin(ip: string): void {
    this.#running += 1
    this.#runningFor.set(ip, (this.#runningFor.get(ip) ?? 0) + 1)
  }

  /** Gives the place to the next in line, if there is one. */
  #end(ip: string): void {
    this.#running -= 1
    const left = (this.#runningFor.get(ip) ?? 0) - 1
    if (left > 0) this.#runningFor.set(ip, left)
    else this.#runningFor.delete(ip)
    for (let next = this.#takeNext(); next; next = this.#takeNext()) next.settle()
  }

  #wait(asker: Asker): Promise<void> {
    const { ip, connection } = asker
    if (this.#waiting >= this.#options.waiting) this.#makeRoom()
    const connections = this.#lines.get(ip) ?? new Map<Socket, Waiter[]>()
    this.#lines.set(ip, connections)
    const line = connections.get(connection) ?? []
    connections.set(connection, line)
    if (!this.#watched.has(connection)) {
      this.#watched.add(connection)
      connection.once('close', () => this.#drop(connection))
    }
    this.#waiting += 1
    return new Promise((resolve, reject) => {
      line.push({ settle: (refusal) => (refusal ? reject(refusal) : resolve()) })
    })
  }

  /** The first in line that may begin; its place is counted as taken. */
  #takeNext(): Waiter | undefined {
    for (const [ip, connections] of this.#lines) {
      if (!this.#mayBegin(ip)) continue
      const [first] = connections
      const [connection, line] = first as [Socket, Waiter[]]
      const next = line.shift()
      this.#waiting -= 1
      this.#begin(ip)
      // Both go to the end of their line.
      connections.delete(connection)
      if (line.length > 0) connections.set(connection, line)
      this.#lines.delete(ip)
      if (connections.size > 0) this.#lines.set(ip, connections)
      return next
    }
    return undefined
  }

  #makeRoom(): void {
    const [ip, connections] = longest(this.#lines, countWaiting)
    const [connection, line] = longest(connections, ({ length }) => length)
    const last = line.pop()
    this.#waiting -= 1
    this.#tidy(ip, connection)
    last?.settle(new AppError('unavailable', { retryAfter: 2 }))
  }

  /** A proxy's connection carries requests of several addresses. */
  #drop(connection: Socket): void {
    for (const [ip, connections] of [...this.#lines]) {
      const gone = connections.get(connection)?.splice(0) ?? []
      this.#waiting -= gone.length
      this.#tidy(ip, connection)
      for (const { settle } of gone) settle(new AppError('aborted'))
    }
  }

  #tidy(ip: string, connection: Socket): void {
    const connections = this.#lines.get(ip)
    if (connections?.get(connection)?.length === 0) connections.delete(connection)
    if (connections?.size === 0) this.#lines.delete(ip)
  }
}

function countWaiting(connections: ReadonlyMap<Socket, Waiter[]>): number {
  let count = 0
  for (const line of connections.values()) count += line.length
  return count
}

function longest<K, V>(entries: ReadonlyMap<K, V>, measure: (value: V) => number): [K, V] {
  return [...entries].reduce((most, entry) => (measure(entry[1]) > measure(most[1]) ? entry : most))
}
