import { reaches, roundPercentage } from '../../attempts/scoring.ts'

/** A question of the exam as a forecast sees it. */
export interface Chance {
  /** How likely its full marks are; null: nobody can get marks for it. */
  p: number | null
  /** Whether everybody gets them. */
  isCredited: boolean
  positive: number
  negative: number
  /** How likely an attempt has it. */
  weight: number
}

/** The interval is that in which four of five scores lie. */
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

/** What a person would score, each question by itself being right or wrong. */
export function forecast(questions: readonly Chance[], passPercentage: number): Forecast {
  let expected = 0
  let variance = 0
  let maxScore = 0
  let least = 0
  let most = 0
  for (const { p, isCredited, positive, negative, weight } of questions) {
    maxScore += weight * positive
    if (p === null) continue
    expected += weight * (p * positive - (1 - p) * negative)
    variance += weight * p * (1 - p) * (positive + negative) ** 2
    most += weight * positive
    least += weight * (isCredited ? positive : -negative)
  }
  const deviation = Math.sqrt(variance)
  return {
    expected,
    low: Math.max(least, expected - INTERVAL * deviation),
    high: Math.min(most, expected + INTERVAL * deviation),
    maxScore,
    ...(maxScore === 0
      ? { expectedPercentage: null, passChance: null }
      : chanceOf(expected / maxScore, deviation / maxScore, passPercentage)),
  }
}

function chanceOf(share: number, deviation: number, passPercentage: number) {
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
