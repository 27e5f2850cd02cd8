import type { QuestionType } from '../../../../schemas/common.ts'
import { formula } from './formula.ts'
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
  FORMULA: formula,
}

export function kindOf(type: QuestionType): Kind {
  return KINDS[type]
}
