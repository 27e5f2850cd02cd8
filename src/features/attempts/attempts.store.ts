import { and, desc, eq, inArray, isNotNull, lt, ne, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, iso, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import type { PersonalTimes } from '../../db/tables/accommodations.tables.ts'
import { type Answers, attempts, type GradedValues } from '../../db/tables/attempts.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { isTaughtBy, isThereFor } from '../exams/exam-access.sql.ts'
import { personalTimes } from '../timing/personal-times.sql.ts'
import { isCurrentPaper } from './current-paper.sql.ts'

export type ExamRow = typeof exams.$inferSelect
export type AttemptRow = typeof attempts.$inferSelect

const IS_UNDER_WAY = sql`${attempts.status} = 'active'`

// --- starting

const CANDIDATE = rowOf(attempts, ['userId', 'examId'])

/** A person and an exam. */
export type Candidate = Row<typeof CANDIDATE>

/** Whose row of `candidate` it is. */
const CANDIDATE_ID = sql`candidate.user_id`

const EXAM = rowOf(exams)
const ATTEMPT = rowOf(attempts)

/** How a person stands with an exam. */
export interface CandidateStanding {
  exam: ExamRow
  isThere: boolean
  teaches: boolean
  /** Attempts of every status, including active and manual ones. */
  used: number
  completed: number
  active: Pick<AttemptRow, 'id' | 'endsAt'> | null
  highestNumber: number
  /** The paper of the exam's questions as they are now; null where it is not stored yet. */
  paperId: number | null
  personal: PersonalTimes
}

type StandingColumns = Omit<CandidateStanding, 'exam' | 'active' | 'personal'> & {
  ord: number
  activeId: number | null
  activeEndsAt: Date | null
  extraTimePercent: number
  personalOpensAt: Date | null
  personalClosesAt: Date | null
}

/** How these people stand with these exams, in their order; undefined without such an exam. */
export async function listStandings(
  db: Executor,
  candidates: Candidate[],
): Promise<(CandidateStanding | undefined)[]> {
  const rows = await query<ExamRow & StandingColumns>(
    db,
    {
      ...EXAM.check,
      ord: 'integer',
      isThere: 'boolean',
      teaches: 'boolean',
      used: 'integer',
      completed: 'integer',
      activeId: 'integer',
      activeEndsAt: 'timestamptz',
      highestNumber: 'integer',
      paperId: 'integer',
      extraTimePercent: 'integer',
      personalOpensAt: 'timestamptz',
      personalClosesAt: 'timestamptz',
    },
    sql`
    select ${EXAM.columns('exams')}, candidate.ord::int, ${isThereFor(CANDIDATE_ID)} as "isThere",
           ${isTaughtBy(CANDIDATE_ID)} as teaches, count(attempts.id)::int as used,
           count(attempts.submitted_at)::int as completed, max(attempts.id) filter (where ${IS_UNDER_WAY}) as "activeId",
           max(attempts.ends_at) filter (where ${IS_UNDER_WAY}) as "activeEndsAt",
           coalesce(max(attempts.attempt_number), 0) as "highestNumber", exam_papers.id as "paperId",
           coalesce(personal.extra_time_percent, 0) as "extraTimePercent", personal.opens_at as "personalOpensAt",
           personal.closes_at as "personalClosesAt"
      from exams
      join ${CANDIDATE.given(candidates, 'candidate')} on candidate.exam_id = exams.id
      left join exam_papers on ${isCurrentPaper}
      left join ${personalTimes({ person: CANDIDATE_ID, exam: sql`exams` })} on true
      left join attempts on attempts.exam_id = exams.id and attempts.user_id = ${CANDIDATE_ID}
     group by candidate.ord, candidate.user_id, exams.id, exam_papers.id, personal.extra_time_percent, personal.opens_at,
              personal.closes_at`,
  )
  const standings: (CandidateStanding | undefined)[] = candidates.map(() => undefined)
  for (const row of rows) {
    const { ord, activeId, activeEndsAt, extraTimePercent, personalOpensAt, personalClosesAt, ...known } = row
    const { isThere, teaches, used, completed, highestNumber, paperId, ...exam } = known
    standings[ord - 1] = {
      exam,
      isThere,
      teaches,
      used,
      completed,
      highestNumber,
      paperId,
      active: activeId === null ? null : { id: activeId, endsAt: activeEndsAt },
      personal: { extraTimePercent, opensAt: personalOpensAt, closesAt: personalClosesAt },
    }
  }
  return standings
}

// --- allowances

/** False, and nothing is added, if that would be more than `most`, or than the exam's own cap where that is higher. */
export async function insertManualAttempts(
  tx: Executor,
  userId: number,
  examId: number,
  { amount, most }: { amount: number; most: number },
  now: Date,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at)
    select ${userId}::int, ${examId}::int, highest + n, 'manual', ${now.toISOString()}
      from (select coalesce(max(attempt_number), 0) as highest, count(*) as used from attempts
             where user_id = ${userId} and exam_id = ${examId}) so_far,
           generate_series(1, ${amount}::int) n
     where used + ${amount}::int <= (select greatest(${most}::int, max_attempts) from exams where id = ${examId})
    returning id`)
  return rows.length > 0
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
  and(eq(attempts.userId, userId), eq(attempts.examId, examId), IS_UNDER_WAY)

/** The active attempts of these people at these exams, in any order. */
export async function listActive(db: Executor, candidates: Candidate[]): Promise<AttemptRow[]> {
  return query<AttemptRow>(
    db,
    ATTEMPT.check,
    sql`
    select ${ATTEMPT.columns('attempts')}
      from attempts join ${CANDIDATE.given(candidates, 'candidate')} using (user_id, exam_id)
     where ${IS_UNDER_WAY}`,
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

/** Somebody's attempt under way that ends last, of those that have an end. */
export async function findLastToEnd(
  db: Executor,
  userId: number,
): Promise<Pick<AttemptRow, 'examId' | 'endsAt'> | undefined> {
  const [row] = await db
    .select({ examId: attempts.examId, endsAt: attempts.endsAt })
    .from(attempts)
    .where(and(eq(attempts.userId, userId), IS_UNDER_WAY, isNotNull(attempts.endsAt)))
    .orderBy(desc(attempts.endsAt))
    .limit(1)
  return row
}

/** Exams with active attempts, of everybody or one person, whose end is before an instant. */
export async function listOverdueExams(db: Executor, endedBefore: Date, userId?: number): Promise<number[]> {
  const rows = await db
    .selectDistinct({ examId: attempts.examId })
    .from(attempts)
    .where(
      and(
        IS_UNDER_WAY,
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
    .where(and(eq(attempts.examId, examId), IS_UNDER_WAY, lt(attempts.endsAt, endedBefore)))
    .orderBy(attempts.endsAt)
    .limit(limit)
    .for('no key update', { skipLocked: true })
}

/** Those of these attempts that are under way and that nobody else has locked, locked in the order of their ids. */
export async function lockAvailable(tx: Executor, ids: number[]): Promise<AttemptRow[]> {
  return tx
    .select()
    .from(attempts)
    .where(and(isAnyOf(attempts.id, ids), IS_UNDER_WAY))
    .orderBy(attempts.id)
    .for('no key update', { skipLocked: true })
}

/** The attempts of these people that are under way, locked in the order of their ids. */
export async function lockUnderWay(tx: Executor, examId: number, userIds: number[]): Promise<AttemptRow[]> {
  return tx
    .select()
    .from(attempts)
    .where(and(eq(attempts.examId, examId), isAnyOf(attempts.userId, userIds), IS_UNDER_WAY))
    .orderBy(attempts.id)
    .for('no key update')
}

/** Which of these attempts are under way. */
export async function listUnderWay(tx: Executor, ids: number[]): Promise<number[]> {
  const rows = await tx
    .select({ id: attempts.id })
    .from(attempts)
    .where(and(isAnyOf(attempts.id, ids), IS_UNDER_WAY))
  return rows.map(({ id }) => id)
}

/** Notes that an attempt was opened from another session than the one that began it. False: it is over. */
export async function updateElsewhere(db: Executor, id: number): Promise<boolean> {
  const rows = await db
    .update(attempts)
    .set({ isElsewhere: true })
    .where(and(eq(attempts.id, id), IS_UNDER_WAY))
    .returning({ id: attempts.id })
  return rows.length > 0
}

export interface ClosedValues extends GradedValues {
  status: 'submitted' | 'expired'
  submittedAt: Date
  answers: Answers
  markedForReview: number[]
}

export async function updateClosed(tx: Executor, id: number, values: ClosedValues): Promise<void> {
  await tx.update(attempts).set(values).where(eq(attempts.id, id))
}

const GRADED = rowOf(attempts, [
  'id',
  'score',
  'maxScore',
  'percentage',
  'correct',
  'incorrect',
  'unattempted',
])

/** Closes attempts at their ends, with the answers that they have. */
export async function updateExpired(tx: Executor, graded: (GradedValues & { id: number })[]): Promise<void> {
  await tx.execute(sql`
    update attempts set status = 'expired', submitted_at = ends_at, ${GRADED.set('given', { except: ['id'] })}
      from ${GRADED.given(graded)} where attempts.id = given.id`)
}

/** Closes attempts as a teacher hands them in. */
export async function updateHandedIn(
  tx: Executor,
  graded: (GradedValues & { id: number })[],
  at: Date,
): Promise<void> {
  await tx.execute(sql`
    update attempts set status = 'submitted', handed_in = true, submitted_at = ${at.toISOString()}::timestamptz,
           ${GRADED.set('given', { except: ['id'] })}
      from ${GRADED.given(graded)} where attempts.id = given.id`)
}

/** Those of these exams that are told who doesn't have the paper in view. */
export async function listWatchingPages(db: Executor, examIds: number[]): Promise<Set<number>> {
  const rows = await db
    .select({ id: exams.id })
    .from(exams)
    .where(and(isAnyOf(exams.id, examIds), exams.watchPage))
  return new Set(rows.map(({ id }) => id))
}

/** What the people who take these attempts were told, oldest first. */
export function listMessages(
  db: Executor,
  attemptIds: number[],
): Promise<{ attemptId: number; text: string; at: string; author: string }[]> {
  return query<{ attemptId: number; text: string; at: string; author: string }>(
    db,
    { attemptId: 'integer', text: 'text', at: 'text', author: 'text' },
    sql`
    select told.attempt_id as "attemptId", told.text, ${iso(sql`told.sent_at`)} as at, author.full_name as author
      from attempt_messages told join users author on author.id = told.author_id
     where ${isAnyOf(sql`told.attempt_id`, attemptIds)} order by told.id`,
  )
}

// --- afterwards

export interface FinishedAttempt {
  attempt: AttemptRow
  exam: ExamRow
}

/** The newest attempt of this person at this exam that is over, or the one with this id. */
export async function findLatestFinished(
  db: Executor,
  userId: number,
  examId: number,
  attemptId: number | undefined,
): Promise<FinishedAttempt | undefined> {
  const [row] = await selectWithExam(db)
    .where(
      and(
        eq(attempts.userId, userId),
        eq(attempts.examId, examId),
        isNotNull(attempts.submittedAt),
        attemptId === undefined ? undefined : eq(attempts.id, attemptId),
      ),
    )
    .orderBy(desc(attempts.attemptNumber))
    .limit(1)
  return row
}

/** Somebody's own attempt that is active or over. */
export async function findOwnAttempt(
  db: Executor,
  userId: number,
  attemptId: number,
): Promise<FinishedAttempt | undefined> {
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
