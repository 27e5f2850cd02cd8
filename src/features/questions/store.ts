import { and, asc, eq, gt, inArray, type SQL } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { isAnyOf } from '../../db/query.ts'
import { questions } from '../../db/tables/exams/exams.ts'

export type QuestionRow = typeof questions.$inferSelect
export type QuestionValues = Omit<typeof questions.$inferInsert, 'id' | 'createdAt'>

/** Rows of one statement: their parameters must stay below PostgreSQL's 65,535. */
const ROWS_AT_ONCE = 2_000

export async function listQuestions(
  db: Executor,
  examId: number | undefined,
  limit: number,
  offset: number,
): Promise<QuestionRow[]> {
  return db
    .select()
    .from(questions)
    .where(ofExam(examId))
    .orderBy(questions.examId, questions.id)
    .limit(limit)
    .offset(offset)
}

/** The questions of an exam in the order of their ids, from the one after `lastId` on. */
export async function listQuestionsAfter(
  db: Executor,
  examId: number,
  lastId: number,
  limit: number,
): Promise<QuestionRow[]> {
  return db
    .select()
    .from(questions)
    .where(and(eq(questions.examId, examId), gt(questions.id, lastId)))
    .orderBy(asc(questions.id))
    .limit(limit)
}

export function countQuestions(db: Executor, examId: number | undefined): Promise<number> {
  return db.$count(questions, ofExam(examId))
}

export async function findQuestion(db: Executor, id: number): Promise<QuestionRow | undefined> {
  const [row] = await db.select().from(questions).where(eq(questions.id, id))
  return row
}

/** The same with the row locked until the transaction ends. */
export async function findQuestionForUpdate(db: Executor, id: number): Promise<QuestionRow | undefined> {
  const [row] = await db.select().from(questions).where(eq(questions.id, id)).for('update')
  return row
}

/** Answers the ids, in the same order. */
export async function insertQuestions(db: Executor, rows: QuestionValues[]): Promise<number[]> {
  const ids: number[] = []
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const inserted = await db
      .insert(questions)
      .values(rows.slice(start, start + ROWS_AT_ONCE))
      .returning({ id: questions.id })
    ids.push(...inserted.map(({ id }) => id))
  }
  return ids
}

export async function updateQuestion(
  db: Executor,
  id: number,
  values: Partial<QuestionValues>,
): Promise<void> {
  await db.update(questions).set(values).where(eq(questions.id, id))
}

/** Answers the deleted questions with their exams. */
export async function deleteQuestions(
  db: Executor,
  ids: number[],
): Promise<{ id: number; examId: number }[]> {
  return db
    .delete(questions)
    .where(inArray(questions.id, lockedInOrder(db, isAnyOf(questions.id, ids))))
    .returning({ id: questions.id, examId: questions.examId })
}

export interface Marks {
  positiveMarks?: number
  negativeMarks?: number
  tolerance?: number
}

/** The ids of all questions of this type in the exam, locked until the transaction ends. */
export async function lockQuestionsOfType(
  tx: Executor,
  examId: number,
  type: QuestionRow['questionType'],
): Promise<number[]> {
  const ofType = and(eq(questions.examId, examId), eq(questions.questionType, type))
  return (await lockedInOrder(tx, ofType)).map(({ id }) => id)
}

export async function updateMarks(tx: Executor, ids: number[], marks: Marks): Promise<void> {
  await tx.update(questions).set(marks).where(isAnyOf(questions.id, ids))
}

/** Locks questions in the order of their ids, so that two transactions never wait for each other. */
function lockedInOrder(db: Executor, condition: SQL | undefined) {
  return db.select({ id: questions.id }).from(questions).where(condition).orderBy(questions.id).for('update')
}

function ofExam(examId: number | undefined) {
  return examId === undefined ? undefined : eq(questions.examId, examId)
}
