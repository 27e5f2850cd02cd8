import type { ReviewedQuestion, Score } from '../../../schemas/attempts.ts'
import type { Core } from '../../core.ts'
import type { Regrade } from '../../db/tables/exams/corrections.ts'
import { questionImageUrl } from '../uploads/addresses.ts'
import type { Paper } from './papers/service.ts'
import type { AttemptRow, FinishedRow } from './store.ts'

/** A result that its student may see. `releaseResult` alone makes one. */
export interface ReleasedResult {
  attempt: AttemptRow
  score: Score
}

/**
 * Every result that a student gets passes through here (docs/protocol/exams.md#attempts): it is visible if the exam's
 * results are instant, or as long as they are released. undefined: not visible yet.
 */
export function releaseResult({ attempt, exam }: FinishedRow): ReleasedResult | undefined {
  const isOpen = exam.resultMode === 'instant' || exam.resultsReleased
  const { score, maxScore, percentage, correct, incorrect, unattempted } = attempt
  if (!isOpen || score === null || maxScore === null || percentage === null) return undefined
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

/** For each question the given answer, the right one by the regrades in force, and the marks. */
export function reviewResult(
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
