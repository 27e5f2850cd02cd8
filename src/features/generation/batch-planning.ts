import {
  GENERATED_TYPES,
  type GeneratedQuestion,
  type GeneratedType,
} from '../../../schemas/generation.schemas.ts'
import { slicesOf } from '../../formats/slices.ts'

export type TypeCounts = Record<GeneratedType, number>

/** Most questions that the model is asked for at once (docs/protocol/generation.md). */
export const BATCH_SIZE = 10
/** A job that takes everything from a document ends after this many batches. */
export const MOST_BATCHES = 60

/** The wanted questions in batches, type after type. Empty where nothing is counted. */
export function planBatches(counts: TypeCounts): TypeCounts[] {
  const queue = GENERATED_TYPES.flatMap((type) => Array.from({ length: counts[type] }, () => type))
  return [...slicesOf(queue, BATCH_SIZE)].map(countTypes)
}

/** The wanted questions that are still missing. */
export function missingOf(wanted: TypeCounts, questions: readonly GeneratedQuestion[]): TypeCounts {
  const got = countTypes(questions.map(({ question_type }) => question_type))
  return mapCounts((type) => Math.max(0, wanted[type] - got[type]))
}

export function totalOf(counts: TypeCounts): number {
  return counts.MCQ + counts.MSQ + counts.NUMERIC
}

/** `4 MCQ, 1 NUMERIC` */
export function describeCounts(counts: TypeCounts): string {
  return GENERATED_TYPES.flatMap((type) => (counts[type] > 0 ? `${counts[type]} ${type}` : [])).join(', ')
}

/** In the order of the batches' types, whatever order the model wrote them in. */
export function sortByType<Question extends GeneratedQuestion>(questions: readonly Question[]): Question[] {
  return questions.toSorted(
    (one, other) => GENERATED_TYPES.indexOf(one.question_type) - GENERATED_TYPES.indexOf(other.question_type),
  )
}

/** Within each type, questions that were disputed come last; each place keeps its type. */
export function disputedLast<Question extends GeneratedQuestion & { check: { verdict: string } }>(
  questions: readonly Question[],
): Question[] {
  const isDisputed = ({ check }: Question) => check.verdict === 'disputed'
  const queues = new Map(
    GENERATED_TYPES.map((type) => {
      const ofType = questions.filter(({ question_type }) => question_type === type)
      return [type, [...ofType.filter((each) => !isDisputed(each)), ...ofType.filter(isDisputed)]]
    }),
  )
  return questions.map((question) => queues.get(question.question_type)?.shift() ?? question)
}

export function countTypes(types: readonly GeneratedType[]): TypeCounts {
  return mapCounts((type) => types.filter((each) => each === type).length)
}

function mapCounts(count: (type: GeneratedType) => number): TypeCounts {
  return { MCQ: count('MCQ'), MSQ: count('MSQ'), NUMERIC: count('NUMERIC') }
}
