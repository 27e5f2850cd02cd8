import { type SQL, sql } from 'drizzle-orm'
import type { Allowance } from '../../../schemas/allowances.ts'
import type { Executor } from '../../db/client.ts'

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
    select student_id, username, exam_id, exam_name, max_attempts, attempts_used from (${allowances(filter)}) allowance
     order by lower(username), exam_id limit ${limit} offset ${offset}`)
  return rows as unknown as AllowanceRow[]
}

export async function countAllowances(db: Executor, filter: AllowanceFilter): Promise<number> {
  const [row] = await db.execute<{ total: number }>(
    sql`select count(*)::int as total from (${allowances(filter)}) allowance`,
  )
  return row?.total ?? 0
}

/** Whether there is such an account, with a role that takes exams, and such an exam. */
export async function hasStudentAndExam(db: Executor, studentId: number, examId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from users, exams where users.id = ${studentId} and exams.id = ${examId} and ${isStudent}`)
  return rows.length > 0
}

const isStudent = sql`users.id > 0 and users.role <> 'admin'`

/** Every student × every exam that is capped or that they have attempted (contract §10). */
function allowances({ q, examId, status }: AllowanceFilter): SQL {
  const conditions = [
    isStudent,
    sql`(exams.max_attempts is not null or used.attempts_used is not null)`,
    ...(examId === undefined ? [] : [sql`exams.id = ${examId}`]),
    ...(q ? [sql`(users.username ilike ${pattern(q)} or users.full_name ilike ${pattern(q)})`] : []),
    ...(status === undefined ? [] : [STATUSES[status]]),
  ]
  return sql`
    select users.id as student_id, users.username, exams.id as exam_id, exams.name as exam_name,
           exams.max_attempts, coalesce(used.attempts_used, 0) as attempts_used
      from users cross join exams
      left join (select user_id, exam_id, count(*)::int as attempts_used from attempts group by user_id, exam_id) used
        on used.user_id = users.id and used.exam_id = exams.id
     where ${sql.join(conditions, sql` and `)}`
}

const STATUSES: Record<Allowance['status'], SQL> = {
  unlimited: sql`exams.max_attempts is null`,
  available: sql`exams.max_attempts > coalesce(used.attempts_used, 0)`,
  exhausted: sql`exams.max_attempts <= coalesce(used.attempts_used, 0)`,
}

function pattern(q: string): string {
  return `%${q.replace(/[\\%_]/g, '\\$&')}%`
}
