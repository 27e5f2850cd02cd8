import type { ReviewedQuestion, Score } from '../../../schemas/attempts.ts'
import type { Core } from '../../core.ts'
import { fileUrl } from '../uploads/addresses.ts'
import type { Paper } from './papers.ts'
import type { AttemptRow, FinishedRow } from './store.ts'

/** A result that its student may see. `releaseResult` alone makes one. */
export interface ReleasedResult {
  attempt: AttemptRow
  score: Score
}

/**
 * The gate that every result passes on its way to a student (contract §4): open for an exam with instant
 * results, else while its results are released. undefined: pending.
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

/** Question by question what was given, what was right, and the marks that it made. */
export function reviewResult(core: Core, { attempt }: ReleasedResult, paper: Paper): ReviewedQuestion[] {
  const judgements = paper.key.judge(attempt.answers)
  return paper.questions.map((question, index) => {
    const solution = paper.solutions[index]
    const judgement = judgements[index]
    return {
      ...question,
      image_url: fileUrl(core, question.image_path),
      correct_answer: solution?.correctAnswer ?? '',
      tolerance: solution?.tolerance ?? 0,
      given_answer: attempt.answers[question.id] ?? null,
      is_correct: judgement?.verdict === 'correct',
      marks_awarded: judgement?.marks ?? 0,
    }
  })
}
