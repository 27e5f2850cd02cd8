import { and, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { rowOf } from '../../db/rows.ts'
import {
  type Answers,
  attempts,
  examPapers,
  type GradedValues,
  type StoredDraws,
  type StoredQuestion,
} from '../../db/tables/attempts.tables.ts'
import { regrades } from '../../db/tables/corrections.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { users } from '../../db/tables/users.tables.ts'

export type NewRegrade = typeof regrades.$inferInsert
export type RegradeRow = typeof regrades.$inferSelect & { createdByName: string }

// --- questions

/** A question that a correction has to fit. */
export type CorrectedQuestion = Omit<StoredQuestion, NotCompared | 'draws'> & {
  keyVersion: number
  draws?: StoredDraws | null | undefined
}

type NotCompared =
  | 'image_path'
  | 'image_alt'
  | 'positive_marks'
  | 'negative_marks'
  | 'tag_keys'
  | 'key_version'
  | 'content_version'

/** As the exam has it or, if it was deleted, as the newest of its papers has it. */
export async function findQuestion(
  db: Executor,
  examId: number,
  questionId: number,
): Promise<CorrectedQuestion | undefined> {
  const [current] = await query<CorrectedQuestion>(
    db,
    {
      id: 'integer',
      question_text: 'text',
      option_a: 'text',
      option_b: 'text',
      option_c: 'text',
      option_d: 'text',
      more_options: 'jsonb',
      correct_answer: 'text',
      parts: 'jsonb',
      tolerance: 'text',
      question_type: 'text',
      keyVersion: 'integer',
      draws: 'jsonb',
    },
    sql`
    select id, question_text, option_a, option_b, option_c, option_d, more_options, correct_answer, parts,
           coalesce(tolerance_is, tolerance::text) as tolerance, question_type, key_version as "keyVersion",
           case when variables <> '[]' then
             jsonb_build_object('variables', variables, 'conditions', conditions, 'kept', kept_draw) end as draws
      from questions where id = ${questionId} and exam_id = ${examId}`,
  )
  if (current) return current
  const [paper] = await db
    .select({ questions: examPapers.questions })
    .from(examPapers)
    .where(hasQuestion(examId, questionId))
    .orderBy(desc(examPapers.version), desc(examPapers.id))
    .limit(1)
  const found = paper?.questions.find(({ id }) => id === questionId)
  return found && { ...found, keyVersion: found.key_version }
}

function hasQuestion(examId: number, questionId: number) {
  const question = JSON.stringify([{ id: questionId }])
  return and(eq(examPapers.examId, examId), sql`${examPapers.questions} @> ${question}::jsonb`)
}

// --- results

/** Finished attempts at the exam that have the question, by their ids, and how many questions their papers have. */
export async function listAttemptsWith(
  db: Executor,
  examId: number,
  questionId: number,
): Promise<{ id: number; questions: number }[]> {
  return query<{ id: number; questions: number }>(
    db,
    { id: 'integer', questions: 'integer' },
    sql`
    with papers as materialized (
      select id, jsonb_array_length(questions) as questions
        from exam_papers where ${hasQuestion(examId, questionId)})
    select attempts.id, papers.questions
      from papers join attempts on paper_id = papers.id
     where submitted_at is not null and (drawn is null or ${questionId}::int = any(drawn))
     order by attempts.id`,
  )
}

const RESULT_NAMES = ['id', 'score', 'maxScore', 'percentage', 'correct', 'incorrect', 'unattempted'] as const
const RESULT = rowOf(attempts, RESULT_NAMES)
const GRADED = rowOf(attempts, [...RESULT_NAMES, 'userId', 'paperId', 'seed', 'drawn', 'answers'])

export interface NewResult extends GradedValues {
  id: number
}

/** A finished attempt with the input and the result of grading. */
export interface GradedAttempt extends NewResult {
  userId: number
  paperId: number
  seed: string | null
  drawn: number[] | null
  answers: Answers
}

/**
 * These attempts, by their ids. Plain SQL: most of the time would go into mapping ten thousand rows column by column.
 */
export async function listGraded(db: Executor, ids: number[]): Promise<GradedAttempt[]> {
  return query<GradedAttempt>(
    db,
    GRADED.check,
    sql`select ${GRADED.columns()} from attempts where ${isAnyOf(sql`id`, ids)} order by id`,
  )
}

/** What decides whether students may see the results of the exam. */
export async function findReleaseState(db: Executor, examId: number) {
  const [row] = await db
    .select({ resultMode: exams.resultMode, resultsReleased: exams.resultsReleased })
    .from(exams)
    .where(eq(exams.id, examId))
  return row
}

/** The percentage from which an exam that is known to exist is passed. */
export async function getPassMark(db: Executor, examId: number): Promise<number> {
  const rows = await db.select({ mark: exams.passPercentage }).from(exams).where(eq(exams.id, examId))
  return only(rows).mark
}

export async function updateResults(tx: Executor, results: NewResult[]): Promise<void> {
  await tx.execute(sql`
    update attempts set ${RESULT.set('given', { except: ['id'] })}
      from ${RESULT.given(results)} where attempts.id = given.id`)
}

// --- regrades

export async function insertRegrade(tx: Executor, regrade: NewRegrade): Promise<RegradeRow> {
  const { id } = only(await tx.insert(regrades).values(regrade).returning({ id: regrades.id }))
  return getRegrade(tx, id)
}

/** Newest first. */
export async function listRegrades(db: Executor, examId: number, limit: number): Promise<RegradeRow[]> {
  return selectRegrades(db).where(eq(regrades.examId, examId)).orderBy(desc(regrades.id)).limit(limit)
}

export async function findRegrade(db: Executor, id: number): Promise<RegradeRow | undefined> {
  const [row] = await selectRegrades(db).where(eq(regrades.id, id))
  return row
}

/** A regrade that is known to exist. */
export async function getRegrade(db: Executor, id: number): Promise<RegradeRow> {
  return only(await selectRegrades(db).where(eq(regrades.id, id)))
}

/** False if it was undone before. */
export async function updateUndone(tx: Executor, id: number, undoneAt: Date): Promise<boolean> {
  const rows = await tx
    .update(regrades)
    .set({ undoneAt })
    .where(and(eq(regrades.id, id), isNull(regrades.undoneAt)))
    .returning({ id: regrades.id })
  return rows.length > 0
}

function selectRegrades(db: Executor) {
  return db
    .select({ ...getTableColumns(regrades), createdByName: users.username })
    .from(regrades)
    .innerJoin(users, eq(users.id, regrades.createdBy))
    .$dynamic()
}

export async function listUsernames(db: Executor, ids: number[]): Promise<Map<number, string>> {
  const rows = await db
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(isAnyOf(users.id, ids))
  return new Map(rows.map(({ id, username }) => [id, username]))
}
