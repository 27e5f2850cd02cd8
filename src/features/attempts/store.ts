import { and, count, desc, eq, inArray, isNotNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Db, Executor } from '../../db/client.ts'
import { contains } from '../../db/search.ts'
import { type Answers, attempts, examPapers } from '../../db/tables/attempts.ts'
import { exams, questions } from '../../db/tables/exams.ts'

export type ExamRow = typeof exams.$inferSelect
export type AttemptRow = typeof attempts.$inferSelect
export type PaperRow = typeof examPapers.$inferSelect

// --- exams as students see them

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

// --- starting

/** How a person stands with an exam. */
export interface Standing {
  exam: ExamRow
  /** Attempts of every kind, the active and the manual ones too. */
  used: number
  completed: number
  activeId: number | null
  highestNumber: number
  /** The paper of the exam's questions as they are now; null where it is not stored yet. */
  paperId: number | null
}

export async function findStanding(
  db: Executor,
  userId: number,
  examId: number,
): Promise<Standing | undefined> {
  const [row] = await db
    .select({
      exam: exams,
      used: sql<number>`count(${attempts.id})::int`,
      completed: sql<number>`count(${attempts.submittedAt})::int`,
      activeId: sql<number | null>`max(${attempts.id}) filter (where ${attempts.status} = 'active')`,
      highestNumber: sql<number>`coalesce(max(${attempts.attemptNumber}), 0)`,
      paperId: examPapers.id,
    })
    .from(exams)
    .leftJoin(
      examPapers,
      and(
        eq(examPapers.examId, exams.id),
        eq(examPapers.version, exams.paperVersion),
        eq(examPapers.msqScoring, exams.msqScoring),
      ),
    )
    .leftJoin(attempts, and(eq(attempts.examId, exams.id), eq(attempts.userId, userId)))
    .where(eq(exams.id, examId))
    .groupBy(exams.id, examPapers.id)
  return row
}

/**
 * Until the transaction ends, nobody else changes how many attempts this person has at this exam. Taken as
 * a statement of its own: the next one then sees what the last holder committed.
 */
export async function lockAttempts(tx: Executor, userId: number, examId: number): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${userId}, ${examId})`)
}

export async function insertAttempt(tx: Executor, attempt: typeof attempts.$inferInsert): Promise<number> {
  const [row] = await tx.insert(attempts).values(attempt).returning({ id: attempts.id })
  return (row as { id: number }).id
}

// --- allowances

export async function insertManualAttempts(
  tx: Executor,
  userId: number,
  examId: number,
  amount: number,
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at)
    select ${userId}::int, ${examId}::int, highest + n, 'manual', ${now.toISOString()}
      from (select coalesce(max(attempt_number), 0) as highest from attempts
             where user_id = ${userId} and exam_id = ${examId}) so_far,
           generate_series(1, ${amount}::int) n`)
}

/** Removes the newest `amount` attempts of whatever kind, or all of them; how many there were. */
export async function deleteLatestAttempts(
  tx: Executor,
  userId: number,
  examId: number,
  amount?: number,
): Promise<number> {
  const latest = tx
    .select({ id: attempts.id })
    .from(attempts)
    .where(and(eq(attempts.userId, userId), eq(attempts.examId, examId)))
    .orderBy(desc(attempts.attemptNumber))
  const rows = await tx
    .delete(attempts)
    .where(inArray(attempts.id, amount === undefined ? latest : latest.limit(amount)))
    .returning({ id: attempts.id })
  return rows.length
}

// --- the active attempt

const isActive = (userId: number, examId: number) =>
  and(eq(attempts.userId, userId), eq(attempts.examId, examId), eq(attempts.status, 'active'))

export async function findActive(
  db: Executor,
  userId: number,
  examId: number,
): Promise<AttemptRow | undefined> {
  const [row] = await db.select().from(attempts).where(isActive(userId, examId))
  return row
}

export async function findActiveForUpdate(
  tx: Executor,
  userId: number,
  examId: number,
): Promise<AttemptRow | undefined> {
  const [row] = await tx.select().from(attempts).where(isActive(userId, examId)).for('no key update')
  return row
}

export interface Sync {
  attemptId: number
  /** A JSON object; null clears. */
  answers: string
  /** null: stays as it is. */
  markedForReview: number[] | null
  /** null: stays as it is. */
  revision: number | null
  /** Milliseconds since the epoch. */
  at: number
}

/**
 * One statement for many syncs: merges each into its attempt, if that is active, not overdue, and knows no
 * newer revision. The attempts are locked first, in the order of their ids, so that statements never lock
 * one another out; the locks re-read the rows, so that nothing is merged into a closed attempt. Of two syncs
 * of the same attempt one is left out, as one that doesn't apply is.
 */
