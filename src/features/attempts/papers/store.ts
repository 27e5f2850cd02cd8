import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { query } from '../../../db/query.ts'
import { examPapers } from '../../../db/tables/exams/attempts.ts'

export type PaperRow = typeof examPapers.$inferSelect

export async function findPaper(db: Executor, id: number): Promise<PaperRow | undefined> {
  const [row] = await db.select().from(examPapers).where(eq(examPapers.id, id))
  return row
}

/**
 * Stores the current questions in one statement. If another transaction has stored the same paper first, the answer is
 * the id of that one. The exam's row is locked before the paper's, as when an exam is deleted.
 */
export async function insertCurrentPaper(db: Executor, examId: number): Promise<number | undefined> {
  const [row] = await query<{ id: number }>(
    db,
    sql`
    insert into exam_papers (exam_id, version, msq_scoring, questions)
    select e.id, e.paper_version, e.msq_scoring, coalesce((
             select jsonb_agg(jsonb_build_object(
                      'id', q.id, 'question_text', q.question_text, 'question_type', q.question_type,
                      'option_a', q.option_a, 'option_b', q.option_b, 'option_c', q.option_c, 'option_d', q.option_d,
                      'image_path', q.image_path, 'correct_answer', q.correct_answer,
                      'key_version', q.key_version,
                      'positive_marks', q.positive_marks::text, 'negative_marks', q.negative_marks::text,
                      'tolerance', q.tolerance::text) order by q.id)
               from questions q where q.exam_id = e.id), '[]')
      from exams e where e.id = ${examId} for key share of e
    on conflict (exam_id, version, msq_scoring) do update set questions = exam_papers.questions
    returning id`,
  )
  return row?.id
}
