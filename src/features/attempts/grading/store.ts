import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { query } from '../../../db/query.ts'
import { type Regrade, regrades } from '../../../db/tables/exams/corrections.ts'

/** The regrades of an exam that are in force, oldest first. */
export async function listInForce(db: Executor, examId: number): Promise<Regrade[]> {
  const { id, questionId, action, correctAnswer, tolerance, questionType, keyVersion } = regrades
  return db
    .select({ id, questionId, action, correctAnswer, tolerance, questionType, keyVersion })
    .from(regrades)
    .where(and(eq(regrades.examId, examId), isNull(regrades.undoneAt)))
    .orderBy(regrades.id)
}

/** The keys of these questions that would grade a new paper, where regrades say so. */
export async function listKeysInForce(
  db: Executor,
  questionIds: number[],
): Promise<{ questionId: number; correctAnswer: string; tolerance: number }[]> {
  return query<{ questionId: number; correctAnswer: string; tolerance: number }>(
    db,
    sql`
    select distinct on (r.question_id) r.question_id as "questionId", r.correct_answer as "correctAnswer",
           r.tolerance::float8 as tolerance
      from regrades r join questions q on q.id = r.question_id and q.exam_id = r.exam_id
     where r.question_id = any(${sql.param(questionIds)}::int[]) and r.action = 'new_key' and r.undone_at is null
       and r.question_type = q.question_type and q.key_version <= r.key_version
     order by r.question_id, r.id desc`,
  )
}
