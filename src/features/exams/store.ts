import { and, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { only } from '../../db/query.ts'
import { contains } from '../../db/search.ts'
import { comments } from '../../db/tables/discussions.ts'
import { accommodations } from '../../db/tables/exams/accommodations.ts'
import { attempts } from '../../db/tables/exams/attempts.ts'
import { exams, questions } from '../../db/tables/exams/exams.ts'

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
  return db.$count(exams, matching(filter))
}

export async function findExam(db: Executor, id: number): Promise<ExamRow | undefined> {
  const [row] = await selectExams(db).where(eq(exams.id, id))
  return row
}

export async function insertExam(db: Executor, values: ExamValues): Promise<number> {
  return only(await db.insert(exams).values(values).returning({ id: exams.id })).id
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

/** Sets whether the results are released, or toggles it without `released`; undefined if there is no such exam. */
export async function updateRelease(db: Executor, id: number, released: boolean | undefined) {
  const [row] = await db
    .update(exams)
    .set({ resultsReleased: released ?? sql`not ${exams.resultsReleased}`, updatedAt: sql`now()` })
    .where(eq(exams.id, id))
    .returning({ name: exams.name, released: exams.resultsReleased })
  return row
}

/**
 * Locks the exam and its questions: nobody can add to them or to their discussions until the transaction ends.
 * Answers the exam's name; undefined if there is none. Questions are locked first, as by all changes of questions.
 */
export async function lockExam(tx: Executor, id: number): Promise<string | undefined> {
  await tx.execute(sql`select from questions where exam_id = ${id} order by id for update`)
  const [row] = await tx.select({ name: exams.name }).from(exams).where(eq(exams.id, id)).for('update')
  return row?.name
}

/** What is deleted with the exam. */
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

// --- as students see them

export interface PublishedFilter {
  categoryId?: number | undefined
  /** Part of the name or description, in any case. */
  q?: string | undefined
}

/** A page of the published exams, newest first, each with this person's own times if they have any. */
export async function listPublished(
  db: Executor,
  userId: number,
  filter: PublishedFilter,
  limit: number,
  offset: number,
) {
  return db
    .select({
      ...examColumns(db),
      personal: {
        extraTimePercent: accommodations.extraTimePercent,
        opensAt: accommodations.opensAt,
        closesAt: accommodations.closesAt,
      },
    })
    .from(exams)
    .leftJoin(accommodations, and(eq(accommodations.examId, exams.id), eq(accommodations.userId, userId)))
    .where(published(filter))
    .orderBy(desc(exams.id))
    .limit(limit)
    .offset(offset)
}

export async function countPublished(db: Executor, filter: PublishedFilter): Promise<number> {
  return db.$count(exams, published(filter))
}

function published({ categoryId, q }: PublishedFilter) {
  return and(
    eq(exams.isPublished, true),
    categoryId === undefined ? undefined : eq(exams.categoryId, categoryId),
    q ? or(contains(exams.name, q), contains(exams.description, q)) : undefined,
  )
}

export async function countQuestions(db: Executor, examId: number): Promise<number> {
  return db.$count(questions, eq(questions.examId, examId))
}

function selectExams(db: Executor) {
  return db.select(examColumns(db)).from(exams)
}

function examColumns(db: Executor) {
  return {
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
    opensAt: exams.opensAt,
    closesAt: exams.closesAt,
    lockHelp: exams.lockHelp,
    createdAt: exams.createdAt,
    updatedAt: exams.updatedAt,
    questionCount: db.$count(questions, eq(questions.examId, exams.id)),
  }
}

function matching({ q, categoryId }: ExamFilter) {
  return and(
    q ? contains(exams.name, q) : undefined,
    categoryId === undefined ? undefined : eq(exams.categoryId, categoryId),
  )
}
