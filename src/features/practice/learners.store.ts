import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only, query } from '../../db/query.ts'

export interface Learner {
  userId: number
  seed: string
  arrivedOn: string
  arrived: number
}

export async function findSeed(db: Executor, userId: number): Promise<string | undefined> {
  const [row] = await query<{ seed: string }>(
    db,
    { seed: 'uuid' },
    sql`select seed from practice_learners where user_id = ${userId}`,
  )
  return row?.seed
}

/** Makes the row where there is none. */
export async function lockLearner(tx: Executor, userId: number): Promise<Learner> {
  const rows = await query<Learner>(
    tx,
    { userId: 'integer', seed: 'uuid', arrivedOn: 'text', arrived: 'integer' },
    sql`
    insert into practice_learners (user_id) values (${userId})
    on conflict (user_id) do update set arrived = practice_learners.arrived
    returning user_id as "userId", seed, arrived_on as "arrivedOn", arrived`,
  )
  return only(rows)
}

export async function updateArrivals(
  tx: Executor,
  userId: number,
  arrivedOn: string,
  arrived: number,
): Promise<void> {
  await tx.execute(sql`
    update practice_learners set arrived_on = ${arrivedOn}, arrived = ${arrived} where user_id = ${userId}`)
}

/** When the local day after that of an instant begins; both in milliseconds since the epoch. */
export async function findNextDay(db: Executor, instant: number, timezone: string): Promise<number> {
  const rows = await query<{ at: number }>(
    db,
    { at: 'float8' },
    sql`
    select (extract(epoch from ((to_timestamp(${instant} / 1000.0) at time zone ${timezone})::date + 1)::timestamp
              at time zone ${timezone}) * 1000)::float8 as at`,
  )
  return only(rows).at
}
