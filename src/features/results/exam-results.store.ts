import { eq, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { type Columns, query } from '../../db/query.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'

/** Whose results: all who took the exam, or the students of a class. */
export interface ResultsScope {
  examId: number
  classId: number | undefined
}

interface Mark {
  score: number
  maxScore: number
  percentage: number
}

export interface StudentResultRow {
  userId: number
  username: string
  fullName: string
  attempts: number
  passPercentage: number
  best: Mark | null
  newest:
    | (Mark & {
        id: number
        attemptNumber: number
        status: 'submitted' | 'expired'
        handedIn: boolean
        submittedAt: string
      })
    | null
  active: { id: number; startedAt: string; endsAt: string | null; answered: number } | null
}

const RESULT_TYPES: Columns<StudentResultRow> = {
  userId: 'integer',
  username: 'text',
  fullName: 'text',
  attempts: 'integer',
  passPercentage: 'float8',
  best: 'jsonb',
  newest: 'jsonb',
  active: 'jsonb',
}

/** How many questions have a saved answer. */
const ANSWERED = sql`(select count(*)::int from jsonb_each(a.answers) answer where answer.value <> 'null')`

const MARK = sql`'score', a.score, 'maxScore', a.max_score, 'percentage', a.percentage`

/** A page by username. */
export async function listResults(
  db: Executor,
  whose: ResultsScope,
  limit: number,
  offset: number,
): Promise<StudentResultRow[]> {
  const own = sql`a.user_id = person.id and a.exam_id = ${whose.examId}`
  return query<StudentResultRow>(
    db,
    RESULT_TYPES,
    sql`
    select person.id as "userId", person.username, person.full_name as "fullName",
           (select count(*)::int from attempts a where ${own} and a.status <> 'manual') as attempts,
           exams.pass_percentage::float8 as "passPercentage",
           (select jsonb_build_object(${MARK}) from attempts a
             where ${own} and a.percentage is not null
             order by a.max_score = 0, a.percentage desc, a.attempt_number limit 1) as best,
           (select jsonb_build_object(${MARK}, 'id', a.id, 'attemptNumber', a.attempt_number, 'status', a.status,
                                      'handedIn', a.handed_in, 'submittedAt', a.submitted_at)
              from attempts a
             where ${own} and a.percentage is not null order by a.attempt_number desc limit 1) as newest,
           (select jsonb_build_object('id', a.id, 'startedAt', a.started_at, 'endsAt', a.ends_at, 'answered', ${ANSWERED})
              from attempts a where ${own} and a.status = 'active' limit 1) as active
      from (select users.id, users.username, users.full_name from ${people(whose)}
             order by ${foldedCase(sql`users.username`)} limit ${limit} offset ${offset}) person
      join exams on exams.id = ${whose.examId}
     order by ${foldedCase(sql`person.username`)}`,
  )
}

export async function countResults(db: Executor, whose: ResultsScope): Promise<number> {
  const [row] = await query<{ people: number }>(
    db,
    { people: 'integer' },
    sql`select count(*)::int as people from ${people(whose)}`,
  )
  return row?.people ?? 0
}

/** The rows of `users`, with the condition behind them. */
function people({ examId, classId }: ResultsScope): SQL {
  return classId === undefined
    ? sql`users where ${isAccount()} and id in (
        select user_id from attempts where exam_id = ${examId} and status <> 'manual')`
    : sql`class_members member join users on users.id = member.user_id and ${isAccount()}
       where member.class_id = ${classId} and member.role = 'student' and member.left_at is null`
}

export async function findExamName(db: Executor, examId: number): Promise<string | undefined> {
  const [row] = await db.select({ name: exams.name }).from(exams).where(eq(exams.id, examId))
  return row?.name
}
