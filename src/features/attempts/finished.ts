import type { AttemptRow, ResultAnswer } from '../../../schemas/attempts.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { localDateTime } from '../../local-time.ts'
import { requireHelp } from '../help-lock/service.ts'
import { closeOverdueOf } from './closing.ts'
import { type Paper, paperOf } from './papers/service.ts'
import { releaseResult, reviewResult } from './results.ts'
import * as store from './store.ts'

/** A page of somebody's finished attempts, newest first, and how many there are. */
export async function listAttempts(
  core: Core,
  userId: number,
  examId: number | undefined,
  limit: number,
  offset: number,
): Promise<{ attempts: AttemptRow[]; total: number }> {
  await closeOverdueOf(core, userId)
  const [rows, total] = await Promise.all([
    store.listFinished(core.db, userId, examId, limit, offset),
    store.countFinished(core.db, userId, examId),
  ])
  return { attempts: rows.map((row) => toAttempt(core, row)), total }
}

/**
 * A finished attempt, question by question. 404 for another's, 403 `results_not_released` until it may be seen, and
 * `exam_in_progress` while the next one is under way, where its exam locks help.
 */
export async function getResult(
  core: Core,
  userId: number,
  attemptId: number,
): Promise<Content<ResultAnswer>> {
  await closeOverdueOf(core, userId)
  const finished = await store.findReviewable(core.db, userId, attemptId)
  if (!finished) throw new AppError('not_found')
  const released = releaseResult(finished)
  if (!released) throw new AppError('results_not_released')
  if (finished.isLocked) await requireHelp(core, userId)
  return {
    ...toAttempt(core, finished),
    result_mode: finished.exam.resultMode,
    result: released.score,
    review: reviewResult(core, released, await paperOf(core, core.db, finished.attempt), finished.inForce),
  }
}

/** The paper of one's own attempt whose result may be seen. 404 for another's, 403 `results_not_released`. */
export async function requireVisible(core: Core, userId: number, attemptId: number): Promise<Paper> {
  const finished = await requireOwn(core, userId, attemptId)
  if (!releaseResult(finished)) throw new AppError('results_not_released')
  return paperOf(core, core.db, finished.attempt)
}

/** 404 for another's attempt. */
export async function requireOwn(core: Core, userId: number, attemptId: number): Promise<store.FinishedRow> {
  const found = await store.findOwnAttempt(core.db, userId, attemptId)
  if (!found) throw new AppError('not_found')
  return found
}

function toAttempt(core: Core, finished: store.FinishedRow): AttemptRow {
  const { attempt, exam } = finished
  const { score = null, max_score = null, percentage = null } = releaseResult(finished)?.score ?? {}
  return {
    attempt_id: attempt.id,
    exam_id: exam.id,
    exam_name: exam.name,
    attempt_number: attempt.attemptNumber,
    start_time: localDateTime(attempt.startedAt, core.config.timezone),
    submitted_at: (attempt.submittedAt ?? attempt.startedAt).toISOString(),
    score,
    max_score,
    percentage,
    status: attempt.status === 'expired' ? 'expired' : 'submitted',
  }
}
