import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Db, Executor } from '../../db/database-client.ts'
import { type Columns, iso, only, type Places, statement } from '../../db/query.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { isAccount, users } from '../../db/tables/users.tables.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'

/** The regrades of the exam that are in force. */
const IN_FORCE = sql<Regrade[]>`(
  select coalesce(json_agg(json_build_object('id', r.id, 'questionId', r.question_id, 'action', r.action,
           'correctAnswer', r.correct_answer, 'parts', r.parts, 'tolerance', r.tolerance::text,
           'toleranceIs', r.tolerance_is,
           'questionType', r.question_type, 'keyVersion', r.key_version) order by r.id), '[]')
    from regrades r where r.exam_id = ${exams.id} and r.undone_at is null)`

/** Anybody's attempt that is under way or over, with its student, as of one instant. */
export async function findForStaff(db: Executor, attemptId: number) {
  const [row] = await db
    .select({
      attempt: attempts,
      exam: exams,
      inForce: IN_FORCE,
      username: users.username,
      fullName: users.fullName,
    })
    .from(attempts)
    .innerJoin(exams, eq(exams.id, attempts.examId))
    .innerJoin(users, and(eq(users.id, attempts.userId), isAccount()))
    .where(and(eq(attempts.id, attemptId), ne(attempts.status, 'manual')))
  return row
}

/** undefined if there is none. */
export async function findExam(db: Executor, id: number): Promise<typeof exams.$inferSelect | undefined> {
  const [row] = await db.select().from(exams).where(eq(exams.id, id))
  return row
}

/** Whose attempt it is; undefined if there is none. */
export async function findOwner(db: Executor, attemptId: number): Promise<number | undefined> {
  const [row] = await db.select({ userId: attempts.userId }).from(attempts).where(eq(attempts.id, attemptId))
  return row?.userId
}

/**
 * Somebody's own attempt, with everything that its review needs as of one instant: the regrades in force, and whether
 * another attempt at the exam locks help.
 */
export async function findReviewable(db: Executor, userId: number, attemptId: number) {
  const [row] = await db
    .select({
      attempt: attempts,
      exam: exams,
      inForce: IN_FORCE,
      isLocked: sql<boolean>`(${isHelpLocked(userId)} and ${exams.lockHelp} and exists (
        select from attempts other
         where other.user_id = ${userId} and other.exam_id = ${exams.id} and other.status = 'active'))`,
    })
    .from(attempts)
    .innerJoin(exams, eq(exams.id, attempts.examId))
    .where(and(eq(attempts.id, attemptId), eq(attempts.userId, userId), ne(attempts.status, 'manual')))
  return row
}

export interface FinishedSummary {
  attempt: Pick<
    typeof attempts.$inferSelect,
    | 'id'
    | 'attemptNumber'
    | 'status'
    | 'handedIn'
    | 'score'
    | 'maxScore'
    | 'percentage'
    | 'correct'
    | 'incorrect'
    | 'unattempted'
  > & { startedAt: string; submittedAt: string }
  exam: Pick<typeof exams.$inferSelect, 'id' | 'name' | 'resultMode' | 'resultsReleased' | 'passPercentage'>
}

interface ResultsCriteria {
  userId: number
  examId: number | undefined
  /** An attempt under way that ended before this instant is overdue. */
  endedBefore: string
}

interface ResultsSummary {
  total: number
  hasOverdue: boolean
}
const BESIDE = { total: 'integer', hasOverdue: 'boolean' } as const satisfies Columns<ResultsSummary>

const selectFinished = statement<
  ResultsCriteria & { limit: number; offset: number },
  FinishedSummary & ResultsSummary
>(
  { attempt: 'jsonb', exam: 'jsonb', ...BESIDE },
  ({ limit, offset, ...choice }) => sql`
    select jsonb_build_object(
             'id', attempts.id, 'attemptNumber', attempt_number, 'status', status, 'handedIn', handed_in,
             'startedAt', started_at, 'submittedAt', ${iso(sql`submitted_at`)}, 'score', score, 'maxScore', max_score, 'percentage', percentage,
             'correct', correct, 'incorrect', incorrect, 'unattempted', unattempted) as attempt,
           jsonb_build_object('id', exams.id, 'name', exams.name, 'resultMode', result_mode,
             'resultsReleased', results_released, 'passPercentage', pass_percentage) as exam,
           ${beside(choice)}
      from attempts join exams on exams.id = exam_id
     where ${isFinished(choice)} order by submitted_at desc, attempts.id desc limit ${limit} offset ${offset}`,
)

const selectBeside = statement<ResultsCriteria, ResultsSummary>(
  BESIDE,
  (choice) => sql`select ${beside(choice)}`,
)

/** How many there are, and whether the person has an overdue attempt, which is closed before the list is shown. */
function beside(choice: Places<ResultsCriteria>): SQL {
  return sql`
    (select count(*)::int from attempts where ${isFinished(choice)}) as total,
    exists (select from attempts where user_id = ${choice.userId} and status = 'active'
               and ends_at < ${choice.endedBefore}) as "hasOverdue"`
}

function isFinished({ userId, examId }: Places<ResultsCriteria>): SQL {
  return sql`user_id = ${userId} and submitted_at is not null ${examId ? sql`and exam_id = ${examId}` : sql``}`
}

/** A page of somebody's finished attempts, newest first. */
export async function listFinished(
  db: Db,
  choice: ResultsCriteria,
  limit: number,
  offset: number,
): Promise<{ rows: FinishedSummary[] } & ResultsSummary> {
  const rows = await selectFinished(db, { ...choice, limit, offset })
  const { total, hasOverdue } = rows[0] ?? only(await selectBeside(db, choice))
  return { rows, total, hasOverdue }
}
