import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, busy } from '../errors.ts'
import type { Gate } from '../scheduling/gate.ts'
import { RoundRobin } from '../scheduling/round-robin.ts'

/** A shared statement answers this for an input whose rows are locked by somebody else: the input is tried again. */
export const HELD = Symbol('held')

/** Most inputs that wait for one lane; with more, an answer would come too late anyway. */
const MOST_WAITING = 10_000
/** People whose rows one statement reads. */
const PEOPLE_AT_ONCE = 250
/** How long an input is retried while its rows are locked: as long as a statement may take. */
const PATIENCE_MS = 8_000
/**
 * The first and the longest pause between tries. Each pause varies at random by half, so that nodes don't collide
 * again.
 */
const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 100

interface QueuedInput<Input, Output> {
  input: Input
  /** Whose input it is; without owners every input has its own. */
  owner: unknown
  /** When the input came, by `performance.now()`. */
  since: number
  /** How many tries found its rows locked. */
  tries: number
  /** Whether it waits behind another input of the same owner. */
  isBehind: boolean
  resolve: (output: Output) => void
  reject: (error: unknown) => void
}

export interface BatchOptions<Input, Output> {
  /** Lanes run side by side, one statement each at a time. */
  lanes: number
  /** Most inputs that share a statement. */
  size: number
  /** Inputs with the same key share a lane, so that lanes never wait for one another's rows. */
  key: (input: Input) => number
  /**
   * One statement for all. Its outputs are in the order of the inputs; if it throws, nothing was written. It never
   * waits for a row that somebody else holds: the answer is `HELD` then.
   */
  run: (inputs: Input[]) => Promise<(Output | typeof HELD)[]>
  /** How long a lane rests after a statement that several inputs shared, in milliseconds. Left out: not at all. */
  gatherMs?: () => number
  /** Owners take turns. Without this, inputs run in the order in which they came. */
  turns?: {
    owner: (input: Input) => number
    /** Most inputs of one owner that may wait or run; more are refused with 503 `unavailable`. */
    most: number
    /**
     * Whether anybody still waits for the answer. An input that waited behind another one of its owner is dropped if
     * not.
     */
    isWanted?: (input: Input) => boolean
  }
}

/**
 * Gathers calls that wait for the database into one statement and one commit. While a lane is idle, nothing waits. If
 * a shared statement fails, each of its inputs runs alone, so that one bad input fails alone.
 *
 * A statement takes one input of each owner, so somebody who sends many inputs delays everybody else by one of them
 * at most. An input whose rows are locked waits outside of its lane; later inputs with the same key wait behind it, so
 * they keep their order.
 */
export function batched<Input, Output>(
  options: BatchOptions<Input, Output>,
): (input: Input) => Promise<Output> {
  type Each = QueuedInput<Input, Output>
  const { turns } = options
  const lanes = Array.from({ length: options.lanes }, () => new Lane<Each>())
  const laneOf = (key: number) => lanes[key % lanes.length] as Lane<Each>
  /** Inputs that wait for locked rows, by key. */
  const held = new Map<number, Each[]>()
  /** Inputs that wait or run, by owner. */
  const counts = new Map<number, number>()

  async function drain(lane: Lane<Each>): Promise<void> {
    for (let batch = lane.take(options.size); batch.length > 0; batch = lane.take(options.size)) {
      const wanted = batch.filter(isWanted)
      if (wanted.length > 0) await runTogether(wanted)
      const restMs = batch.length > 1 ? (options.gatherMs?.() ?? 0) : 0
      if (restMs > 0) await sleep(restMs)
    }
    lane.isBusy = false
  }

  async function runTogether(batch: Each[]): Promise<void> {
    try {
      const outputs = await options.run(batch.map(({ input }) => input))
      for (const [index, each] of batch.entries()) {
        const output = outputs[index] as Output | typeof HELD
        if (output === HELD) putAside(each)
        else each.resolve(output)
      }
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const each of batch) await runTogether([each])
    }
  }

  function isWanted({ input, isBehind, reject }: Each): boolean {
    if (!isBehind || turns?.isWanted?.(input) !== false) return true
    reject(new AppError('aborted'))
    return false
  }

  function putAside(each: Each): void {
    if (performance.now() - each.since > PATIENCE_MS) {
      each.reject(busy())
      return
    }
    const key = options.key(each.input)
    const others = held.get(key)
    if (others) {
      others.push(each)
      return
    }
    // Inputs for the same rows that have come since then stay behind it.
    held.set(key, [each, ...laneOf(key).waiting.remove(({ input }) => options.key(input) === key)])
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** each.tries) * (0.5 + Math.random())
    each.tries += 1
    setTimeout(() => {
      const all = held.get(key) ?? []
      held.delete(key)
      for (const one of all) enter(key, one)
    }, pauseMs)
  }

  function enter(key: number, each: Each): void {
    const aside = held.get(key)
    if (aside) {
      aside.push(each)
      return
    }
    const lane = laneOf(key)
    lane.waiting.add(each.owner, each)
    if (lane.isBusy) return
    lane.isBusy = true
    // Starts after this turn of the event loop, so that requests that arrived together share a statement.
    setImmediate(() => void drain(lane))
  }

  /** Counts an input until `leave`. Answers how many of the same owner are ahead of it. */
  function join(owner: number, { most }: { most: number }): number {
    const ahead = counts.get(owner) ?? 0
    if (ahead >= most) throw new AppError('unavailable', { retryAfter: 1 })
    counts.set(owner, ahead + 1)
    return ahead
  }

  function leave(owner: number): void {
    const left = (counts.get(owner) ?? 0) - 1
    if (left > 0) counts.set(owner, left)
    else counts.delete(owner)
  }

  async function wait(input: Input, owner: unknown, isBehind: boolean): Promise<Output> {
    const key = options.key(input)
    if (laneOf(key).waiting.length >= MOST_WAITING) throw busy()
    return new Promise((resolve, reject) => {
      enter(key, { input, owner, since: performance.now(), tries: 0, isBehind, resolve, reject })
    })
  }

  return async (input) => {
    if (!turns) return wait(input, Symbol('nobody'), false)
    const owner = turns.owner(input)
    const ahead = join(owner, turns)
    try {
      return await wait(input, owner, ahead > 0)
    } finally {
      leave(owner)
    }
  }
}

/**
 * Reads the rows of one person. Those who are asked for at the same time share one statement; while many sockets
 * connect, they wait for one another.
 */
export function batchedByPerson<Row extends { userId: number }>(
  { gate }: { gate: Pick<Gate, 'gatherMs'> },
  list: (userIds: number[]) => Promise<Row[]>,
): (userId: number) => Promise<Row[]> {
  return batched({
    lanes: 1,
    size: PEOPLE_AT_ONCE,
    gatherMs: gate.gatherMs,
    key: (userId: number) => userId,
    async run(userIds): Promise<Row[][]> {
      const rows = Map.groupBy(await list([...new Set(userIds)]), ({ userId }) => userId)
      return userIds.map((userId) => rows.get(userId) ?? [])
    },
  })
}

/** The inputs that wait for a statement, by owner. */
class Lane<Each extends { owner: unknown }> {
  isBusy = false
  readonly waiting = new RoundRobin<unknown, Each>()

  /** One input of each owner, at most this many. */
  take(most: number): Each[] {
    const batch: Each[] = []
    const owners = new Set<unknown>()
    while (batch.length < most) {
      const next = this.waiting.take((owner) => !owners.has(owner))
      if (!next) break
      owners.add(next.owner)
      batch.push(next.item)
    }
    return batch
  }
}
