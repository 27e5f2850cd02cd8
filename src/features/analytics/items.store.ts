import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import type { Answers } from '../../db/tables/attempts.tables.ts'
import { studentsOf } from '../exams/exam-access.sql.ts'

/** Finished attempts at the exam, the first or last of each student or all, of a class or everybody, by their ids. */
export async function listChosen(
  db: Executor,
  examId: number,
  which: 'first' | 'last' | 'all',
  classId: number | undefined,
): Promise<{ id: number; paperId: number }[]> {
  const one = which === 'all' ? sql`` : sql`distinct on (user_id)`
  const order = which === 'last' ? sql`desc` : sql`asc`
  return query<{ id: number; paperId: number }>(
    db,
    { id: 'integer', paperId: 'integer' },
    sql`
    select id, paper_id as "paperId" from (
      select ${one} id, paper_id from attempts
       where exam_id = ${examId} and submitted_at is not null
         ${classId === undefined ? sql`` : sql`and user_id in ${studentsOf(classId)}`}
       order by user_id, attempt_number ${order}) chosen
     order by id`,
  )
}

export interface ChosenAttempt {
  paperId: number
  seed: string | null
  drawn: number[] | null
  answers: Answers
  /** null: nothing could be scored. */
  score: number | null
}

/** By their ids: sums of decimals depend on the order. */
export async function listAnswers(db: Executor, ids: number[]): Promise<ChosenAttempt[]> {
  return query<ChosenAttempt>(
    db,
    { paperId: 'integer', seed: 'uuid', drawn: 'integer[]', answers: 'jsonb', score: 'float8' },
    sql`
    select paper_id as "paperId", seed, drawn, answers, case when max_score <> 0 then score::float8 end as score
      from attempts where ${isAnyOf(sql`id`, ids)} order by id`,
  )
}
