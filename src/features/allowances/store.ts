import { type SQL, sql } from 'drizzle-orm'
import type { Allowance } from '../../../schemas/allowances.ts'
import type { Executor } from '../../db/client.ts'
import { contains } from '../../db/search.ts'

export interface AllowanceFilter {
  /** Part of the username or full name, in any case. */
  q: string | undefined
  examId: number | undefined
  status: Allowance['status'] | undefined
}

export interface AllowanceRow {
  student_id: number
  username: string
  exam_id: number
  exam_name: string
  /** null: uncapped. */
  max_attempts: number | null
  attempts_used: number
}

export async function listAllowances(
  db: Executor,
  filter: AllowanceFilter,
  limit: number,
  offset: number,
): Promise<AllowanceRow[]> {
  const rows = await db.execute(sql`
    select users.id as student_id, users.username, exams.id as exam_id, exams.name as exam_name,
           exams.max_attempts, used.attempts_used
      from users cross join exams ${attemptsUsed(filter)}
     where ${sql.join([...conditions(filter), ofStatus(filter)], sql` and `)}
     order by lower(users.username), exams.id limit ${limit} offset ${offset}`)
  return rows as unknown as AllowanceRow[]
}

/** From what was attempted alone: students × exams are counted by multiplying, not by making the pairs. */
export async function countAllowances(db: Executor, filter: AllowanceFilter): Promise<number> {
  const students = [isStudent, ...ofStudent(filter)]
  const [row] = await db.execute<{ capped: number; unlimited: number; exhausted: number }>(sql`
    select (select count(*) from users where ${sql.join(students, sql` and `)})::float8
             * (select count(*) from exams
                 where ${sql.join([sql`exams.max_attempts is not null`, ...ofExam(filter)], sql` and `)}) as capped,
           count(*) filter (where max_attempts is null)::int as unlimited,
           count(*) filter (where max_attempts <= attempts_used)::int as exhausted
      from (select exams.max_attempts, count(*) as attempts_used
              from attempts join users on users.id = user_id join exams on exams.id = exam_id
             where ${sql.join(conditions(filter), sql` and `)} group by user_id, exams.id) attempted`)
  const { capped = 0, unlimited = 0, exhausted = 0 } = row ?? {}
  switch (filter.status) {
    case 'unlimited':
      return unlimited
    case 'exhausted':
      return exhausted
    case 'available':
      return capped - exhausted
    case undefined:
      return capped + unlimited
  }
}

/** Whether there is such an account, with a role that takes exams, and such an exam. */
export async function hasStudentAndExam(db: Executor, studentId: number, examId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from users, exams where users.id = ${studentId} and exams.id = ${examId} and ${isStudent}`)
  return rows.length > 0
}

const isStudent = sql`users.id > 0 and users.role <> 'admin'`

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
 * Attempts of a student at an exam, as `used`. Most pairs have a row, made from one look into an index each: a
 * page costs as much as it shows. Those that must have attempts are found from the attempts.
 */
function attemptsUsed({ status }: AllowanceFilter): SQL {
  return status === 'unlimited' || status === 'exhausted'
    ? sql`join (select user_id, exam_id, count(*)::int as attempts_used from attempts group by user_id, exam_id) used
        on used.user_id = users.id and used.exam_id = exams.id`
    : sql`cross join lateral (
        select count(*)::int as attempts_used from attempts where user_id = users.id and exam_id = exams.id) used`
}

/** Every student × every exam that is capped or that they have attempted (contract §10), or those of a status. */
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
