import { and, desc, eq, getTableColumns, inArray, isNotNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { isAnyOf } from '../../db/query.ts'
import { accommodations, type PersonalTimes } from '../../db/tables/exams/accommodations.ts'
import { type Answers, attempts, examPapers } from '../../db/tables/exams/attempts.ts'
import { exams } from '../../db/tables/exams/exams.ts'

export type ExamRow = typeof exams.$inferSelect
export type AttemptRow = typeof attempts.$inferSelect

// --- starting

/** A person and an exam. */
export interface Asked {
  userId: number
  examId: number
}

/** Rows `asked` of these pairs. */
function unnestAsked(asked: Asked[]): SQL {
  return sql`unnest(${sql.param(asked.map(({ userId }) => userId))}::int[],
                    ${sql.param(asked.map(({ examId }) => examId))}::int[])
               with ordinality as asked(user_id, exam_id, ord)`
}

/** How a person stands with an exam. */
export interface Standing {
  exam: ExamRow
  /** Attempts of every status, including active and manual ones. */
  used: number
  completed: number
  active: Pick<AttemptRow, 'id' | 'endsAt'> | null
  highestNumber: number
  /** The paper of the exam's questions as they are now; null where it is not stored yet. */
  paperId: number | null
  /** null: nothing differs for this person. */
  personal: PersonalTimes | null
}

/** How these people stand with these exams, in the order asked; undefined without such an exam. */
export async function listStandings(db: Executor, asked: Asked[]): Promise<(Standing | undefined)[]> {
  const isActive = sql`${attempts.status} = 'active'`
  const rows = await db
    .select({
      ord: sql<number>`asked.ord::int`,
      exam: exams,
      used: sql<number>`count(${attempts.id})::int`,
      completed: sql<number>`count(${attempts.submittedAt})::int`,
      activeId: sql<number | null>`max(${attempts.id}) filter (where ${isActive})`,
      activeEndsAt: sql<Date | null>`max(${attempts.endsAt}) filter (where ${isActive})`.mapWith(
        attempts.endsAt,
      ),
      highestNumber: sql<number>`coalesce(max(${attempts.attemptNumber}), 0)`,
      paperId: examPapers.id,
      personal: {
        extraTimePercent: accommodations.extraTimePercent,
        opensAt: accommodations.opensAt,
        closesAt: accommodations.closesAt,
      },
    })
    .from(exams)
    .innerJoin(unnestAsked(asked), sql`asked.exam_id = ${exams.id}`)
    .leftJoin(
      examPapers,
      and(
        eq(examPapers.examId, exams.id),
        eq(examPapers.version, exams.paperVersion),
        eq(examPapers.msqScoring, exams.msqScoring),
      ),
    )
    .leftJoin(
      accommodations,
      and(eq(accommodations.examId, exams.id), eq(accommodations.userId, sql`asked.user_id`)),
    )
    .leftJoin(attempts, and(eq(attempts.examId, exams.id), eq(attempts.userId, sql`asked.user_id`)))
    .groupBy(sql`asked.ord`, exams.id, examPapers.id, accommodations.examId, accommodations.userId)
  const standings: (Standing | undefined)[] = asked.map(() => undefined)
  for (const { ord, activeId, activeEndsAt, ...standing } of rows)
    standings[ord - 1] = {
      ...standing,
      active: activeId === null ? null : { id: activeId, endsAt: activeEndsAt },
    }
  return standings
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

/** The active attempts of these people at these exams, in any order. */
export async function listActive(db: Executor, asked: Asked[]): Promise<AttemptRow[]> {
  return db
    .select(getTableColumns(attempts))
    .from(attempts)
    .innerJoin(
      unnestAsked(asked),
      and(
        eq(attempts.userId, sql`asked.user_id`),
        eq(attempts.examId, sql`asked.exam_id`),
        eq(attempts.status, 'active'),
      ),
    )
}

export async function findActiveForUpdate(
  tx: Executor,
  userId: number,
  examId: number,
): Promise<AttemptRow | undefined> {
  const [row] = await tx.select().from(attempts).where(isActive(userId, examId)).for('no key update')
  return row
}

/** Exams with active attempts, of everybody or one person, whose end is before an instant. */
export async function listOverdueExams(db: Executor, endedBefore: Date, userId?: number): Promise<number[]> {
  const rows = await db
    .selectDistinct({ examId: attempts.examId })
    .from(attempts)
    .where(
      and(
        eq(attempts.status, 'active'),
        lt(attempts.endsAt, endedBefore),
        userId === undefined ? undefined : eq(attempts.userId, userId),
      ),
    )
  return rows.map(({ examId }) => examId)
}

/**
 * Attempts at an exam that ended before an instant, locked. The lock checks the end again as it was committed last.
 * Attempts that others have locked are skipped.
 */
export async function listOverdueForUpdate(
  tx: Executor,
  examId: number,
  endedBefore: Date,
  limit: number,
): Promise<AttemptRow[]> {
  return tx
    .select()
    .from(attempts)
    .where(and(eq(attempts.examId, examId), eq(attempts.status, 'active'), lt(attempts.endsAt, endedBefore)))
    .orderBy(attempts.endsAt)
    .limit(limit)
    .for('no key update', { skipLocked: true })
}

export interface ClosedValues {
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

export async function updateClosed(tx: Executor, id: number, values: ClosedValues): Promise<void> {
  await tx.update(attempts).set(values).where(eq(attempts.id, id))
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
    .where(and(eq(attempts.examId, examId), isAnyOf(attempts.userId, userIds), ne(attempts.status, 'manual')))
  return rows.map(({ userId }) => userId)
}
