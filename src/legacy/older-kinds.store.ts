import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../db/database-client.ts'
import { questions } from '../db/tables/exams.tables.ts'

type QuestionRow = typeof questions.$inferSelect

/** `isKnownToOlder` (older-kinds.ts) as a condition. */
const IS_KNOWN = sql`(${questions.questionType} in ('MCQ', 'MSQ', 'NUMERIC') and ${questions.moreOptions} = '[]' and ${questions.variables} = '[]')`

export interface KnownFilter {
  examId: number | undefined
  /** Folded. */
  tagKey: string | undefined
}

/** One page of the questions that the older generation knows, and how many there are. */
export async function listKnown(
  db: Executor,
  { examId, tagKey }: KnownFilter,
  limit: number,
  offset: number,
): Promise<{ rows: QuestionRow[]; total: number }> {
  const matching: SQL | undefined = and(
    IS_KNOWN,
    examId === undefined ? undefined : eq(questions.examId, examId),
    tagKey === undefined ? undefined : sql`${questions.tagKeys} @> ${JSON.stringify([tagKey])}::jsonb`,
  )
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(questions)
      .where(matching)
      .orderBy(questions.examId, questions.id)
      .limit(limit)
      .offset(offset),
    db.$count(questions, matching),
  ])
  return { rows, total }
}

/** The ids of those of this type in the exam, locked in their order until the transaction ends. */
export async function lockKnownOfType(
  tx: Executor,
  examId: number,
  type: QuestionRow['questionType'],
): Promise<number[]> {
  const rows = await tx
    .select({ id: questions.id })
    .from(questions)
    .where(and(IS_KNOWN, eq(questions.examId, examId), eq(questions.questionType, type)))
    .orderBy(questions.id)
    .for('update')
  return rows.map(({ id }) => id)
}

/** Whether the exam has questions that the older generation doesn't know. */
export async function hasUnknown(db: Executor, examId: number): Promise<boolean> {
  const rows = await db
    .select({ id: questions.id })
    .from(questions)
    .where(and(eq(questions.examId, examId), sql`not ${IS_KNOWN}`))
    .limit(1)
  return rows.length > 0
}
