import type { Score, SubmittedBy } from '../../../schemas/attempts.schemas.ts'
import type { Keys } from '../../../schemas/items.schemas.ts'
import type { Core } from '../../core.ts'
import type { GradedValues } from '../../db/tables/attempts.tables.ts'
import { AppError } from '../../errors.ts'
import * as store from './attempts.store.ts'
import type { Paper } from './paper.ts'
import { paperOf } from './papers.service.ts'
import { roundPercentage } from './scoring.ts'

export type { FinishedAttempt } from './attempts.store.ts'

/** An attempt's score as it is stored. */
export type StoredScore = Pick<
  store.AttemptRow,
  'score' | 'maxScore' | 'percentage' | 'correct' | 'incorrect' | 'unattempted'
>

/** A result that its student may see. `releaseResult` alone makes one. */
export interface ReleasedResult<Attempt extends StoredScore = store.AttemptRow> {
  attempt: Attempt
  score: Score
}

/** Who ended a finished attempt. */
export function submittedBy({
  status,
  handedIn,
}: Pick<store.AttemptRow, 'status' | 'handedIn'>): SubmittedBy {
  if (status === 'expired') return 'time'
  return handedIn ? 'teacher' : 'student'
}

/**
 * Whether students may see the results of an exam: if they are instant, or as long as they are released. Statements
 * have `hasVisibleResults` (features/results/visible-results.sql.ts) for it.
 */
export function showsResults(
  exam: Pick<store.FinishedAttempt['exam'], 'resultMode' | 'resultsReleased'>,
): boolean {
  return exam.resultMode === 'instant' || exam.resultsReleased
}

/**
 * Every result that a student gets passes through here (docs/protocol/exams.md#attempts). undefined: not visible yet.
 */
export function releaseResult<Attempt extends StoredScore>({
  attempt,
  exam,
}: {
  attempt: Attempt
  exam: Pick<store.FinishedAttempt['exam'], 'resultMode' | 'resultsReleased'>
}): ReleasedResult<Attempt> | undefined {
  const score = showsResults(exam) ? readScore(attempt) : undefined
  return score && { attempt, score }
}

/** An attempt's score; undefined while it has none. Students get it by `releaseResult` alone. */
export function readScore(attempt: StoredScore): Score | undefined {
  const { score, maxScore, percentage, correct, incorrect, unattempted } = attempt
  if (score === null || maxScore === null || percentage === null) return undefined
  const counts = { correct: correct ?? 0, incorrect: incorrect ?? 0, unattempted: unattempted ?? 0 }
  return toScore({ score, maxScore, percentage, ...counts })
}

/** What grading gives, as it is shown; without a percentage where there is nothing to score. */
export function toScore({ maxScore: max_score, percentage, ...rest }: GradedValues): Score {
  return { ...rest, max_score, percentage: max_score === 0 ? null : roundPercentage(percentage) }
}

/**
 * What administrators, and teachers of their own exams, may know of keys: features/classes/open-keys.sql.ts has the
 * rule for others.
 */
export const OPEN_KEYS: Keys = { shows_keys: true, keys_open_at: null }

/** One's own attempt whose result may be seen, and its paper. 404 for another's, 403 `results_not_released`. */
export async function requireVisible(
  core: Core,
  userId: number,
  attemptId: number,
): Promise<{ attempt: store.AttemptRow; paper: Paper }> {
  const finished = await requireOwn(core, userId, attemptId)
  if (!releaseResult(finished)) throw new AppError('results_not_released')
  const { attempt } = finished
  return { attempt, paper: await paperOf(core, core.db, attempt) }
}

/** 404 for another's attempt. */
export async function requireOwn(
  core: Core,
  userId: number,
  attemptId: number,
): Promise<store.FinishedAttempt> {
  const found = await store.findOwnAttempt(core.db, userId, attemptId)
  if (!found) throw new AppError('not_found')
  return found
}
