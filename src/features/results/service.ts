import type { Content } from '../../../schemas/common.ts'
import type { AttemptRow, ResultAnswer, ReviewedQuestion } from '../../../schemas/exams/attempts.ts'
import type { Core } from '../../core.ts'
import type { Regrade } from '../../db/tables/exams/corrections.ts'
import { AppError } from '../../errors.ts'
import { localDateTime } from '../../formats/local-time.ts'
import { offsetOf } from '../../paging.ts'
import { closeOverdueOf } from '../attempts/closing.ts'
import { type Paper, paperOf } from '../attempts/papers/service.ts'
import { type FinishedRow, type ReleasedResult, releaseResult } from '../attempts/releasing.ts'
import { requireHelp } from '../help-lock/service.ts'
import { questionImageUrl } from '../uploads/addresses.ts'
import * as store from './store.ts'

export const ATTEMPTS_PER_PAGE = 50

/** One page of somebody's finished attempts, newest first, and how many there are. */
export async function listAttempts(
  core: Core,
  userId: number,
  examId: number | undefined,
  page: number,
): Promise<{ attempts: AttemptRow[]; total: number }> {
  await closeOverdueOf(core, userId)
  const [rows, total] = await Promise.all([
    store.listFinished(core.db, userId, examId, ATTEMPTS_PER_PAGE, offsetOf(page, ATTEMPTS_PER_PAGE)),
    store.countFinished(core.db, userId, examId),
  ])
  return { attempts: rows.map((row) => toAttempt(core, row)), total }
}

/**
 * A finished attempt, question by question. 404 for another person's, 403 `results_not_released` until it may be seen,
 * and `exam_in_progress` during another attempt at the exam if that locks help.
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

/** For each question the given answer, the right one by the regrades in force, and the marks. */
function reviewResult(
  core: Core,
  { attempt }: ReleasedResult,
  paper: Paper,
  inForce: readonly Regrade[],
): ReviewedQuestion[] {
  const { key, questions } = paper.gradedBy(inForce)
  const judgements = key.judge(attempt.answers)
  return paper.questions.map((question, index) => {
    const graded = questions[index]
    const judgement = judgements[index]
    return {
      ...question,
      image_url: questionImageUrl(core, question.image_path),
      correct_answer: graded?.correct_answer ?? '',
      tolerance: Number(graded?.tolerance ?? 0),
      regraded: graded?.regraded ?? false,
      given_answer: attempt.answers[question.id] ?? null,
      is_correct: judgement?.verdict === 'correct',
      marks_awarded: judgement?.marks ?? 0,
    }
  })
}

function toAttempt(core: Core, finished: FinishedRow): AttemptRow {
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
