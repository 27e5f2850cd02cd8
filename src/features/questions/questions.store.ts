import { and, eq, inArray, isNotNull, like, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { exams, questions } from '../../db/tables/exams.tables.ts'
import { slicesOf } from '../../formats/slices.ts'
import { isOwnExamOf } from '../exams/exam-access.sql.ts'

export type QuestionRow = typeof questions.$inferSelect
export type QuestionValues = Omit<typeof questions.$inferInsert, 'id' | 'createdAt'>

/** Rows of one statement: writing the text of more of them would hold up the process. */
const ROWS_AT_ONCE = 200

export interface QuestionFilter {
  examId: number | undefined
  /** Folded. */
  tagKey: string | undefined
}

export async function listQuestions(
  db: Executor,
  filter: QuestionFilter,
  limit: number,
  offset: number,
): Promise<QuestionRow[]> {
  return db
    .select()
    .from(questions)
    .where(matching(filter))
    .orderBy(questions.examId, questions.placeInExam, questions.id)
    .limit(limit)
    .offset(offset)
}

/** The images of these questions, with what they show. */
export async function listImages(db: Executor, ids: readonly number[]) {
  return db
    .select({ id: questions.id, imagePath: questions.imagePath, imageAlt: questions.imageAlt })
    .from(questions)
    .where(isAnyOf(questions.id, [...ids]))
}

/** The ids of an exam's questions, in their order. */
export async function listOrder(db: Executor, examId: number): Promise<number[]> {
  const rows = await db
    .select({ id: questions.id })
    .from(questions)
    .where(eq(questions.examId, examId))
    .orderBy(questions.placeInExam, questions.id)
  return rows.map(({ id }) => id)
}

/** The ids of an exam's questions, in their order, all of them locked until the transaction ends. */
export async function lockOrder(tx: Executor, examId: number): Promise<number[]> {
  // Locked before they are read in their order: that may be another one when a wait for a row ends.
  await lockedInOrder(tx, eq(questions.examId, examId))
  return listOrder(tx, examId)
}

/** Gives an exam's questions their places in this order; answers how many got another one. */
export async function orderQuestions(tx: Executor, ids: readonly number[]): Promise<number> {
  const rows = await tx.execute(sql`
    update questions set place_in_exam = wanted.place
      from unnest(${sql.param(ids)}::int[]) with ordinality as wanted(id, place)
     where questions.id = wanted.id and questions.place_in_exam <> wanted.place
    returning questions.id`)
  return rows.length
}

/** Those of these questions that exist, in any order. */
export async function listQuestionsById(db: Executor, ids: readonly number[]): Promise<QuestionRow[]> {
  return ids.length === 0 ? [] : db.select().from(questions).where(isAnyOf(questions.id, ids))
}

export function countQuestions(db: Executor, filter: QuestionFilter): Promise<number> {
  return db.$count(questions, matching(filter))
}

export async function listTags(db: Executor): Promise<{ tag: string; questions: number }[]> {
  return query<{ tag: string; questions: number }>(
    db,
    { tag: 'text', questions: 'integer' },
    sql`
    select (array_agg(written.tag order by q.id))[1] as tag, count(*)::int as questions
      from questions q,
           jsonb_array_elements_text(q.tags) with ordinality as written(tag, place)
           join jsonb_array_elements_text(q.tag_keys) with ordinality as folded(tag, place) using (place)
     group by folded.tag
     order by folded.tag`,
  )
}

export async function findQuestion(db: Executor, id: number): Promise<QuestionRow | undefined> {
  const [row] = await db.select().from(questions).where(eq(questions.id, id))
  return row
}

/** A question whose row is locked until the transaction ends. */
export async function findQuestionForUpdate(db: Executor, id: number): Promise<QuestionRow | undefined> {
  const [row] = await db.select().from(questions).where(eq(questions.id, id)).for('update')
  return row
}

/** Answers the ids, in the same order. */
export async function insertQuestions(db: Executor, rows: QuestionValues[]): Promise<number[]> {
  const ids: number[] = []
  for (const some of slicesOf(rows, ROWS_AT_ONCE)) {
    const inserted = await db.insert(questions).values(some).returning({ id: questions.id })
    ids.push(...inserted.map(({ id }) => id))
  }
  return ids
}

/** Whether one of these exams has more questions, or more bytes of what is in a paper, than this. */
export async function isAnyLarger(
  tx: Executor,
  examIds: readonly number[],
  { most, bytes }: { most: number; bytes: number },
): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from questions
     where ${isAnyOf(sql`exam_id`, [...examIds])}
     group by exam_id
    having count(*) > ${most}::int or sum(
      octet_length(question_text) + octet_length(option_a) + octet_length(option_b) + octet_length(option_c)
      + octet_length(option_d) + octet_length(more_options::text) + octet_length(coalesce(parts::text, ''))
      + octet_length(correct_answer) + octet_length(variables::text) + octet_length(conditions::text)) > ${bytes}::int
     limit 1`)
  return rows.length > 0
}

/** Whether this transaction wrote a row of `questions`, outside of savepoints. */
const IS_WRITTEN_HERE = sql`questions.xmin = pg_current_xact_id()::xid`

/** Whether one of these tags is of none of an exam's questions but those that this transaction wrote. */
export async function isAnyNewTag(tx: Executor, examId: number, keys: readonly string[]): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from unnest(${sql.param(keys)}::text[]) as key
     where not exists (
       select from questions where exam_id = ${examId} and tag_keys ? key and not ${IS_WRITTEN_HERE})
     limit 1`)
  return rows.length > 0
}

