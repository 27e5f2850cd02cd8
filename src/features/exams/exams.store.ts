import { and, desc, eq, getTableColumns, inArray, isNotNull, isNull, not, or, sql } from 'drizzle-orm'
import type { Db, Executor } from '../../db/database-client.ts'
import { isAnyOf, NOW, only, query } from '../../db/query.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import { classes, examClasses } from '../../db/tables/classes.tables.ts'
import { comments } from '../../db/tables/discussions.tables.ts'
import { exams, questions } from '../../db/tables/exams.tables.ts'
import { contains, plannedFor } from '../../db/text-search.ts'
import { isOwnExamOf, isTaughtBy } from './exam-access.sql.ts'

export type ExamValues = typeof exams.$inferInsert

/** Without columns that only the database and starts use. */
const {
  resultsVisibleSince,
  resultsSeenUntil,
  keysKnownSince,
  paperVersion,
  forClasses,
  createdBy,
  ...SETTINGS
} = getTableColumns(exams)

export type ExamSettingsRow = Pick<typeof exams.$inferSelect, keyof typeof SETTINGS> & {
  /** All of its questions. */
  poolCount: number
  classIds: number[]
}

export interface ExamFilter {
  /** Part of the name, in any case. */
  q: string | undefined
  categoryId: number | undefined
  /** Only those of a teacher's classes, and their own ones. */
  teacherId: number | undefined
}

export async function listExams(
  db: Db,
  filter: ExamFilter,
  limit: number,
  offset: number,
): Promise<ExamSettingsRow[]> {
  return selectExams(plannedFor(filter.q, db))
    .where(matching(filter))
    .orderBy(desc(exams.id))
    .limit(limit)
    .offset(offset)
}

export async function countExams(db: Db, filter: ExamFilter): Promise<number> {
  return plannedFor(filter.q, db).$count(exams, matching(filter))
}

export async function findExam(db: Executor, id: number): Promise<ExamSettingsRow | undefined> {
  const [row] = await selectExams(db).where(eq(exams.id, id))
  return row
}

/** The exam, which stays as it is until the transaction ends, except for its questions. */
export async function holdExam(tx: Executor, id: number): Promise<ExamSettingsRow | undefined> {
  await tx.select({ id: exams.id }).from(exams).where(eq(exams.id, id)).for('no key update')
  return findExam(tx, id)
}

/** Whether students see the exam, and how many attempts are finished and under way. */
export async function findUse(
  db: Executor,
  id: number,
): Promise<{ published: boolean; attempts: number; under_way: number } | undefined> {
  const [row] = await query<{ published: boolean; attempts: number; under_way: number }>(
    db,
    { published: 'boolean', attempts: 'integer', under_way: 'integer' },
    sql`
    select published, finished as attempts, under_way
      from exams cross join lateral (
        select count(*) filter (where submitted_at is not null)::int as finished,
               count(*) filter (where status = 'active')::int as under_way
          from attempts where exam_id = exams.id) taken
     where exams.id = ${id}`,
  )
  return row
}

export async function insertExam(db: Executor, values: ExamValues): Promise<number> {
  return only(await db.insert(exams).values(values).returning({ id: exams.id })).id
}

/** False if there is no such exam. */
export async function updateExam(db: Executor, id: number, values: Partial<ExamValues>): Promise<boolean> {
  const rows = await db
    .update(exams)
    .set({ ...values, updatedAt: NOW })
    .where(eq(exams.id, id))
    .returning({ id: exams.id })
  return rows.length > 0
}

/** Whether an exam is a teacher's own. */
export async function isOwnExam(tx: Executor, id: number, teacherId: number): Promise<boolean> {
  return (await tx.$count(exams, and(eq(exams.id, id), isOwnExamOf(teacherId)))) > 0
}

/** Replaces the classes that an exam is for; the ids of those that don't exist, and then nothing is changed. */
export async function replaceClasses(tx: Executor, id: number, classIds: number[]): Promise<number[]> {
  const known = await tx
    .select({ id: classes.id })
    .from(classes)
    .where(isAnyOf(classes.id, classIds))
    .orderBy(classes.id)
    .for('key share')
  const missing = classIds.filter((classId) => !known.some((found) => found.id === classId))
  if (missing.length > 0) return missing
  await tx
    .delete(examClasses)
    .where(and(eq(examClasses.examId, id), not(isAnyOf(examClasses.classId, classIds))))
  if (known.length > 0)
    await tx
      .insert(examClasses)
      .values(known.map((found) => ({ examId: id, classId: found.id })))
      .onConflictDoNothing()
  return []
}

/** Sets whether the results are released, or toggles it without `released`; undefined if there is no such exam. */
export async function updateRelease(db: Executor, id: number, released: boolean | undefined) {
  const [before] = await db
    .select({ released: exams.resultsReleased })
    .from(exams)
    .where(eq(exams.id, id))
    .for('no key update')
  const [row] = await db
    .update(exams)
    .set({ resultsReleased: released ?? not(exams.resultsReleased), updatedAt: NOW })
    .where(eq(exams.id, id))
    .returning({ name: exams.name, released: exams.resultsReleased })
  return row && { ...row, isChanged: row.released !== before?.released }
}

/**
 * Locks the exam and its questions: nobody can add to them or to their discussions until the transaction ends.
 * Answers the exam's name; undefined if there is none. Questions are locked first, as by all changes of questions.
 */
export async function lockExam(tx: Executor, id: number): Promise<string | undefined> {
  await tx
    .select({ id: questions.id })
    .from(questions)
    .where(eq(questions.examId, id))
    .orderBy(questions.id)
    .for('update')
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

/** An exam that draws: the folded tag of each of its rules. */
export interface DrawingExam {
  id: number
  keys: string[]
}

/**
 * How many questions are there for each rule of these exams, by exam; one with the tags of several rules serves the
 * first of them. They are counted where they are: the tags of all would be megabytes.
 */
export async function countPools(
  db: Executor,
  drawing: readonly DrawingExam[],
): Promise<ReadonlyMap<number, number[]>> {
  if (drawing.length === 0) return new Map()
  const rows = await query<{ id: number; place: number; count: number }>(
    db,
    { id: 'integer', place: 'integer', count: 'integer' },
    sql`
    with exam as materialized (
      select id, array(select jsonb_array_elements_text(keys)) as keys
        from jsonb_to_recordset(${JSON.stringify(drawing)}::jsonb) as exam(id int, keys jsonb))
    select exam.id, place, count(*)::int as count
      from exam join questions on exam_id = exam.id
     cross join lateral (
       select min(rule.place)::int as place from unnest(keys) with ordinality as rule(key, place)
        where tag_keys ? rule.key) served
     where place is not null group by exam.id, place`,
  )
  const pools = new Map(drawing.map(({ id, keys }) => [id, keys.map(() => 0)]))
  for (const { id, place, count } of rows) pools.get(id)?.splice(place - 1, 1, count)
  return pools
}

function selectExams(db: Executor) {
  return db.select(examColumns(db)).from(exams)
}

function examColumns(db: Executor) {
  return {
    ...SETTINGS,
    classIds: sql<number[]>`array(
      select class_id from exam_classes where exam_classes.exam_id = ${exams.id} order by class_id)`,
    poolCount: db.$count(questions, eq(questions.examId, exams.id)),
  }
}

function matching({ q, categoryId, teacherId }: ExamFilter) {
  return and(
    teacherId === undefined ? undefined : or(isOwnExamOf(teacherId), isTaughtBy(teacherId)),
    q ? contains(exams.name, q) : undefined,
    categoryId === undefined ? undefined : eq(exams.categoryId, categoryId),
  )
}
