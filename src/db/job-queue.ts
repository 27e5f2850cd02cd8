import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { fromDrizzle, PgBoss } from 'pg-boss'
import { readAddress, toConnectionString } from './database-address.ts'
import { type Executor, SILENCE_MS } from './database-client.ts'
import { followPrimary, REFOUND_SECONDS } from './database-primary.ts'
import { isAnyOf } from './query.ts'

/** What is worked on: each kind waits in a queue of its own. */
export type WorkKind = 'generation' | 'materials'

export interface WorkOptions {
  /** How many pieces of work run at once on this node. */
  concurrency: number
  /** Does one piece of work. If it throws, the work is tried again, on any node. */
  run: (id: string, signal: AbortSignal) => Promise<void>
  /** Called with the id of work that has failed too often. */
  giveUp: (id: string) => Promise<void>
}

/**
 * Durable work in the same database, shared by all nodes.
 *
 * Guarantees:
 * - Work that was added runs at least once, as soon as its transaction is committed and a node is free.
 * - When its node dies or freezes, another one continues it within 20 seconds. A frozen node that wakes up goes on
 *   until its `signal` aborts, so the work itself has to make sure that nothing is done twice.
 */
export interface JobQueue {
  /** Only once this node works on that kind, since that makes its queue. */
  add(tx: Executor, kind: WorkKind, id: string): Promise<void>
  /** Call it after the commit, so that a free worker of this node starts at once rather than at its next poll. */
  wake(kind: WorkKind): void
  /** Starts the workers of this node. */
  work(kind: WorkKind, options: WorkOptions): Promise<void>
  /**
   * Looks how long the oldest work has waited, on all nodes, and whether any is done at all; `standing` is the result
   * of the last look. A node that works on nothing does not look.
   */
  look(db: Executor): Promise<void>
  readonly standing: { waitingSeconds: number; isStill: boolean }
  /** Aborts the work that runs here. Another node continues it, or this one after its restart. */
  close(): Promise<void>
}

interface JobData {
  id: string
}

/** Where work goes that has failed too often. */
const lostOf = (kind: WorkKind) => `${kind}-lost`
/**
 * The shortest heartbeat that pg-boss allows. With the monitor, a poll and a first delay of 1 to 2 s, the work of a dead
 * node runs again within 18 s.
 */
const HEARTBEAT_SECONDS = 10
const MONITOR_SECONDS = 5
/** Tries come less and less often up to this, so that what is away for a minute, such as the files, fails nothing. */
const LONGEST_DELAY_SECONDS = 10
const POLL_SECONDS = 1
const CLOSE_TIMEOUT_MS = 5_000
/** Work that waits for longer, while nobody works on any, is not going to be done. */
const STILL_SECONDS = 60

export function createJobQueue(url: string, log: FastifyBaseLogger): JobQueue {
  const closing = new AbortController()
  const address = readAddress(url)
  const [first, ...others] = address.hosts
  const boss = new PgBoss({
    connectionString: toConnectionString(address, first),
    ssl: address.ssl,
    ...(others.length > 0
      ? { stream: followPrimary(address, SILENCE_MS), maxLifetimeSeconds: REFOUND_SECONDS }
      : {}),
    application_name: 'exam-practice jobs',
    max: 2,
    schedule: false,
    superviseIntervalSeconds: MONITOR_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue failed; trying again'))
  let starting: Promise<unknown> | undefined
  const workers = new Map<WorkKind, string>()
  const standing = { waitingSeconds: 0, isStill: false }

  return {
    standing,
    async look(db) {
      if (workers.size === 0) return
      const [row] = await db.execute<{ waiting: number; active: boolean }>(sql`
        select coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active')), 0)::float8 as waiting,
               coalesce(bool_or(state = 'active' and heartbeat_on > now() - ${`${3 * HEARTBEAT_SECONDS}s`}::interval), false)
                 as active
          from pgboss.job where ${isAnyOf(sql`name`, [...workers.keys()])} and state <= 'active' and start_after <= now()`)
      standing.waitingSeconds = row?.waiting ?? 0
      standing.isStill = standing.waitingSeconds > STILL_SECONDS && !row?.active
    },
    async add(tx, kind, id) {
      await boss.send(kind, { id } satisfies JobData, {
        db: fromDrizzle(tx, sql),
        retryBackoff: true,
        retryDelayMax: LONGEST_DELAY_SECONDS,
      })
    },
    wake(kind) {
      const worker = workers.get(kind)
      if (worker !== undefined) boss.notifyWorker(worker)
    },
    async work(kind, { concurrency, run, giveUp }) {
      starting ??= boss.start().catch((error: unknown) => {
        // Whoever comes next tries again.
        starting = undefined
        throw error
      })
      await starting
      await boss.createQueue(lostOf(kind))
      await boss.createQueue(kind, {
        heartbeatSeconds: HEARTBEAT_SECONDS,
        expireInSeconds: 6 * 3_600,
        retryLimit: 10,
        retryDelay: 1,
        deadLetter: lostOf(kind),
      })
      const options = { localConcurrency: concurrency, pollingIntervalSeconds: POLL_SECONDS }
      const worker = await boss.work<JobData>(kind, options, async ([job]) => {
        if (job) await run(job.data.id, AbortSignal.any([job.signal, closing.signal]))
      })
      workers.set(kind, worker)
      await boss.work<JobData>(lostOf(kind), async ([job]) => {
        if (job) await giveUp(job.data.id)
      })
    },
    async close() {
      closing.abort()
      if (starting !== undefined) await boss.stop({ graceful: true, timeout: CLOSE_TIMEOUT_MS })
    },
  }
}
