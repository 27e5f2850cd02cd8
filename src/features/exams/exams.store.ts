import { and, eq, inArray, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { StudentExam } from '../../../schemas/attempts.schemas.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { isKeptBy, isTaughtBy, isThereFor } from '../../db/exam-access.ts'
import { personalTimes } from '../../db/personal-times.ts'
import {
  type Columns,
  isAnyOf,
  iso,
  only,
  type Page,
  type Places,
  statement,
  toPage,
} from '../../db/query.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import { classes, examClasses } from '../../db/tables/classes.tables.ts'
import { comments } from '../../db/tables/discussions.tables.ts'
import { exams, questions } from '../../db/tables/exams.tables.ts'
import { containing, contains, plannedFor } from '../../db/text-search.ts'

export type ExamValues = typeof exams.$inferInsert
export type ExamRow = Omit<typeof exams.$inferSelect, OwnColumns> & {
  /** All of its questions. */
  poolCount: number
  classIds: number[]
}

/** Columns that only the database and starts use. */
type OwnColumns =
  | 'resultsVisibleSince'
  | 'paperVersion'
  | 'hasNewerKinds'
  | 'isNewer'
  | 'isServedByPrevious'
  | 'forClasses'
  | 'createdBy'

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
): Promise<ExamRow[]> {
  return selectExams(plannedFor(filter.q, db))
    .where(matching(filter))
    .orderBy(sql`${exams.id} desc`)
    .limit(limit)
    .offset(offset)
}

