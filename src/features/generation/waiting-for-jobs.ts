import type { Subscription } from '../../bus/bus.ts'
import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'
import { getJob, requireJob } from './generation.service.ts'

export type JobStatus = Awaited<ReturnType<typeof getJob>>

/** Requests of one person that wait at once on a node (docs/protocol/generation.md#waiting). */
const MOST_WAITS = 4
/** How long those who come one after another share what was read, while nothing is told to have changed. */
const FRESH_MS = 1_000

export interface Wait {
  id: string
  userId: number
  seconds: number
  /** Whether the asker has this already. */
  isKnown: (job: JobStatus) => boolean
  /** Runs what reads the database in the asker's turn. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
  /** Aborts when nobody waits any more. */
  end: AbortSignal
  /** Told once, when the request begins to wait. */
  onWait: () => void
}

/**
 * A job as soon as it is not what is known, or has ended; else after that time, or when the node is told to leave. Who
 * waits in too many requests has it at once.
 */
export async function waitForJob(core: Core, wait: Wait): Promise<JobStatus> {
  const { userId, seconds, isKnown, inTurn } = wait
  const id = wait.id.toLowerCase()
  const { people, jobs } = waitsOf(core)
  const waiting = people.get(userId) ?? 0
  if (waiting >= MOST_WAITS) return inTurn(() => getJob(core, id))
  people.set(userId, waiting + 1)
  const watched = jobs.get(id) ?? new WatchedJob(core, id, () => inTurn(() => requireJob(core.db, id)))
  jobs.set(id, watched)
  watched.readers += 1
  try {
    await watched.ready
    wait.onWait()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), seconds * 1_000)
    const end = AbortSignal.any([late.signal, core.draining, wait.end])
    try {
      for (;;) {
        const { version } = watched
        const job = await watched.read()
        if (end.aborted || job.status !== 'running' || !isKnown(job)) return job
        await watched.changedSince(version, end)
      }
    } finally {
      clearTimeout(timer)
    }
  } finally {
    const left = (people.get(userId) ?? 1) - 1
    if (left > 0) people.set(userId, left)
    else people.delete(userId)
    watched.readers -= 1
    if (watched.readers === 0) {
      watched.close()
      if (jobs.get(id) === watched) jobs.delete(id)
    }
  }
}

const waitsOf = perNode(() => ({
  /** How many requests of a person wait. */
  people: new Map<number, number>(),
  jobs: new Map<string, WatchedJob>(),
}))

/** A job that requests of this node wait for: they share what is read. */
class WatchedJob {
  readers = 0
  /** Goes up with each event. */
  version = 0
  readonly ready: Promise<void>
  readonly #core: Core
  readonly #id: string
  #subscription: Subscription | undefined
  readonly #waiting = new Set<() => void>()
  #read: { version: number; at: number; job: Promise<JobStatus> } | undefined

  constructor(core: Core, id: string, requireExistence: () => Promise<unknown>) {
    this.#core = core
    this.#id = id
    this.ready = requireExistence().then(() => this.#subscribe())
  }

  async #subscribe(): Promise<void> {
    if (this.readers === 0) return
    this.#subscription = this.#core.bus.subscribe(`ai_job:${this.#id}`, () => {
      this.version += 1
      for (const goOn of this.#waiting) goOn()
    })
    await this.#subscription.ready
  }

  /** The job as it is now, or was a moment ago if nothing was told since. */
  read(): Promise<JobStatus> {
    const now = performance.now()
    if (this.#read?.version !== this.version || now - this.#read.at > FRESH_MS)
      this.#read = { version: this.version, at: now, job: getJob(this.#core, this.#id) }
    return this.#read.job
  }

  /** Resolves at the next event, or when `end` aborts; at once if one has come since. */
  async changedSince(version: number, end: AbortSignal): Promise<void> {
    if (this.version !== version || end.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    let endedAt: number | undefined
    this.#waiting.add(resolve)
    end.addEventListener(
      'abort',
      () => {
        endedAt = performance.now()
        resolve()
      },
      { once: true },
    )
    await promise
    this.#waiting.delete(resolve)
    // An event may have been lost: what is read at the end of the waiting is not older than that. Those whose waiting
    // ends at once share it.
    if (endedAt !== undefined && this.#read && this.#read.at < endedAt) this.#read = undefined
  }

  close(): void {
    this.#subscription?.close()
  }
}
