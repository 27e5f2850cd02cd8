import type { Socket } from 'node:net'
import { AppError, busy } from '../errors.ts'
import { RoundRobin } from './round-robin.ts'

/** Who asks for costly work. */
export interface Asker {
  /** The person, or the network of somebody who has not signed in. */
  name: string
  /** Work that waits is dropped if it has closed by then. */
  connection?: Socket
}

/** Somebody who has signed in is the same asker from every address. */
export function personAsking(userId: number, connection: Socket): Asker {
  return { name: `person ${userId}`, connection }
}

export interface FairQueueOptions {
  /** Pieces of work that run at once. Left out: any number. */
  places?: number
  /** How many of them may be one asker's. Left out: all. */
  each?: number
  /** Most pieces of work that may wait. */
  waiting: number
  /** How long each of them may. Left out: any time. */
  patienceMs?: number
  /** Askers who wait behind all others, and how many pieces of their work run at once. Left out: nobody. */
  last?: { isLast(name: string): boolean; each: number }
}

/** Called at the turn of somebody who waits, or with the reason of a refusal. */
type Settle = (refusal?: AppError) => void

/**
 * Runs costly work, some pieces at once. Askers take turns: somebody who asks for much delays everybody else by one
 * piece at most. If too much waits, the asker with the most waiting work loses the last piece of it, 503 `unavailable`;
 * where nobody has more than one piece waiting, the newcomer is refused. So is whoever has waited too long.
 */
export class FairQueue {
  readonly #places: number
  readonly #each: number
  readonly #mostWaiting: number
  readonly #patienceMs: number | undefined
  readonly #last: FairQueueOptions['last']
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  readonly #waiting = new RoundRobin<string, { asker: Asker; settle: Settle }>()

  constructor({
    places = Number.POSITIVE_INFINITY,
    each = places,
    waiting,
    patienceMs,
    last,
  }: FairQueueOptions) {
    this.#places = places
    this.#each = each
    this.#mostWaiting = waiting
    this.#patienceMs = patienceMs
    this.#last = last
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Throws `aborted` if the asker hung up before its turn. */
  async run<T>(asker: Asker, work: () => T | Promise<T>): Promise<T> {
    const turn = this.enter(asker)
    if (turn !== undefined) await turn
    try {
      return await work()
    } finally {
      this.leave(asker)
    }
  }

  /** Takes a place until `leave`: at once if there is one, else answers a promise of it. Throws as `run` does. */
  enter(asker: Asker): Promise<void> | undefined {
    if (asker.connection?.destroyed) throw new AppError('aborted')
    if (!this.#isFree(asker.name)) return this.#wait(asker)
    this.#take(asker.name)
    return undefined
  }

  /** Gives the place to the next in line, if there is one. */
  leave({ name }: Asker): void {
    this.#taken -= 1
    const left = (this.#takenBy.get(name) ?? 0) - 1
    if (left > 0) this.#takenBy.set(name, left)
    else this.#takenBy.delete(name)
    for (;;) {
      const next = this.#takeNext()?.item
      if (!next) return
      if (next.asker.connection?.destroyed) next.settle(new AppError('aborted'))
      else {
        this.#take(next.asker.name)
        next.settle()
      }
    }
  }

  #takeNext() {
    // Nobody needs to be looked at: thousands may wait.
    if (this.#taken >= this.#places) return undefined
    const last = this.#last
    const isFree = (owner: string) => this.#isFree(owner)
    const first = last && this.#waiting.take((owner) => !last.isLast(owner) && isFree(owner))
    return first ?? this.#waiting.take(isFree)
  }

  #isFree(name: string): boolean {
    const each = this.#last?.isLast(name) ? this.#last.each : this.#each
    return this.#taken < this.#places && (this.#takenBy.get(name) ?? 0) < each
  }

  #take(name: string): void {
    this.#taken += 1
    this.#takenBy.set(name, (this.#takenBy.get(name) ?? 0) + 1)
  }

  #wait(asker: Asker): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) {
      const dropped = this.#waiting.dropLast()
      if (!dropped) throw busy()
      dropped.settle(busy())
    }
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const settle: Settle = (refusal) => {
        clearTimeout(timer)
        if (refusal) reject(refusal)
        else resolve()
      }
      const entry = { asker, settle }
      this.#waiting.add(asker.name, entry)
      if (this.#patienceMs === undefined) return
      timer = setTimeout(() => {
        this.#waiting.remove((each) => each === entry)
        settle(busy())
      }, this.#patienceMs)
    })
  }
}
