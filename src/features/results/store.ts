import { and, desc, eq, isNotNull, ne, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { isHelpLocked } from '../../db/help-lock.ts'
import { attempts } from '../../db/tables/exams/attempts.ts'
import type { Regrade } from '../../db/tables/exams/corrections.ts'
import { exams } from '../../db/tables/exams/exams.ts'

interface FinishedRow {
  attempt: typeof attempts.$inferSelect
  exam: typeof exams.$inferSelect
}

/**
 * Somebody's own attempt, with everything that its review needs as of one instant: the regrades in force, and whether
 * another attempt at the exam locks help.
 */
export async function findReviewable(
  db: Executor,
  userId: number,
  attemptId: number,
): Promise<(FinishedRow & { inForce: Regrade[]; isLocked: boolean }) | undefined> {
  const [row] = await db
    .select({
      attempt: attempts,
      exam: exams,
      inForce: sql<Regrade[]>`(
        select coalesce(json_agg(json_build_object('id', r.id, 'questionId', r.question_id, 'action', r.action,
                 'correctAnswer', r.correct_answer, 'tolerance', r.tolerance::text,
                 'questionType', r.question_type, 'keyVersion', r.key_version) order by r.id), '[]')
          from regrades r where r.exam_id = ${exams.id} and r.undone_at is null)`,
      isLocked: sql<boolean>`(${isHelpLocked(userId)} and ${exams.lockHelp} and exists (
        select from attempts other
         where other.user_id = ${userId} and other.exam_id = ${exams.id} and other.status = 'active'))`,
    })
    .from(attempts)
    .innerJoin(exams, eq(exams.id, attempts.examId))
    .where(and(eq(attempts.id, attemptId), eq(attempts.userId, userId), ne(attempts.status, 'manual')))
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
  return db
    .select({ attempt: attempts, exam: exams })
    .from(attempts)
    .innerJoin(exams, eq(exams.id, attempts.examId))
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
  return db.$count(attempts, isFinished(userId, examId))
}

function isFinished(userId: number, examId: number | undefined) {
  return and(
    eq(attempts.userId, userId),
    examId === undefined ? undefined : eq(attempts.examId, examId),
    isNotNull(attempts.submittedAt),
  )
}
