import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Executor, Pool } from '../../db/database-client.ts'
import { isAnyOf, iso, only, type Places, query, statement, unseen } from '../../db/query.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { DAY_MS, localDays } from '../../formats/local-time.ts'
import { examsOf, studentsOf } from '../exams/exam-access.sql.ts'

/** Days as `YYYY-MM-DD`, both included. */
export interface Period {
  from: string
  to: string
}

/** Which results count: of one exam or all, of a period or all time. */
export interface Matching {
  examId: number | undefined
  /** Its students at its exams. */
  classId: number | undefined
  /** Exams whose results count as attempts alone. */
  unmarked?: number[]
  /** Attempts at which nothing could be scored count as 0 percent. */
  countsWorthless?: true
  period: Period | undefined
  timezone: string
}

/** Results column by column, most recent first: row n is the nth of each. */
export interface ResultColumns {
  userIds: Int32Array
  examIds: Int32Array
  /** Local days since 2000-01-01. */
  days: Int32Array
  /** As they are shown; NaN: there is none to be seen. */
  percentages: Float64Array
  /** The same, not rounded: averages are of these. */
  exact: Float64Array
}

const toValues = ({ period, ...wanted }: Matching) => ({ ...wanted, from: period?.from, to: period?.to })
type MatchingValues = ReturnType<typeof toValues>

function matches({ examId, classId, from, to, timezone }: Places<MatchingValues>): SQL | undefined {
  const midnight = (day: SQL, later: number) =>
    sql`((${day}::date + ${later}::int)::timestamp at time zone ${timezone})`
  return and(
    isNotNull(attempts.submittedAt),
    examId && eq(attempts.examId, examId),
    classId &&
      sql`${attempts.examId} in ${examsOf(classId)} and ${attempts.userId} in ${studentsOf(classId)}`,
    from && sql`${attempts.submittedAt} >= ${midnight(from, 0)}`,
    to && sql`${attempts.submittedAt} < ${midnight(to, 1)}`,
  )
}

/** Whether the marks of a result may be seen. */
const isMarked = ({ unmarked }: Places<MatchingValues>) =>
  unmarked ? sql`not ${isAnyOf(attempts.examId, unseen(unmarked))}` : sql`true`

/** Whether it has a percentage. */
const isWorth = ({ countsWorthless }: Places<MatchingValues>) =>
  countsWorthless ? sql`true` : sql`${attempts.maxScore} <> 0`

/** The percentage, not rounded, from the columns of an index; 0 where nothing could be scored. */
const EXACT = sql`coalesce(score::float8 / nullif(max_score::float8, 0) * 100, 0)`

const START_OF_2000 = Date.UTC(2000)
const DAY_OF_2000 = START_OF_2000 / DAY_MS
/** Bytes of one packed result: two ids, two doubles, and microseconds since 2000-01-01. */
const ROW = 32

const selectPacked = statement<MatchingValues & { limit: number }, { rows: Buffer | null }>(
  { rows: 'bytea' },
  ({ limit, ...wanted }) => sql`
    select string_agg(int8send(user_id::bigint << 32 | exam_id) || float8send(percentage) || float8send(exact)
             || timestamptz_send(submitted_at), '') as rows
      from (select user_id, exam_id, submitted_at, ${EXACT} as exact,
                   case when ${isMarked(wanted)} and ${isWorth(wanted)} then percentage else 'NaN' end as percentage
              from ${attempts} where ${matches(wanted)} order by submitted_at desc limit ${limit}) result`,
)

/**
 * The most recent matching results, from an index alone. They are packed into one value: reading fifty thousand rows
 * one by one would take the driver longer than the database. The local days are found here, since PostgreSQL looks
 * the time zone up for each row.
 */
export async function readResults(db: Pool, matching: Matching, limit: number): Promise<ResultColumns> {
  const bytes = only(await selectPacked(db, { ...toValues(matching), limit })).rows ?? Buffer.alloc(0)
  const count = bytes.length / ROW
  const dayOf = localDays(matching.timezone)
  const columns = {
    userIds: new Int32Array(count),
    examIds: new Int32Array(count),
    days: new Int32Array(count),
    percentages: new Float64Array(count),
    exact: new Float64Array(count),
  }
  for (let row = 0; row < count; row++) {
    const at = row * ROW
    columns.userIds[row] = bytes.readInt32BE(at)
    columns.examIds[row] = bytes.readInt32BE(at + 4)
    columns.percentages[row] = bytes.readDoubleBE(at + 8)
    columns.exact[row] = bytes.readDoubleBE(at + 16)
    const microseconds = bytes.readInt32BE(at + 24) * 2 ** 32 + bytes.readUInt32BE(at + 28)
    columns.days[row] = dayOf(START_OF_2000 + microseconds / 1_000) - DAY_OF_2000
  }
  return columns
}

