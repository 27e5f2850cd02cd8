import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import { type Row, rowOf } from '../../../db/rows.ts'
import { practiceLearners } from '../../../db/tables/practice.tables.ts'
import { isHelpLocked } from '../../help-lock/help-lock.sql.ts'

const LEARNER = rowOf(practiceLearners)
export type Learner = Row<typeof LEARNER>

const ARRIVALS = rowOf(practiceLearners, ['userId', 'arrived'])

/** Those of these people who have practised before, and whether an exam locks their help at this moment. */
export async function listLearners(
  tx: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Learner & { isLocked: boolean }>> {
  const rows = await query<Learner & { isLocked: boolean }>(
    tx,
    { ...LEARNER.check, isLocked: 'boolean' },
    sql`
    select ${LEARNER.columns()}, ${isHelpLocked(sql`practice_learners.user_id`)} as "isLocked"
      from practice_learners where ${isAnyOf(sql`user_id`, userIds)}`,
  )
  return new Map(rows.map((row) => [row.userId, row]))
}

/** Keeps the row until the transaction ends, and makes it where there is none. */
export async function lockLearner(tx: Executor, userId: number): Promise<Learner> {
  const rows = await query<Learner>(
    tx,
    LEARNER.check,
    sql`
    insert into practice_learners (user_id) values (${userId})
    on conflict (user_id) do update set arrived = practice_learners.arrived
    returning ${LEARNER.columns()}`,
  )
  return only(rows)
}

/** How many reviews of these people have arrived on a day. */
export async function updateArrivals(
  tx: Executor,
  arrivedOn: string,
  arrivals: readonly Row<typeof ARRIVALS>[],
): Promise<void> {
  await tx.execute(sql`
    update practice_learners learner set arrived_on = ${arrivedOn}, arrived = given.arrived
      from ${ARRIVALS.given(arrivals)}
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