/**
 * Whether the questions of one of these exams have more different tags than this, one of them only questions that this
 * transaction wrote.
 */
export async function hasAnyMoreTags(
  tx: Executor,
  examIds: readonly number[],
  most: number,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from (
      select exam_id, bool_and(${IS_WRITTEN_HERE}) as is_new
        from questions, jsonb_array_elements_text(tag_keys) as key
       where ${isAnyOf(sql`exam_id`, [...examIds])}
       group by exam_id, key) tag
     group by exam_id having count(*) > ${most}::int and bool_or(is_new) limit 1`)
  return rows.length > 0
}

/** Those of these exams that are published. */
export async function listPublished(tx: Executor, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .select({ id: exams.id })
    .from(exams)
    .where(and(isAnyOf(exams.id, [...ids]), exams.isPublished))
  return rows.map(({ id }) => id)
}

/** Locks exams in the order of their ids: a question that moves changes two, and another one may move the other way. */
export async function lockExams(tx: Executor, ids: number[]): Promise<void> {
  await tx
    .select({ id: exams.id })
    .from(exams)
    .where(isAnyOf(exams.id, ids))
    .orderBy(exams.id)
    .for('no key update')
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

/** The images of a teacher's own exams. */
export async function listOwnImages(db: Executor, teacherId: number): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ path: questions.imagePath })
    .from(questions)
    .innerJoin(exams, eq(exams.id, questions.examId))
    .where(and(isOwnExamOf(teacherId), isNotNull(questions.imagePath)))
  return new Set(rows.flatMap(({ path }) => path ?? []))
}

/** Whether the key of one of these questions depends on variables. */
export async function hasDrawnKeys(db: Executor, ids: number[]): Promise<boolean> {
  const [row] = await db
    .select({ id: questions.id })
    .from(questions)
    .where(
      and(
        isAnyOf(questions.id, ids),
        sql`${questions.variables} <> '[]'`,
        like(questions.correctAnswer, '{@%'),
      ),
    )
    .limit(1)
  return row !== undefined
}

export async function updateMarks(tx: Executor, ids: number[], marks: Marks): Promise<void> {
  await tx
    .update(questions)
    .set(marks.tolerance === undefined ? marks : { ...marks, toleranceIs: null })
    .where(isAnyOf(questions.id, ids))
}

/** Locks questions in the order of their ids, so that two transactions never wait for each other. */
function lockedInOrder(db: Executor, condition: SQL | undefined) {
  return db.select({ id: questions.id }).from(questions).where(condition).orderBy(questions.id).for('update')
}

function matching({ examId, tagKey }: QuestionFilter) {
  return and(
    examId === undefined ? undefined : eq(questions.examId, examId),
    tagKey === undefined ? undefined : sql`${questions.tagKeys} @> ${JSON.stringify([tagKey])}::jsonb`,
  )
}
