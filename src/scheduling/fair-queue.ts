import type { Socket } from 'node:net'
import { AppError, busy } from '../errors.ts'
import { Places, type PlacesOptions } from './places.ts'

/** Who asks for costly work. */
export interface Asker {
  /** The person, or the network of somebody who has not signed in. */
  name: string
  /** When it is closed, the work that still waits is dropped. */
  connection: Socket
}

/** Somebody who has signed in is the same asker from every address. */
export function personAsking(userId: number, connection: Socket): Asker {
  return { name: `person ${userId}`, connection }
}

/** A place is for a piece of work that runs; its name is that of the asker. */
export interface FairQueueOptions extends PlacesOptions {
  /** Most pieces of work that may wait. */
  waiting: number
}

interface Waiter {
  /** Called when there is a place, or with the reason of a refusal. */
  settle: (refusal?: AppError) => void
}

/**
 * Runs costly work, a few pieces at once. Askers take turns, and so do the connections of one asker: somebody who
 * asks for much delays everybody else by one piece at most. Work of a closed connection is dropped. If the queue is
 * full, the asker with the most waiting work loses the last piece of it, 503 `unavailable`; where nobody has more than
 * one piece waiting, the newcomer is refused.
 */
export class FairQueue {
  readonly #places: Places
  readonly #mostWaiting: number
  #waiting = 0
  /** By asker, then by connection; the next one is the first entry. */
  readonly #lines = new Map<string, Map<Socket, Waiter[]>>()
  /** The queues that a connection has waited in, which share its one `close` listener. */
  static readonly #queuesOf = new WeakMap<Socket, Set<FairQueue>>()

  constructor(options: FairQueueOptions) {
    this.#places = new Places(options)
    this.#mostWaiting = options.waiting
  }

  /** Throws `aborted` if the asker hung up before its turn. Without an asker it is work of the service itself. */
  async run<T>(asker: Asker | undefined, work: () => Promise<T>): Promise<T> {
    if (!asker) this.#places.take('')
    else if (!this.enter(asker)) await this.wait(asker)
    try {
      return await work()
    } finally {
      this.#end(asker?.name ?? '')
    }
  }

  /** Takes a place, until `leave`, if one is free. */
  enter({ name, connection }: Asker): boolean {
    const mayEnter = !connection.destroyed && this.#places.isFree(name)
    if (mayEnter) this.#places.take(name)
    return mayEnter
  }

  leave({ name }: Asker): void {
    this.#end(name)
  }

  /** Gives the place to the next in line, if there is one. */
  #end(name: string): void {
    this.#places.leave(name)
    for (let next = this.#takeNext(); next; next = this.#takeNext()) next.settle()
  }

  /** Takes a place once it is the asker's turn. Throws `aborted` if the asker hung up before. */
  async wait({ name, connection }: Asker): Promise<void> {
    if (connection.destroyed) throw new AppError('aborted')
    if (this.#waiting >= this.#mostWaiting) this.#makeRoom()
    const connections = this.#lines.get(name) ?? new Map<Socket, Waiter[]>()
    this.#lines.set(name, connections)
    const line = connections.get(connection) ?? []
    connections.set(connection, line)
    this.#watch(connection)
    this.#waiting += 1
    return new Promise((resolve, reject) => {
      line.push({ settle: (refusal) => (refusal ? reject(refusal) : resolve()) })
    })
  }

  #watch(connection: Socket): void {
    let queues = FairQueue.#queuesOf.get(connection)
    if (!queues) {
      const waitedIn = new Set<FairQueue>()
      connection.once('close', () => {
        for (const queue of waitedIn) queue.#drop(connection)
      })
      FairQueue.#queuesOf.set(connection, waitedIn)
      queues = waitedIn
    }
    queues.add(this)
  }

  /** The first in line that may begin; its place is counted as taken. */
  #takeNext(): Waiter | undefined {
    for (const [name, connections] of this.#lines) {
      if (!this.#places.isFree(name)) continue
      const [first] = connections
      const [connection, line] = first as [Socket, Waiter[]]
      const next = line.shift()
      this.#waiting -= 1
      this.#places.take(name)
      // Both go to the end of their line.
      connections.delete(connection)
      if (line.length > 0) connections.set(connection, line)
      this.#lines.delete(name)
      if (connections.size > 0) this.#lines.set(name, connections)
      return next
    }
    return undefined
  }

  #makeRoom(): void {
    const [name, connections] = longest(this.#lines, countWaiting)
    if (countWaiting(connections) === 1) throw busy()
    const [connection, line] = longest(connections, ({ length }) => length)
    const last = line.pop()
    this.#waiting -= 1
    this.#tidy(name, connection)
    last?.settle(busy())
  }

  /** Drops what a closed connection has waiting; a proxy's connection carries requests of several askers. */
  #drop(connection: Socket): void {
    for (const [name, connections] of [...this.#lines]) {
      const gone = connections.get(connection)?.splice(0) ?? []
      this.#waiting -= gone.length
      this.#tidy(name, connection)
      for (const { settle } of gone) settle(new AppError('aborted'))
    }
  }

  #tidy(name: string, connection: Socket): void {
    const connections = this.#lines.get(name)
    if (connections?.get(connection)?.length === 0) connections.delete(connection)
    if (connections?.size === 0) this.#lines.delete(name)
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
