import type { QuestionType } from '../../../../schemas/common.ts'
import { gaps } from './gaps.ts'
import type { Kind } from './kind.ts'
import { matching } from './matching.ts'
import { mcq } from './mcq.ts'
import { msq } from './msq.ts'
import { numeric } from './numeric.ts'
import { ordering } from './ordering.ts'
import { short } from './short.ts'

const KINDS: Record<QuestionType, Kind> = {
  MCQ: mcq,
  MSQ: msq,
  NUMERIC: numeric,
  SHORT: short,
  MATCHING: matching,
  ORDERING: ordering,
  GAPS: gaps,
}

export function kindOf(type: QuestionType): Kind {
  return KINDS[type]
}

/** The types that the older generation knows. */
export const OLDER_TYPES: readonly QuestionType[] = ['MCQ', 'MSQ', 'NUMERIC']

/** Whether the older generation can show and grade the question. */
export function isKnownToOlder(question: {
  question_type: QuestionType
  more_options: readonly string[]
}): boolean {
  return OLDER_TYPES.includes(question.question_type) && question.more_options.length === 0
}
