import { reaches, roundPercentage } from '../../attempts/scoring.ts'

/** A question of the exam as a forecast sees it. */
export interface Prospect {
  chance: Chance
  positive: number
  negative: number
  /** How likely an attempt has it. */
  weight: number
}

/** What a question brings. */
export type Chance =
  /** Nobody can get marks for it. */
  | { kind: 'none' }
  /** Everybody gets its full marks. */
  | { kind: 'credited' }
  /** A part of its marks, as the last answer did. */
  | { kind: 'partial'; share: number }
  /** Its full marks with a chance of `p`, which grows by `slope` with what all questions of its kind have in common. */
  | { kind: 'answered' | 'unseen'; p: number; slope: number }

/** How sure it is what questions have in common: variances of the shift, and of what is known at first sight. */
export interface Doubts {
  answered: number
  unseen: number
}

/** Deviations around which four of five scores lie, if the chances are exact. */
const INTERVAL = 1.2816

export interface Forecast {
  expected: number
  low: number
  high: number
  maxScore: number
  /** As it is shown; null, as the chance: nothing can be scored. */
  expectedPercentage: number | null
  passChance: number | null
}

/** What a person would score who leaves out what would cost them marks on average. */
export function forecast(questions: readonly Prospect[], doubts: Doubts, passPercentage: number): Forecast {
  let expected = 0
  let variance = 0
  let maxScore = 0
  let least = 0
  let most = 0
  /** How much the score grows with what questions have in common. */
  const slopes = { answered: 0, unseen: 0 }
  for (const { chance, positive, negative, weight } of questions) {
    maxScore += weight * positive
    if (chance.kind === 'none' || ('p' in chance && isLeftOut(chance.p, positive, negative))) continue
    most += weight * positive
    least += weight * (chance.kind === 'credited' ? positive : -negative)
    expected += weight * marksOf(chance, positive, negative)
    if (chance.kind === 'partial') variance += weight * chance.share * (1 - chance.share) * positive ** 2
    if (!('p' in chance)) continue
    const difference = weight * (positive + negative)
    variance += difference * (positive + negative) * chance.p * (1 - chance.p)
    slopes[chance.kind] += difference * chance.slope
  }
  variance += doubts.answered * slopes.answered ** 2 + doubts.unseen * slopes.unseen ** 2
  const deviation = Math.sqrt(variance)
  return {
    expected,
    low: Math.max(least, expected - INTERVAL * deviation),
    high: Math.min(most, expected + INTERVAL * deviation),
    maxScore,
    ...(maxScore === 0
      ? { expectedPercentage: null, passChance: null }
      : passingOf(expected / maxScore, deviation / maxScore, passPercentage)),
  }
}

/** The marks that a question brings on average. */
export function marksOf(chance: Chance, positive: number, negative: number): number {
  switch (chance.kind) {
    case 'none':
      return 0
    case 'credited':
      return positive
    case 'partial':
      return chance.share * positive
    default:
      return isLeftOut(chance.p, positive, negative) ? 0 : chance.p * positive - (1 - chance.p) * negative
  }
}

/** How questions were answered last. */
export interface Answered {
  right: number
  wrong: number
  unseen: number
}

export type Confidence = 'none' | 'low' | 'fair' | 'good'

/** What of a paper has to be answered for a fair forecast, with the least number of questions, and for a good one. */
const FAIR = { share: 0.3, answers: 10 }
const GOOD = { share: 0.8, reviews: 30 }

/** How much there is to go by: `asked` questions are in an attempt, `practised` reviews tell the shift. */
export function confidenceOf(
  { right, wrong, unseen }: Answered,
  asked: number,
  practised: number,
): Confidence {
  const answered = right + wrong
  if (answered === 0) return 'none'
  if (answered < FAIR.share * asked || answered < Math.min(FAIR.answers, asked)) return 'low'
  return answered >= GOOD.share * (answered + unseen) && practised >= GOOD.reviews ? 'good' : 'fair'
}

function isLeftOut(p: number, positive: number, negative: number): boolean {
  return p * positive < (1 - p) * negative
}

function passingOf(share: number, deviation: number, passPercentage: number) {
  const expectedPercentage = roundPercentage(100 * share)
  const isSure = deviation === 0
  return {
    expectedPercentage,
    passChance: isSure
      ? Number(reaches(expectedPercentage, passPercentage))
      : normalShareAbove((leastShareFor(passPercentage) - share) / deviation),
  }
}

/** The least share of the marks whose percentage, as it is shown, passes. */
function leastShareFor(passPercentage: number): number {
  const hundredths = Math.ceil(roundPercentage(passPercentage * 100))
  return (hundredths - 0.5) / 10_000
}

/** The share of a normal distribution that lies above `z` deviations. */
function normalShareAbove(z: number): number {
  const half = erfc(Math.abs(z) / Math.SQRT2) / 2
  return z >= 0 ? half : 1 - half
}

/** Chebyshev's fit of the complementary error function for x ≥ 0, exact to 1.2e-7 (Numerical Recipes, 6.2). */
function erfc(x: number): number {
  const t = 1 / (1 + x / 2)
  const fit = FIT.reduceRight((sum, coefficient) => sum * t + coefficient, 0)
  return t * Math.exp(-x * x + fit)
}

const FIT = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
]
