import { desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import type { Executor } from '../../db/database-client.ts'
import { midnight } from '../../db/midnights.ts'
import { only, query } from '../../db/query.ts'
import { rowOf } from '../../db/rows.ts'
import { aiDays, aiRequests } from '../../db/tables/ai-usage.tables.ts'

export type DayRow = typeof aiDays.$inferSelect
/** What is to be added to the counts of a day. */
export type DayChange = { day: string } & Partial<Omit<DayRow, 'day'>>

const DAY = rowOf(aiDays)
const COUNTS = Object.keys(DAY.check).filter((name) => name !== 'day') as Exclude<keyof DayRow, 'day'>[]
const NOTHING = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Omit<DayRow, 'day'>
const ADDED = sql.join(
  COUNTS.map((name) => sql.identifier(toSnakeCase(name))).map(
    (column) => sql`${column} = ai_days.${column} + excluded.${column}`,
  ),
  sql`, `,
)

/** Adds to the counts of days. It locks their rows, so it stands at the end of a transaction. */
export async function addToDays(db: Executor, changes: readonly DayChange[]): Promise<void> {
  const days = new Map<string, DayRow>()
  for (const change of changes) {
    const sum = days.get(change.day) ?? { ...NOTHING, day: change.day }
    for (const name of COUNTS) sum[name] += change[name] ?? 0
    days.set(change.day, sum)
  }
  // In one order, so that two transactions never wait for each other.
  const rows = [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1))
  await db.execute(sql`
    insert into ai_days (${DAY.names()}) select ${DAY.names()} from ${DAY.given(rows)} order by day
    on conflict (day) do update set ${ADDED}`)
}

export interface TokenRequest {
  /** Of the service's time zone. */
  day: string
  /** Who asks the tutor; undefined: a job does. */
  userId: number | undefined
  jobId: string | undefined
  /** What it may take in all. */
  tokens: number
  /** What it may write. */
  maxTokens: number
  /** Tokens of a day. */
  budget: number
  /** Those of them that this person, or all jobs, may take. */
  share: number
  /** How long they stay reserved. */
  seconds: number
}

/** Why tokens weren't reserved: `spent` won't change on this day, `reserved` may. */
type TokenOutcome = { refusal: null; id: number } | { refusal: 'spent' | 'reserved'; id: null }

/** Reserves tokens, or says why not. Needs the lock of the budget. Forgets what nobody needs any more. */
export async function reserveTokens(db: Executor, request: TokenRequest): Promise<TokenOutcome> {
  const { day, userId = null, jobId = null, tokens, maxTokens, budget, share, seconds } = request
  const isReserved = sql`expires_at > now()`
  const isOwn: SQL = userId === null ? sql`user_id is null` : sql`user_id = ${userId}::int`
  const ownSpent =
    userId === null
      ? sql`coalesce((select spent_by_jobs from ai_days where day = ${day}::date), 0)`
      : sql`(select coalesce(sum(tokens), 0) from ai_requests where ${isOwn} and day = ${day}::date and expires_at is null)`
  return only(
    await query<TokenOutcome>(
      db,
      { refusal: 'text', id: 'integer' },
      sql`
      with forgotten as (
        delete from ai_requests where expires_at <= now() or (expires_at is null and day < ${day}::date)
      ), known as (
        select coalesce((select spent_by_tutor + spent_by_jobs from ai_days where day = ${day}::date), 0) as spent,
               (select coalesce(sum(tokens), 0) from ai_requests where ${isReserved}) as reserved,
               ${ownSpent} as own_spent,
               (select coalesce(sum(tokens), 0) from ai_requests where ${isOwn} and ${isReserved}) as own_reserved
      ), decided as (
        select case when spent + ${maxTokens}::int > ${budget}::bigint or own_spent + ${maxTokens}::int > ${share}::bigint
                    then 'spent'
                    when spent + reserved + ${maxTokens}::int > ${budget}::bigint
                      or own_spent + own_reserved + ${maxTokens}::int > ${share}::bigint then 'reserved' end as refusal
          from known
      ), kept as (
        insert into ai_requests (day, user_id, job_id, tokens, expires_at)
        select ${day}::date, ${userId}::int, ${jobId}::uuid, ${tokens}::int, now() + make_interval(secs => ${seconds})
          from decided where refusal is null
        returning id
      )
      select refusal, (select id from kept) as id from decided`,
    ),
  )
}

/** Ends the reservation of a person: what they took counts until midnight. */
export async function endPersonsRequest(db: Executor, id: number, tokens: number): Promise<void> {
  await db.update(aiRequests).set({ tokens, expiresAt: null }).where(eq(aiRequests.id, id))
}

export async function deleteRequest(db: Executor, id: number): Promise<void> {
  await db.delete(aiRequests).where(eq(aiRequests.id, id))
}

/** Frees what earlier workers of a job have reserved. */
export async function deleteRequestsOfJob(db: Executor, jobId: string): Promise<void> {
  await db.delete(aiRequests).where(eq(aiRequests.jobId, jobId))
}

/** From a day on, newest first. */
export async function listDays(db: Executor, from: string): Promise<DayRow[]> {
  return db.select().from(aiDays).where(gte(aiDays.day, from)).orderBy(desc(aiDays.day))
}

/** The seconds until the next midnight. */
export async function secondsToMidnight(db: Executor, now: Date, timezone: string): Promise<number> {
  const rows = await query<{ seconds: number }>(
    db,
    { seconds: 'float8' },
    sql`select extract(epoch from ${midnight(now, timezone, 1)} - ${now.toISOString()}::timestamptz)::float8 as seconds`,
  )
  return only(rows).seconds
}
