import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { examPapers } from '../../db/tables/attempts.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { isCurrentPaper } from './current-paper.sql.ts'

export type PaperRow = typeof examPapers.$inferSelect

export async function findPaper(db: Executor, id: number): Promise<PaperRow | undefined> {
  const [row] = await db.select().from(examPapers).where(eq(examPapers.id, id))
  return row
}

/** The id of the paper of the exam's questions as they are now; undefined where it is not stored yet. */
export async function findCurrentPaper(db: Executor, examId: number): Promise<number | undefined> {
  const [row] = await db
    .select({ id: examPapers.id })
    .from(exams)
    .innerJoin(examPapers, isCurrentPaper)
    .where(eq(exams.id, examId))
  return row?.id
}

/**
 * Stores the current questions in one statement. If another transaction has stored the same paper first, the answer is
 * the id of that one. The exam's row is locked before the paper's, as when an exam is deleted.
 */
export async function insertCurrentPaper(db: Executor, examId: number): Promise<number | undefined> {
  const [row] = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    insert into exam_papers (exam_id, version, msq_scoring, questions)
    select e.id, e.paper_version, e.msq_scoring, paper.questions
      from exams e, lateral (
             select coalesce(jsonb_agg(jsonb_build_object(
                      'id', q.id, 'question_text', q.question_text, 'question_type', q.question_type,
                      'option_a', q.option_a, 'option_b', q.option_b, 'option_c', q.option_c, 'option_d', q.option_d,
                      'more_options', q.more_options, 'parts', q.parts, 'tag_keys', q.tag_keys,
                      'image_path', q.image_path, 'image_alt', q.image_alt,
                      'correct_answer', q.correct_answer,
                      'key_version', q.key_version, 'content_version', q.content_version,
                      'positive_marks', q.positive_marks::text, 'negative_marks', q.negative_marks::text,
                      'tolerance', coalesce(q.tolerance_is, q.tolerance::text))
                      || case when q.variables = '[]' then '{}' else jsonb_build_object('draws', jsonb_build_object(
                           'variables', q.variables, 'conditions', q.conditions, 'kept', q.kept_draw)) end
                      order by q.place_in_exam, q.id), '[]') as questions
               from questions q where q.exam_id = e.id) paper
     where e.id = ${examId} for key share of e
    on conflict (exam_id, version, msq_scoring) do update set version = excluded.version
    returning id`,
  )
  return row?.id
}