export async function countExams(db: Db, filter: ExamFilter): Promise<number> {
  return plannedFor(filter.q, db).$count(exams, matching(filter))
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

/** Whether an exam is a teacher's own. */
export async function isKept(tx: Executor, id: number, teacherId: number): Promise<boolean> {
  return (await tx.$count(exams, and(eq(exams.id, id), isKeptBy(teacherId)))) > 0
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
    .set({ resultsReleased: released ?? sql`not ${exams.resultsReleased}`, updatedAt: sql`now()` })
    .where(eq(exams.id, id))
    .returning({ name: exams.name, released: exams.resultsReleased })
  return row && { ...row, isChanged: row.released !== before?.released }
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

/** An exam as a student sees it, with their own times. */
export interface PublishedRow extends Omit<StudentExam, 'question_count' | 'extra_time_percent'> {
  extra_time_percent: number
  draw: typeof exams.$inferSelect.draw
  /** All of its questions, and their tags where it draws some of them. */
  pool_count: number
  tagged: { tag_keys: string[] }[] | null
}

const PUBLISHED_TYPES = {
  id: 'integer',
  name: 'text',
  description: 'text',
  category_id: 'integer',
  duration_minutes: 'integer',
  max_attempts: 'integer',
  result_mode: 'text',
  results_released: 'boolean',
  is_published: 'boolean',
  open_for_practice: 'boolean',
  pass_percentage: 'float8',
  msq_scoring: 'text',
  opens_at: 'text',
  closes_at: 'text',
  lock_help: 'boolean',
  extra_time_percent: 'integer',
  draw: 'jsonb',
  pool_count: 'integer',
  tagged: 'jsonb',
} as const satisfies Columns<PublishedRow>

function selectPublished(person: SQL, columns: SQL): SQL {
  return sql`
    select exams.id, exams.name, description, category_id, duration_minutes, max_attempts, result_mode, results_released,
           published as is_published, open_for_practice, pass_percentage::float8, msq_scoring,
           ${iso(sql`coalesce(personal.opens_at, exams.opens_at)`)} as opens_at,
           ${iso(sql`coalesce(personal.closes_at, exams.closes_at)`)} as closes_at, lock_help,
           coalesce(personal.extra_time_percent, 0) as extra_time_percent, draw,
           (select count(*)::int from questions where exam_id = exams.id) as pool_count,
           case when draw is not null then (
             select jsonb_agg(jsonb_build_object('tag_keys', tag_keys)) from questions where exam_id = exams.id) end as tagged,
           ${columns}
      from exams left join ${personalTimes({ person, exam: sql`exams` })} on true`
}

interface PublishedPage {
  userId: number
  categoryId: number | undefined
  /** Of the name or description. */
  pattern: string | undefined
  limit: number
  offset: number
}

const selectPage = statement<PublishedPage, PublishedRow & { total: number }>(
  { ...PUBLISHED_TYPES, total: 'integer' },
  ({ limit, offset, ...choice }) => sql`
    ${selectPublished(choice.userId, sql`(${countChosen(choice)}) as total`)}
     where ${isChosen(choice)} order by exams.id desc limit ${limit} offset ${offset}`,
)

type Choice = Pick<PublishedPage, 'userId' | 'categoryId' | 'pattern'>
const count = statement<Choice, { total: number }>({ total: 'integer' }, (choice) => countChosen(choice))

function countChosen(choice: Places<Choice>): SQL {
  return sql`select count(*)::int as total from exams where ${isChosen(choice)}`
}

function isChosen({ userId, categoryId, pattern }: Places<Choice>): SQL {
  return sql.join(
    [
      sql`published and ${isThereFor(userId)}`,
      ...(categoryId ? [sql`category_id = ${categoryId}`] : []),
      ...(pattern ? [sql`(name ilike ${pattern} or description ilike ${pattern})`] : []),
    ],
    sql` and `,
  )
}

/** A page of the published exams that are there for somebody, newest first, and how many there are. */
export async function listPublished(
  db: Db,
  userId: number,
  { categoryId, q }: { categoryId: number | undefined; q: string | undefined },
  limit: number,
  offset: number,
): Promise<Page<PublishedRow>> {
  const choice = { userId, categoryId, pattern: q ? containing(q) : undefined }
  const pool = plannedFor(q, db)
  return toPage(await selectPage(pool, { ...choice, limit, offset }), offset, () => count(pool, choice))
}

type StandingRow = PublishedRow & { attempts_used: number }

const selectOne = statement<{ userId: number; examId: number }, StandingRow>(
  { ...PUBLISHED_TYPES, attempts_used: 'integer' },
  ({ userId, examId }) => sql`
    ${selectPublished(
      userId,
      sql`(select count(*)::int from attempts where user_id = ${userId} and exam_id = exams.id) as attempts_used`,
    )}
     where exams.id = ${examId} and ${isThereFor(userId)}
       and (published or exists (select from attempts where user_id = ${userId} and exam_id = exams.id))`,
)

/** An exam that is there for somebody, and is published or has attempts of theirs from a time when it was. */
export async function findPublished(
  db: Db,
  userId: number,
  examId: number,
): Promise<StandingRow | undefined> {
  const [row] = await selectOne(db, { userId, examId })
  return row
}

/** The folded tags of the questions of these exams, by exam. */
export async function listTagged(
  db: Executor,
  examIds: number[],
): Promise<ReadonlyMap<number, { tag_keys: string[] }[]>> {
  if (examIds.length === 0) return new Map()
  const rows = await db
    .select({ examId: questions.examId, tag_keys: questions.tagKeys })
    .from(questions)
    .where(isAnyOf(questions.examId, examIds))
  return Map.groupBy(rows, ({ examId }) => examId)
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
    openForPractice: exams.openForPractice,
    passPercentage: exams.passPercentage,
    msqScoring: exams.msqScoring,
    opensAt: exams.opensAt,
    closesAt: exams.closesAt,
    lockHelp: exams.lockHelp,
    shuffle: exams.shuffle,
    draw: exams.draw,
    createdAt: exams.createdAt,
    updatedAt: exams.updatedAt,
    classIds: sql<number[]>`array(
      select class_id from exam_classes where exam_classes.exam_id = ${exams.id} order by class_id)`,
    poolCount: db.$count(questions, eq(questions.examId, exams.id)),
  }
}

function matching({ q, categoryId, teacherId }: ExamFilter) {
  return and(
    teacherId === undefined ? undefined : or(isKeptBy(teacherId), isTaughtBy(teacherId)),
    q ? contains(exams.name, q) : undefined,
    categoryId === undefined ? undefined : eq(exams.categoryId, categoryId),
  )
}
