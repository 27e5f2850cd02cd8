import type { Score } from '../../../schemas/exams/attempts.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { type Paper, paperOf } from './papers/service.ts'
import * as store from './store.ts'

export type { FinishedRow } from './store.ts'

/** A result that its student may see. `releaseResult` alone makes one. */
export interface ReleasedResult {
  attempt: store.AttemptRow
  score: Score
}

/** Whether students may see the results of an exam: if they are instant, or as long as they are released. */
export function showsResults(
  exam: Pick<store.FinishedRow['exam'], 'resultMode' | 'resultsReleased'>,
): boolean {
  return exam.resultMode === 'instant' || exam.resultsReleased
}

/**
 * Every result that a student gets passes through here (docs/protocol/exams.md#attempts). undefined: not visible yet.
 */
export function releaseResult({ attempt, exam }: store.FinishedRow): ReleasedResult | undefined {
  const { score, maxScore, percentage, correct, incorrect, unattempted } = attempt
  if (!showsResults(exam) || score === null || maxScore === null || percentage === null) return undefined
  return {
    attempt,
    score: {
      score,
      max_score: maxScore,
      percentage: Math.round(percentage * 100) / 100,
      correct: correct ?? 0,
      incorrect: incorrect ?? 0,
      unattempted: unattempted ?? 0,
    },
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
