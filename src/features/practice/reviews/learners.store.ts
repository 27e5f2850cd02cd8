import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import { isHelpLocked } from '../../help-lock/help-lock.sql.ts'

export interface Learner {
  userId: number
  seed: string
  arrivedOn: string
  arrived: number
}

const LEARNER = { userId: 'integer', seed: 'uuid', arrivedOn: 'text', arrived: 'integer' } as const
const LEARNER_COLUMNS = sql.raw('user_id as "userId", seed, arrived_on as "arrivedOn", arrived')

/** Those of these people who have practised before, and whether an exam locks their help at this moment. */
export async function listLearners(
  tx: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Learner & { isLocked: boolean }>> {
  const rows = await query<Learner & { isLocked: boolean }>(
    tx,
    { ...LEARNER, isLocked: 'boolean' },
    sql`
    select ${LEARNER_COLUMNS}, ${isHelpLocked(sql`practice_learners.user_id`)} as "isLocked"
      from practice_learners where ${isAnyOf(sql`user_id`, userIds)}`,
  )
  return new Map(rows.map((row) => [row.userId, row]))
}

/** Keeps the row until the transaction ends, and makes it where there is none. */
export async function lockLearner(tx: Executor, userId: number): Promise<Learner> {
  const rows = await query<Learner>(
    tx,
    LEARNER,
    sql`
    insert into practice_learners (user_id) values (${userId})
    on conflict (user_id) do update set arrived = practice_learners.arrived
    returning ${LEARNER_COLUMNS}`,
  )
  return only(rows)
}

/** How many reviews of these people have arrived on a day. */
export async function updateArrivals(
  tx: Executor,
  arrivedOn: string,
  arrivals: readonly { userId: number; arrived: number }[],
): Promise<void> {
  await tx.execute(sql`
    update practice_learners learner set arrived_on = ${arrivedOn}, arrived = given.arrived
      from unnest(${sql.param(arrivals.map(({ userId }) => userId))}::int[],
                  ${sql.param(arrivals.map(({ arrived }) => arrived))}::int[]) as given(user_id, arrived)
     where learner.user_id = given.user_id`)
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
