import type { GivenAnswer, QuestionKind, QuestionType, StudentQuestion } from './kind.ts'
import { formula } from './kinds/formula.tsx'
import { gaps } from './kinds/gaps.tsx'
import { matching } from './kinds/matching.tsx'
import { mcq } from './kinds/mcq.tsx'
import { msq } from './kinds/msq.tsx'
import { numeric } from './kinds/numeric.tsx'
import { ordering } from './kinds/ordering.tsx'
import { short } from './kinds/short.tsx'

const KINDS: Record<QuestionType, QuestionKind> = {
  MCQ: mcq,
  MSQ: msq,
  NUMERIC: numeric,
  SHORT: short,
  MATCHING: matching,
  ORDERING: ordering,
  GAPS: gaps,
  FORMULA: formula,
}

/** All types, in the order in which they are offered. */
export const QUESTION_TYPES = Object.keys(KINDS) as QuestionType[]

/** Whether the service will count a question as answered. */
export function isAnswered(question: StudentQuestion, answer: GivenAnswer | undefined): boolean {
  if (answer === undefined) return false
  return kindOf(question.question_type).isComplete?.(question, answer) ?? true
}

export function kindOf(type: QuestionType): QuestionKind {
  return KINDS[type]
}
