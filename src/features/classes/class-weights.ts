import { roundPercentage } from '../attempts/scoring.ts'

/**
 * The mean of percentages by the weights of a class, rounded to two decimals; null where nothing has a weight. It counts
 * in hundredths, so that it is exact.
 */
export function totalOf(
  weights: Readonly<Record<string, number>>,
  marks: readonly { examId: number; percentage: number | null }[],
): number | null {
  const isWeighted = Object.keys(weights).length > 0
  let sum = 0
  let weight = 0
  for (const { examId, percentage } of marks) {
    if (percentage === null) continue
    const own = isWeighted ? toHundredths(weights[examId] ?? 0) : 1
    sum += own * toHundredths(Math.max(0, roundPercentage(percentage)))
    weight += own
  }
  return weight === 0 ? null : Math.floor((2 * sum + weight) / (2 * weight)) / 100
}

export const toHundredths = (value: number) => Math.round(value * 100)
