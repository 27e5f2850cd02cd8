import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { every } from '../scheduling/periodic.ts'
import {
  closeDatabase,
  connectDatabase,
  type DatabaseOptions,
  type Db,
  type Executor,
} from './database-client.ts'
import { only, query } from './query.ts'

/** How far behind the primary a replica may be, in milliseconds; while it is further, reads are the primary's. */
export const MOST_BEHIND_MS = 5_000
const LOOK_MS = 500

/** A standby of the primary, for reads that may be some seconds old. */
export interface ReadReplica {
  db: Db
  /** Whether it answers, and has all that the primary had committed `MOST_BEHIND_MS` ago. */
  isCurrent(): boolean
  close(): Promise<void>
}

export function followReplica(
  primary: Db,
  options: Omit<DatabaseOptions, 'prepare'>,
  log: FastifyBaseLogger,
): ReadReplica {
  // Few large reads, which a plan for their own values serves best.
  const db = connectDatabase({ ...options, prepare: false })
  /** Where the primary's log was, and when; the oldest first. */
  let marks: { at: number; position: bigint }[] = []
  let currentAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    try {
      const at = performance.now()
      marks = marks.filter((mark) => at - mark.at <= MOST_BEHIND_MS)
      marks.push({ at, position: await readWritten(primary) })
      const replayed = await readReplayed(db)
      currentAt = marks.findLast(({ position }) => position <= replayed)?.at ?? currentAt
    } catch (error) {
      currentAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  const looking = every(LOOK_MS, 'following the replica of DATABASE_READ_URL', look, log)
  looking.soon()
  return {
    db,
    isCurrent: () => performance.now() - currentAt <= MOST_BEHIND_MS,
    async close() {
      await looking.close()
      await closeDatabase(db)
    },
  }
}

/** Whether a standby has, within `MOST_BEHIND_MS`, all that the primary has acknowledged by now. */
export async function hasCaughtUp(url: string, primary: Executor): Promise<boolean> {
  const db = connectDatabase({ url, pool: 1, prepare: false })
  try {
    const written = await readWritten(primary)
    const deadline = performance.now() + MOST_BEHIND_MS
    while ((await readReplayed(db)) < written) {
      if (performance.now() > deadline) return false
      await sleep(100)
    }
    return true
  } finally {
    await closeDatabase(db)
  }
}

/** Up to where a primary has written its log: what it has acknowledged is before that. */
async function readWritten(primary: Executor): Promise<bigint> {
  const rows = await query<{ position: string }>(
    primary,
    { position: 'text' },
    sql`select pg_current_wal_lsn()::text as position`,
  )
  return toNumber(only(rows).position)
}

/** Up to where a standby has everything. Throws if it isn't a standby. */
async function readReplayed(standby: Executor): Promise<bigint> {
  const rows = await query<{ position: string | null }>(
    standby,
    { position: 'text' },
    sql`select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end::text as position`,
  )
  const { position } = only(rows)
  if (position === null) throw new Error('DATABASE_READ_URL: what answers there is no standby')
  return toNumber(position)
}

/** PostgreSQL writes a position as two hexadecimal halves: `16/B374D848`. */
function toNumber(position: string): bigint {
  const [high, low] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