const selectChanges = statement<object, { changes: number }>(
  { changes: 'float8' },
  () => sql`select coalesce(sum(amount), 0)::float8 as changes from counts where what = 'result_changes'`,
)

/** Grows with each change of results or pass marks: what was computed from them holds until it has grown. */
export async function countChanges(db: Pool): Promise<number> {
  return only(await selectChanges(db, {})).changes
}

export interface DashboardResultRow {
  id: number
  /** As answers have it. */
  submittedAt: string
  userId: number
  username: string
  fullName: string
  examName: string
  /** null: it may not be seen. */
  mark: { score: number; maxScore: number; percentage: number | null } | null
}

const selectResults = statement<
  MatchingValues & { limit: number; lastAt: string | undefined; lastId: number | undefined },
  DashboardResultRow
>(
  {
    id: 'integer',
    submittedAt: 'text',
    userId: 'integer',
    username: 'text',
    fullName: 'text',
    examName: 'text',
    mark: 'jsonb',
  },
  ({ limit, lastAt, lastId, ...wanted }) => {
    const older =
      lastAt && sql`(attempts.submitted_at, attempts.id) < (${lastAt}::timestamptz, ${lastId}::int)`
    return sql`
    select attempts.id, ${iso(sql`attempts.submitted_at`)} as "submittedAt", attempts.user_id as "userId",
           person.username, person.full_name as "fullName", exam.name as "examName",
           case when ${isMarked(wanted)} then jsonb_build_object(
             'score', attempts.score, 'maxScore', attempts.max_score,
             'percentage', case when ${isWorth(wanted)} then attempts.percentage end) end as mark
      from attempts join users person on person.id = attempts.user_id join exams exam on exam.id = attempts.exam_id
     where ${and(matches(wanted), older)}
     order by attempts.submitted_at desc, attempts.id desc limit ${limit}`
  },
)

/** Matching results, most recent first, from the one after `last` on. */
export function listResults(
  db: Pool,
  matching: Matching,
  limit: number,
  last?: DashboardResultRow,
): Promise<DashboardResultRow[]> {
  return selectResults(db, {
    ...toValues(matching),
    limit,
    lastAt: last?.submittedAt,
    lastId: last?.id,
  })
}

/** The percentage from which each exam is passed. */
export async function readPassMarks(db: Executor): Promise<Map<number, number>> {
  const rows = await db.select({ id: exams.id, passPercentage: exams.passPercentage }).from(exams)
  return new Map(rows.map(({ id, passPercentage }) => [id, passPercentage]))
}

/** What people and exams are called; those that don't exist any more are missing. */
export interface DashboardNames {
  people: Map<number, { username: string; fullName: string }>
  exams: Map<number, string>
}

interface DashboardNameRow {
  /** A person's; null: the name is an exam's. */
  username: string | null
  id: number
  name: string
}

const selectNames = statement<{ userIds: number[]; examIds: number[] }, DashboardNameRow>(
  { username: 'text', id: 'integer', name: 'text' },
  ({ userIds, examIds }) => sql`
    select username, id, full_name as name from users where ${isAnyOf(sql`id`, unseen(userIds))}
    union all
    select null, id, name from exams where ${isAnyOf(sql`id`, unseen(examIds))}`,
)

export async function readNames(db: Pool, userIds: number[], examIds: number[]): Promise<DashboardNames> {
  const names: DashboardNames = { people: new Map(), exams: new Map() }
  for (const { username, id, name } of await selectNames(db, { userIds, examIds }))
    if (username === null) names.exams.set(id, name)
    else names.people.set(id, { username, fullName: name })
  return names
}

export interface Totals {
  users: number
  exams: number
  results: number
  responses: number
}

export async function countEverything(db: Executor): Promise<Totals> {
  const rows = await query<Totals>(
    db,
    { users: 'integer', exams: 'integer', results: 'integer', responses: 'float8' },
    sql`
    select coalesce(sum(amount) filter (where what like 'role:%'), 0)::int as users,
           (select count(*)::int from exams) as exams,
           coalesce(sum(amount) filter (where what = 'results'), 0)::int as results,
           coalesce(sum(amount) filter (where what = 'responses'), 0)::float8 as responses
      from counts`,
  )
  return only(rows)
}
