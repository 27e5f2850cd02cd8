import type { GeneratedQuestion } from '../../../schemas/generation.ts'
import type { QuestionType } from '../../../schemas/questions.ts'

export type Counts = Record<QuestionType, number>

/** Most questions that one answer of the model is asked for (contract §8). */
export const BATCH_SIZE = 10
/** A job that takes whatever a document holds ends here at the latest. */
export const MOST_BATCHES = 60

const TYPES: readonly QuestionType[] = ['MCQ', 'MSQ', 'NUMERIC']

/** The wanted questions in batches, type after type. Empty where nothing is counted. */
export function planBatches(counts: Counts): Counts[] {
  const queue = TYPES.flatMap((type) => Array.from({ length: counts[type] }, () => type))
  const batches: Counts[] = []
  for (let start = 0; start < queue.length; start += BATCH_SIZE)
    batches.push(countTypes(queue.slice(start, start + BATCH_SIZE)))
  return batches
}

/** What is still missing of the wanted. */
export function missingOf(wanted: Counts, questions: readonly GeneratedQuestion[]): Counts {
  const got = countTypes(questions.map(({ question_type }) => question_type))
  return mapCounts((type) => Math.max(0, wanted[type] - got[type]))
}

export function totalOf(counts: Counts): number {
  return counts.MCQ + counts.MSQ + counts.NUMERIC
}

/** `4 MCQ, 1 NUMERIC` */
export function describeCounts(counts: Counts): string {
  return TYPES.flatMap((type) => (counts[type] > 0 ? `${counts[type]} ${type}` : [])).join(', ')
}

/** In the order of the batches' types, whatever order the model wrote them in. */
export function sortByType(questions: readonly GeneratedQuestion[]): GeneratedQuestion[] {
  return questions.toSorted(
    (one, other) => TYPES.indexOf(one.question_type) - TYPES.indexOf(other.question_type),
  )
}

function countTypes(types: readonly QuestionType[]): Counts {
  return mapCounts((type) => types.filter((each) => each === type).length)
}

function mapCounts(count: (type: QuestionType) => number): Counts {
  return { MCQ: count('MCQ'), MSQ: count('MSQ'), NUMERIC: count('NUMERIC') }
}
