import { and, count, desc, eq, or, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { contains } from '../../db/search.ts'
import { examPapers } from '../../db/tables/attempts.ts'
import { exams, questions } from '../../db/tables/exams.ts'

export type PaperRow = typeof examPapers.$inferSelect

const questionCount = sql<number>`(select count(*)::int from questions where questions.exam_id = exams.id)`

export interface ExamFilter {
  categoryId?: number | undefined
  /** Part of the name or description, in any case. */
  q?: string | undefined
}

/** A page of the published exams, newest first. */
export async function listExams(db: Executor, filter: ExamFilter, limit: number, offset: number) {
  return db
    .select({ exam: exams, questionCount })
    .from(exams)
    .where(published(filter))
    .orderBy(desc(exams.id))
    .limit(limit)
    .offset(offset)
}

export async function countExams(db: Executor, filter: ExamFilter): Promise<number> {
  const [row] = await db.select({ total: count() }).from(exams).where(published(filter))
  return row?.total ?? 0
}

function published({ categoryId, q }: ExamFilter) {
  return and(
    eq(exams.isPublished, true),
    categoryId === undefined ? undefined : eq(exams.categoryId, categoryId),
    q ? or(contains(exams.name, q), contains(exams.description, q)) : undefined,
  )
}

export async function countQuestions(db: Executor, examId: number): Promise<number> {
  const [row] = await db.select({ total: count() }).from(questions).where(eq(questions.examId, examId))
  return row?.total ?? 0
}

// --- papers

export async function findPaper(db: Executor, id: number): Promise<PaperRow | undefined> {
  const [row] = await db.select().from(examPapers).where(eq(examPapers.id, id))
  return row
}

/** Stores the questions as they are in this one statement; the id of whoever's row came first. */
export async function insertCurrentPaper(db: Executor, examId: number): Promise<number | undefined> {
  const [row] = await db.execute<{ id: number }>(sql`
    insert into exam_papers (exam_id, version, msq_scoring, questions)
    select e.id, e.paper_version, e.msq_scoring, coalesce((
             select jsonb_agg(jsonb_build_object(
                      'id', q.id, 'question_text', q.question_text, 'question_type', q.question_type,
                      'option_a', q.option_a, 'option_b', q.option_b, 'option_c', q.option_c, 'option_d', q.option_d,
                      'image_path', q.image_path, 'correct_answer', q.correct_answer,
                      'positive_marks', q.positive_marks::text, 'negative_marks', q.negative_marks::text,
                      'tolerance', q.tolerance::text) order by q.id)
               from questions q where q.exam_id = e.id), '[]')
      from exams e where e.id = ${examId}
    on conflict (exam_id, version, msq_scoring) do update set version = excluded.version
    returning id`)
  return row?.id
}
