import { type SQL, sql } from 'drizzle-orm'
import type { Allowance } from '../../../schemas/admin/allowances.ts'
import type { Executor } from '../../db/client.ts'
import { query } from '../../db/query.ts'
import { contains, foldedCase } from '../../db/search.ts'
import { isAccount } from '../../db/tables/people/users.ts'

export interface AllowanceFilter {
  /** Part of the username or full name, in any case. */
  q: string | undefined
  examId: number | undefined
  status: Allowance['status'] | undefined
}

export interface AllowanceRow {
  studentId: number
  username: string
  examId: number
  examName: string
  /** null: uncapped. */
  maxAttempts: number | null
  attemptsUsed: number
}

/** A page by username. `total` is the number of rows in all: it decides how the page is looked up. */
export async function listAllowances(
  db: Executor,
  filter: AllowanceFilter,
  total: number,
  limit: number,
  offset: number,
): Promise<AllowanceRow[]> {
  if (offset >= total) return []
  return query<AllowanceRow>(
    db,
    sql`
    select users.id as "studentId", users.username, exams.id as "examId", exams.name as "examName",
           exams.max_attempts as "maxAttempts", used.attempts_used as "attemptsUsed"
      from users ${pairs(filter)}
     where ${sql.join([...conditions(filter), ofStatus(filter), ...(total < FEW ? ofFew(filter) : [])], sql` and `)}
     order by ${foldedCase(sql`users.username`)}, exams.id limit ${limit} offset ${offset}`,
  )
}

/** How many rows there are. Without a search, the number comes from counts that triggers maintain. */
export async function countAllowances(db: Executor, filter: AllowanceFilter): Promise<number> {
  const capped = sql`
    (select count(*) from exams where ${sql.join([sql`exams.max_attempts is not null`, ...ofExam(filter)], sql` and `)})`
  const [row] = filter.q
    ? await query<Totals>(
        db,
        sql`
        select (select count(*) from users where ${sql.join([isStudent, ...ofStudent(filter)], sql` and `)})::float8
                 * ${capped} as capped, ${TOTALS}
          from (${attempted(conditions(filter))}) attempted join exams on exams.id = exam_id`,
      )
    : await query<Totals>(
        db,
        sql`
        select (select coalesce(sum(amount), 0) from counts where what in ('role:user', 'role:user,admin'))::float8
                 * ${capped} as capped, ${TOTALS}
          from (select exam_id, used, amount from counts where what = 'attempted'
                -- Of those who take no exams any more.
                union all select exam_id, used, -amount
                  from (${attempted([sql`(users.role = 'admin' or users.deleted_at is not null)`, ...ofExam(filter)])}) others) attempted
          join exams on exams.id = exam_id
         where ${sql.join([sql`true`, ...ofExam(filter)], sql` and `)}`,
      )
  const { capped: pairsOfCapped = 0, unlimited = 0, exhausted = 0 } = row ?? {}
  switch (filter.status) {
    case 'unlimited':
      return unlimited
    case 'exhausted':
      return exhausted
    case 'available':
      return pairsOfCapped - exhausted
    case undefined:
      return pairsOfCapped + unlimited
  }
}

interface Totals {
  /** Pairs of a student and a capped exam: a product, since the pairs are not stored. */
  capped: number
  unlimited: number
  exhausted: number
}

const TOTALS = sql`
  coalesce(sum(amount) filter (where max_attempts is null), 0)::int as unlimited,
  coalesce(sum(amount) filter (where max_attempts <= used), 0)::int as exhausted`

/** People with attempts at an exam, by how many they have used. */
function attempted(conditions: SQL[]): SQL {
  return sql`
    select exam_id, count(*)::int as used, 1 as amount
      from attempts join users on users.id = user_id join exams on exams.id = exam_id
     where ${sql.join(conditions, sql` and `)} group by user_id, exam_id`
}

/** Whether there is such an account, with a role that takes exams, and such an exam. */
export async function hasStudentAndExam(db: Executor, studentId: number, examId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from users, exams where users.id = ${studentId} and exams.id = ${examId} and ${isStudent}`)
  return rows.length > 0
}

const isStudent = sql`${isAccount()} and users.role <> 'admin'`

function conditions(filter: AllowanceFilter): SQL[] {
  return [isStudent, ...ofStudent(filter), ...ofExam(filter)]
}

function ofStudent({ q }: AllowanceFilter): SQL[] {
  return q ? [sql`(${contains(sql`users.username`, q)} or ${contains(sql`users.full_name`, q)})`] : []
}

function ofExam({ examId }: AllowanceFilter): SQL[] {
  return examId === undefined ? [] : [sql`exams.id = ${examId}`]
}

/**
 * The exams of a student, with the number of their attempts as `used`. Usually most pairs make a row, so each pair is
 * looked up in the index: a page costs as much as it shows. Rows that need attempts are found from the student's
 * attempts instead.
 */
function pairs({ status }: AllowanceFilter): SQL {
  return status === 'unlimited' || status === 'exhausted'
    ? sql`cross join lateral (
        select exam_id, count(*)::int as attempts_used from attempts where user_id = users.id group by exam_id) used
      join exams on exams.id = used.exam_id`
    : sql`cross join exams cross join lateral (
        select count(*)::int as attempts_used from attempts where user_id = users.id and exam_id = exams.id) used`
}

/** Fewer rows than this are found from the attempts. If there are more, reading students in order soon fills a page. */
const FEW = 5_000

/** Only students who can have such a row: somebody who has used up an exam has an attempt with that number. */
function ofFew({ status }: AllowanceFilter): SQL[] {
  const from = sql`users.id in (select user_id from attempts join exams on exams.id = exam_id`
  if (status === 'unlimited') return [sql`${from} where max_attempts is null)`]
  if (status === 'exhausted') return [sql`${from} where attempt_number >= max_attempts)`]
  return []
}

/**
 * Every student × every exam that is capped or that they have attempted (docs/protocol/http.md#people), or
 * those of a status.
 */
function ofStatus({ status }: AllowanceFilter): SQL {
  switch (status) {
    case 'unlimited':
      return sql`exams.max_attempts is null`
    case 'exhausted':
      return sql`exams.max_attempts <= used.attempts_used`
    case 'available':
      return sql`exams.max_attempts > used.attempts_used`
    case undefined:
      return sql`(exams.max_attempts is not null or used.attempts_used > 0)`
  }
}
