import { and, count, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { contains } from '../../db/search.ts'
import { attempts } from '../../db/tables/attempts.ts'
import { comments } from '../../db/tables/discussions.ts'
import { exams, questions } from '../../db/tables/exams.ts'

export type ExamValues = typeof exams.$inferInsert
export type ExamRow = Omit<typeof exams.$inferSelect, 'paperVersion'> & { questionCount: number }

export interface ExamFilter {
  /** Part of the name, in any case. */
  q: string | undefined
  categoryId: number | undefined
}

export async function listExams(
  db: Executor,
  filter: ExamFilter,
  limit: number,
  offset: number,
): Promise<ExamRow[]> {
  return selectExams(db).where(matching(filter)).orderBy(sql`${exams.id} desc`).limit(limit).offset(offset)
}

export async function countExams(db: Executor, filter: ExamFilter): Promise<number> {
  const [row] = await db.select({ total: count() }).from(exams).where(matching(filter))
  return row?.total ?? 0
}

export async function findExam(db: Executor, id: number): Promise<ExamRow | undefined> {
  const [row] = await selectExams(db).where(eq(exams.id, id))
  return row
}

export async function insertExam(db: Executor, values: ExamValues): Promise<number> {
  const [row] = await db.insert(exams).values(values).returning({ id: exams.id })
  return (row as { id: number }).id
}

/** False if there is no such exam. */
export async function updateExam(db: Executor, id: number, values: Partial<ExamValues>): Promise<boolean> {
  const rows = await db
    .update(exams)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(exams.id, id))
    .returning({ id: exams.id })
  return rows.length > 0
}

/** Sets the release of the results, or turns it around; what it is now. undefined if there is no such exam. */
export async function updateRelease(db: Executor, id: number, released: boolean | undefined) {
  const [row] = await db
    .update(exams)
    .set({ resultsReleased: released ?? sql`not ${exams.resultsReleased}`, updatedAt: sql`now()` })
    .where(eq(exams.id, id))
    .returning({ name: exams.name, released: exams.resultsReleased })
  return row
}

/**
 * Shuts out everybody who would add to the exam or to the discussions of its questions until the transaction
 * ends. Its name; undefined if there is none. Questions come first, as with everybody who writes them.
 */
export async function lockExam(tx: Executor, id: number): Promise<string | undefined> {
  await tx.execute(sql`select from questions where exam_id = ${id} order by id for update`)
  const [row] = await tx.select({ name: exams.name }).from(exams).where(eq(exams.id, id)).for('update')
  return row?.name
}

/** What goes with the exam when it is deleted. */
export async function countBelongings(db: Executor, id: number) {
  const own = eq(attempts.examId, id)
  const itsQuestions = db.select({ id: questions.id }).from(questions).where(eq(questions.examId, id))
  return {
    questions: await db.$count(questions, eq(questions.examId, id)),
    attempts: await db.$count(attempts, own),
    results: await db.$count(attempts, and(own, isNotNull(attempts.submittedAt))),
    comments: await db.$count(
      comments,
      and(inArray(comments.questionId, itsQuestions), isNull(comments.deletedAt)),
    ),
  }
}

export async function deleteExam(db: Executor, id: number): Promise<void> {
  await db.delete(exams).where(eq(exams.id, id))
}

function selectExams(db: Executor) {
  return db
    .select({
      id: exams.id,
      name: exams.name,
      description: exams.description,
      categoryId: exams.categoryId,
      durationMinutes: exams.durationMinutes,
      maxAttempts: exams.maxAttempts,
      resultMode: exams.resultMode,
      resultsReleased: exams.resultsReleased,
      isPublished: exams.isPublished,
      passPercentage: exams.passPercentage,
      msqScoring: exams.msqScoring,
      createdAt: exams.createdAt,
      updatedAt: exams.updatedAt,
      questionCount: db.$count(questions, eq(questions.examId, exams.id)),
    })
    .from(exams)
}

function matching({ q, categoryId }: ExamFilter) {
  return and(
    q ? contains(exams.name, q) : undefined,
    categoryId === undefined ? undefined : eq(exams.categoryId, categoryId),
  )
}
