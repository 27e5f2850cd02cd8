import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../../db/tables/corrections.tables.ts'
import type { ReviewOutcome } from '../../../db/tables/practice.tables.ts'
import type { Paper } from '../../attempts/paper.ts'
import type { GradedQuestion } from '../../attempts/regraded-questions.ts'
import { kindOf } from '../../questions/kinds/kinds.ts'
import type { CardForm } from './decks.store.ts'

/** A question of a paper with the key that is in force. */
export interface CardQuestion {
  paper: Paper
  /** Its place in the paper. */
  place: number
  question: GradedQuestion
}

/** The seed of a card's values, which are other ones after each review. */
export function seedOfDraw(seed: string, questionId: number, draw: number): string {
  return `practice ${seed} ${questionId} ${draw}`
}

/** The question as it can be practised; undefined if it was dropped, has no key, or isn't in the paper. */
export function findCardQuestion(
  paper: Paper,
  inForce: readonly Regrade[],
  questionId: number,
): CardQuestion | undefined {
  const place = paper.placeOf(questionId)
  return place === undefined ? undefined : toCardQuestion(paper, inForce, place)
}

/** All questions of a paper that can be practised. */
export function listCardQuestions(paper: Paper, inForce: readonly Regrade[]): CardQuestion[] {
  return paper.tasks.flatMap((_, place) => toCardQuestion(paper, inForce, place) ?? [])
}

function toCardQuestion(paper: Paper, inForce: readonly Regrade[], place: number): CardQuestion | undefined {
  const question = paper.gradedBy(inForce).questions[place]
  if (!question || question.ruling === 'drop') return undefined
  const hasKey = kindOf(question.question_type).rightAnswer(question) !== null
  return hasKey ? { paper, place, question } : undefined
}

/** How an answer comes out. */
export interface Judgement {
  outcome: ReviewOutcome
  /** Which part of the marks a partly right one brings; null for others. */
  share: number | null
}

/** How an answer comes out by the key, also where a regrade credits everybody. */
export function judge({ paper, question }: CardQuestion, answer: StoredAnswer | undefined): Judgement {
  const key = kindOf(question.question_type).compile(question, paper.msqScoring)
  const share = key?.judge(answer)
  if (key === undefined || share === undefined) return { outcome: 'wrong', share: null }
  if (share === key.denominator) return { outcome: 'right', share: null }
  return share > 0n && paper.msqScoring === 'partial'
    ? { outcome: 'partly', share: Number(share) / Number(key.denominator) }
    : { outcome: 'wrong', share: null }
}

export function formOf({ paper, question }: CardQuestion): CardForm & { paperId: number } {
  return {
    paperId: paper.id,
    marks: Number(question.positive_marks) + Number(question.negative_marks),
    guess: guessOf(question),
  }
}

/** How likely somebody who knows nothing is right. */
export function guessOf(question: GradedQuestion): number {
  return kindOf(question.question_type).guess(question)
}