const SAVE_ANSWERS = `
with input as materialized (
  select * from unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::float8[])
    with ordinality as t(attempt_id, answers, marked, revision, at, ord)
), target as materialized (
  select input.* from input join attempts a on a.id = attempt_id
   where a.status = 'active' and a.revision <= coalesce(input.revision, a.revision)
     and (a.ends_at is null or to_timestamp(at / 1000) <= a.ends_at + $6::int * interval '1 ms')
   order by a.id for no key update of a
)
update attempts a
   set answers = jsonb_strip_nulls(a.answers || target.answers::jsonb),
       marked_for_review = coalesce(target.marked::int[], a.marked_for_review),
       revision = coalesce(target.revision, a.revision)
  from target
 where a.id = target.attempt_id
returning target.ord::int, a.revision::float8`

/** The stored revision of each, in their order; undefined for each that was not merged. */
export async function saveAnswers(
  db: Db,
  syncs: Sync[],
  graceMs: number,
): Promise<({ revision: number } | undefined)[]> {
  const rows = await db.$client.unsafe<{ ord: number; revision: number }[]>(
    SAVE_ANSWERS,
    [
      syncs.map(({ attemptId }) => attemptId),
      syncs.map(({ answers }) => answers),
      syncs.map(({ markedForReview }) => markedForReview && `{${markedForReview.join()}}`),
      syncs.map(({ revision }) => revision),
      syncs.map(({ at }) => at),
      graceMs,
    ],
    { prepare: true },
  )
  const saved: ({ revision: number } | undefined)[] = syncs.map(() => undefined)
  for (const { ord, revision } of rows) saved[ord - 1] = { revision }
  return saved
}

/**
 * Attempts, of everybody or one person, whose end is before an instant, locked for whoever closes them. Those
 * that others hold are left to them.
 */
export async function listOverdueForUpdate(
  tx: Executor,
  endedBefore: Date,
  limit: number,
  userId?: number,
): Promise<AttemptRow[]> {
  return tx
    .select()
    .from(attempts)
    .where(
      and(
        eq(attempts.status, 'active'),
        lt(attempts.endsAt, endedBefore),
        userId === undefined ? undefined : eq(attempts.userId, userId),
      ),
    )
    .orderBy(attempts.endsAt)
    .limit(limit)
    .for('no key update', { skipLocked: true })
}

export interface Closing {
  status: 'submitted' | 'expired'
  submittedAt: Date
  answers: Answers
  markedForReview: number[]
  score: number
  maxScore: number
  percentage: number
  correct: number
  incorrect: number
  unattempted: number
}

export async function updateClosed(tx: Executor, id: number, closing: Closing): Promise<void> {
  await tx.update(attempts).set(closing).where(eq(attempts.id, id))
}

// --- afterwards

export interface FinishedRow {
  attempt: AttemptRow
  exam: ExamRow
}

/** The newest attempt of this person at this exam that is over. */
export async function findLatestFinished(
  db: Executor,
  userId: number,
  examId: number,
): Promise<FinishedRow | undefined> {
  const [row] = await selectWithExam(db)
    .where(and(eq(attempts.userId, userId), eq(attempts.examId, examId), isNotNull(attempts.submittedAt)))
    .orderBy(desc(attempts.attemptNumber))
    .limit(1)
  return row
}

/** Somebody's own attempt that is active or over. */
export async function findOwnAttempt(
  db: Executor,
  userId: number,
  attemptId: number,
): Promise<FinishedRow | undefined> {
  const [row] = await selectWithExam(db).where(
    and(eq(attempts.id, attemptId), eq(attempts.userId, userId), ne(attempts.status, 'manual')),
  )
  return row
}

/** A page of somebody's finished attempts, newest first. */
export async function listFinished(
  db: Executor,
  userId: number,
  examId: number | undefined,
  limit: number,
  offset: number,
): Promise<FinishedRow[]> {
  return selectWithExam(db)
    .where(isFinished(userId, examId))
    .orderBy(desc(attempts.submittedAt), desc(attempts.id))
    .limit(limit)
    .offset(offset)
}

export async function countFinished(
  db: Executor,
  userId: number,
  examId: number | undefined,
): Promise<number> {
  const [row] = await db.select({ total: count() }).from(attempts).where(isFinished(userId, examId))
  return row?.total ?? 0
}

function isFinished(userId: number, examId: number | undefined) {
  return and(
    eq(attempts.userId, userId),
    examId === undefined ? undefined : eq(attempts.examId, examId),
    isNotNull(attempts.submittedAt),
  )
}

function selectWithExam(db: Executor) {
  return db
    .select({ attempt: attempts, exam: exams })
    .from(attempts)
    .innerJoin(exams, eq(exams.id, attempts.examId))
    .$dynamic()
}

/** Which of these people have an attempt of this exam that they took themselves. */
export async function listStudents(db: Executor, examId: number, userIds: number[]): Promise<number[]> {
  const rows = await db
    .selectDistinct({ userId: attempts.userId })
    .from(attempts)
    .where(
      and(
        eq(attempts.examId, examId),
        sql`${attempts.userId} = any(${sql.param(userIds)}::int[])`,
        ne(attempts.status, 'manual'),
      ),
    )
  return rows.map(({ userId }) => userId)
}
