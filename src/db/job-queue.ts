import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Executor } from './client.ts'
import { readAddress, toConnectionString } from './setup/address.ts'

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
  add(tx: Executor, id: string): Promise<void>
  /** Call it after the commit, so that a free worker of this node starts at once rather than at its next poll. */
  wake(): void
  /** Starts the workers of this node. */
  work(options: WorkOptions): Promise<void>
  /** Aborts the work that runs here. Another node continues it, or this one after its restart. */
  close(): Promise<void>
}

interface Work {
  id: string
}

const QUEUE = 'generation'
const LOST = 'generation-lost'
/**
 * The shortest heartbeat that pg-boss allows. With the monitor and a poll, the work of a dead node runs again within
 * 17 s.
 */
const HEARTBEAT_SECONDS = 10
const MONITOR_SECONDS = 5
const POLL_SECONDS = 1
const CLOSE_TIMEOUT_MS = 5_000

export function createJobQueue(url: string, log: FastifyBaseLogger): JobQueue {
  const closing = new AbortController()
  const address = readAddress(url)
  const boss = new PgBoss({
    connectionString: toConnectionString(address),
    ssl: address.ssl,
    application_name: 'exam-practice jobs',
    max: 2,
    schedule: false,
    superviseIntervalSeconds: MONITOR_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue failed; trying again'))
  let started = false
  let worker: string | undefined

  return {
    async add(tx, id) {
      await boss.send(QUEUE, { id } satisfies Work, { db: fromDrizzle(tx, sql) })
    },
    wake() {
      if (worker !== undefined) boss.notifyWorker(worker)
    },
    async work({ concurrency, run, giveUp }) {
      await boss.start()
      started = true
      await boss.createQueue(LOST)
      await boss.createQueue(QUEUE, {
        heartbeatSeconds: HEARTBEAT_SECONDS,
        expireInSeconds: 6 * 3_600,
        retryLimit: 10,
        retryDelay: 1,
        deadLetter: LOST,
      })
      const options = { localConcurrency: concurrency, pollingIntervalSeconds: POLL_SECONDS }
      worker = await boss.work<Work>(QUEUE, options, async ([job]) => {
        if (job) await run(job.data.id, AbortSignal.any([job.signal, closing.signal]))
      })
      await boss.work<Work>(LOST, async ([job]) => {
        if (job) await giveUp(job.data.id)
      })
    },
    async close() {
      closing.abort()
      if (started) await boss.stop({ graceful: true, timeout: CLOSE_TIMEOUT_MS })
    },
  }
}
