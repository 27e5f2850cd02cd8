import type { AttemptRow, ResultAnswer, ReviewedQuestion } from '../../../schemas/attempts.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import type { Answers, StoredQuestion } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { AppError } from '../../errors.ts'
import { localDateTime } from '../../formats/local-time.ts'
import { offsetOf } from '../../paging.ts'
import { breaks } from '../../scheduling/breaks.ts'
import { closeOverdueOf, findLive, overdueBefore } from '../attempts/closing.service.ts'
import type { Paper, PublicQuestion } from '../attempts/paper.ts'
import { paperOf } from '../attempts/papers.service.ts'
import type { GradedQuestion } from '../attempts/regraded-questions.ts'
import {
  type FinishedAttempt,
  releaseResult,
  requireOwn,
  type StoredScore,
  showsResults,
  submittedBy,
} from '../attempts/result-visibility.service.ts'
import { reaches } from '../attempts/scoring.ts'
import { placesOf, type Sitting, showGiven, showOwn, showRight } from '../attempts/sitting.ts'
import { requireHelp } from '../help-lock/help-lock.service.ts'
import { findExplanations } from '../questions/explanations.service.ts'
import { correctedDescriptions } from '../questions/image-descriptions.service.ts'
import { questionImageUrl } from '../uploads/upload-addresses.ts'
import * as store from './results.store.ts'

export const ATTEMPTS_PER_PAGE = 50

/** One page of somebody's finished attempts, newest first, and how many there are. */
export async function listAttempts(
  core: Core,
  userId: number,
  examId: number | undefined,
  page: number,
): Promise<{ attempts: AttemptRow[]; total: number }> {
  const read = () => {
    const choice = { userId, examId, endedBefore: overdueBefore(core).toISOString() }
    return store.listFinished(core.db, choice, ATTEMPTS_PER_PAGE, offsetOf(page, ATTEMPTS_PER_PAGE))
  }
  let found = await read()
  if (found.hasOverdue) {
    await closeOverdueOf(core, userId)
    found = await read()
  }
  return { attempts: found.rows.map((row) => toAttempt(core, row)), total: found.total }
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
    review: await reviewAttempt(
      core,
      released.attempt,
      await paperOf(core, core.db, finished.attempt),
      finished.inForce,
    ),
  }
}

/**
 * A question of a finished attempt as its review shows it. 404 for another person's, for one that may not be seen yet,
 * and during another attempt at the exam.
 */
export async function getReviewed(
  core: Core,
  userId: number,
  { attempt_id, question_id }: { attempt_id: number; question_id: number },
): Promise<ReviewedQuestion> {
  const finished = await requireOwn(core, userId, attempt_id)
  const isSeen = showsResults(finished.exam) && !(await findLive(core, userId, finished.exam.id))
  const { review } = isSeen ? await getResult(core, userId, attempt_id) : { review: [] }
  const reviewed = review.find(({ id }) => id === question_id)
  if (!reviewed) throw new AppError('not_found')
  return reviewed
}

/** For each question the given answer, the right one by the regrades in force, and the marks. */
export async function reviewAttempt(
  core: Core,
  attempt: Sitting & { answers: Answers },
  paper: Paper,
  inForce: readonly Regrade[],
): Promise<ReviewedQuestion[]> {
  const { key, questions } = paper.gradedBy(inForce)
  const explanations = await findExplanations(core.db, paper.tasks)
  const descriptions = await correctedDescriptions(core.db, paper.tasks)
  const takeBreak = breaks()
  const review: ReviewedQuestion[] = []
  for (const place of placesOf(paper, attempt)) {
    await takeBreak()
    const question = paper.questions[place] as PublicQuestion
    const task = paper.tasks[place] as StoredQuestion
    const graded = questions[place] as GradedQuestion
    const given = attempt.answers[task.id]
    const { verdict, marks } = key.judgeOne(place, given)
    const discussed = paper.discussedText(task.id)
    review.push({
      ...question,
      ...(discussed === undefined ? {} : { discussed_text: discussed }),
      image_url: questionImageUrl(core, question.image_path),
      image_alt: descriptions.get(task.id) ?? question.image_alt,
      ...showOwn(task, attempt),
      correct_answer: graded.correct_answer,
      correct: showRight(graded, attempt),
      explanation: paper.fill(task.id, explanations.get(task.id) ?? ''),
      tolerance: Number(graded.tolerance),
      regraded: graded.regraded,
      given_answer: given === undefined ? null : showGiven(task, attempt, given),
      is_correct: verdict === 'correct',
      marks_awarded: marks,
    })
  }
  return review
}

function toAttempt(core: Core, finished: FinishedAttempt | store.FinishedSummary): AttemptRow {
  const { attempt, exam } = finished
  const { startedAt, submittedAt } = attempt
  const {
    score = null,
    max_score = null,
    percentage = null,
  } = releaseResult<StoredScore>(finished)?.score ?? {}
  const isPassed = percentage === null ? null : reaches(attempt.percentage ?? 0, exam.passPercentage)
  return {
    attempt_id: attempt.id,
    exam_id: exam.id,
    exam_name: exam.name,
    attempt_number: attempt.attemptNumber,
    start_time: localDateTime(new Date(startedAt), core.config.timezone),
    started_at: new Date(startedAt).toISOString(),
    submitted_at: new Date(submittedAt ?? startedAt).toISOString(),
    score,
    max_score,
    percentage,
    passed: isPassed,
    status: attempt.status === 'expired' ? 'expired' : 'submitted',
    submitted_by: submittedBy(attempt),
  }
}
