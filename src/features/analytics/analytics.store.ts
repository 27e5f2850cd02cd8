import { and, desc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { examsOf, studentsOf } from '../../db/exam-access.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { DAY_MS, localDays } from '../../formats/local-time.ts'

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
  period: Period | undefined
  timezone: string
}

/** Results column by column, most recent first: row n is the nth of each. */
export interface ResultColumns {
  userIds: Int32Array
  examIds: Int32Array
  /** Local days since 2000-01-01. */
  days: Int32Array
  percentages: Float64Array
}

function matches({ examId, classId, period, timezone }: Matching): SQL | undefined {
  const midnight = (day: string, later: number) =>
    sql`((${day}::date + ${later}::int)::timestamp at time zone ${timezone})`
  return and(
    isNotNull(attempts.submittedAt),
    examId === undefined ? undefined : eq(attempts.examId, examId),
    classId === undefined
      ? undefined
      : sql`${attempts.examId} in ${examsOf(classId)}
          and ${attempts.userId} in ${studentsOf(classId)}`,
    period && sql`${attempts.submittedAt} >= ${midnight(period.from, 0)}`,
    period && sql`${attempts.submittedAt} < ${midnight(period.to, 1)}`,
  )
}

const START_OF_2000 = Date.UTC(2000)
const DAY_OF_2000 = START_OF_2000 / DAY_MS
/** Bytes of one packed result: two ids, a double, and microseconds since 2000-01-01. */
const ROW = 24

/**
 * The most recent matching results, from an index alone. They are packed into one value: reading fifty thousand rows
 * one by one would take the driver longer than the database. The local days are found here, since PostgreSQL looks
 * the time zone up for each row.
 */
export async function readResults(db: Executor, matching: Matching, limit: number): Promise<ResultColumns> {
  const [packed] = await query<{ rows: Buffer | null }>(
    db,
    { rows: 'bytea' },
    sql`
    select string_agg(int8send(user_id::bigint << 32 | exam_id) || float8send(percentage)
             || timestamptz_send(submitted_at), '') as rows
      from (select user_id, exam_id, percentage, submitted_at from ${attempts}
             where ${matches(matching)} order by submitted_at desc limit ${limit}) result`,
  )
  const bytes = packed?.rows ?? Buffer.alloc(0)
  const count = bytes.length / ROW
  const dayOf = localDays(matching.timezone)
  const columns = {
    userIds: new Int32Array(count),
    examIds: new Int32Array(count),
    days: new Int32Array(count),
    percentages: new Float64Array(count),
  }
  for (let row = 0; row < count; row++) {
    const at = row * ROW
    columns.userIds[row] = bytes.readInt32BE(at)
    columns.examIds[row] = bytes.readInt32BE(at + 4)
    columns.percentages[row] = bytes.readDoubleBE(at + 8)
    const microseconds = bytes.readInt32BE(at + 16) * 2 ** 32 + bytes.readUInt32BE(at + 20)
    columns.days[row] = dayOf(START_OF_2000 + microseconds / 1_000) - DAY_OF_2000
  }
  return columns
}

/** Grows with each change of results or pass marks: what was computed from them holds until it has grown. */
export async function countChanges(db: Executor): Promise<number> {
  const rows = await query<{ changes: number }>(
    db,
    { changes: 'float8' },
    sql`select coalesce(sum(amount), 0)::float8 as changes from counts where what = 'result_changes'`,
  )
  return only(rows).changes
}

export interface ResultRow {
  id: number
  submittedAt: Date | null
  userId: number
  username: string
  fullName: string
  examName: string
  score: number | null
  maxScore: number | null
  percentage: number | null
}

/** Matching results, most recent first, from the one after `last` on. */
export async function listResults(
  db: Executor,
  matching: Matching,
  limit: number,
  last?: ResultRow,
): Promise<ResultRow[]> {
  const older =
    last && sql`(${attempts.submittedAt}, ${attempts.id}) < (${last.submittedAt?.toISOString()}, ${last.id})`
  return db
    .select({
      id: attempts.id,
      submittedAt: attempts.submittedAt,
      userId: attempts.userId,
      username: users.username,
      fullName: users.fullName,
      examName: exams.name,
      score: attempts.score,
      maxScore: attempts.maxScore,
      percentage: attempts.percentage,
    })
    .from(attempts)
    .innerJoin(users, eq(users.id, attempts.userId))
    .innerJoin(exams, eq(exams.id, attempts.examId))
    .where(and(matches(matching), older))
    .orderBy(desc(attempts.submittedAt), desc(attempts.id))
    .limit(limit)
}

/** The percentage from which each exam is passed. */
export async function readPassMarks(db: Executor): Promise<Map<number, number>> {
  const rows = await db.select({ id: exams.id, passPercentage: exams.passPercentage }).from(exams)
  return new Map(rows.map(({ id, passPercentage }) => [id, passPercentage]))
}

export async function listExams(db: Executor, ids: number[]): Promise<{ id: number; name: string }[]> {
  return db.select({ id: exams.id, name: exams.name }).from(exams).where(isAnyOf(exams.id, ids))
}

export async function listPeople(
  db: Executor,
  ids: number[],
): Promise<{ id: number; username: string; fullName: string }[]> {
  return db
    .select({ id: users.id, username: users.username, fullName: users.fullName })
    .from(users)
    .where(isAnyOf(users.id, ids))
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
