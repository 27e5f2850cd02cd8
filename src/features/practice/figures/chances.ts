import type { ReviewOutcome } from '../../../db/tables/practice.tables.ts'
import type { FirstAnswer } from './forecast.store.ts'

/**
 * How likely a person knows a question, and answers it right. The forgetting curve says that of a card whose last answer
 * was right; of one that was wrong it takes for granted that the answer was learnt anew at once, which an exam lets
 * nobody do.
 */

/** What is taken for knowing a question at first sight where nothing tells. */
export const AT_FIRST_SIGHT = 0.25
/** What of that is left after a wrong answer. */
const AFTER_WRONG = 1 / 2
/** What of the forgetting curve counts after a wrong answer in practice, where the right one is shown. */
const AFTER_SHOWN = 1 / 4
/** The same for statements that compare many cards of anybody. */
export const AFTER_WRONG_ANSWERS = { missed: AFTER_WRONG * AT_FIRST_SIGHT, shown: AFTER_SHOWN }

/** What somebody knows of the questions of an exam at first sight, and the variance of that. */
export interface FirstSight {
  known: number
  variance: number
}

/** Four answers that are as likely known as nothing else tells come before the real ones. */
const BEFORE = { known: 1, count: 4 }

/** By the first answers to an exam's questions, oldest first: by those before an instant, or by all. */
export function firstSights(answers: readonly FirstAnswer[]): (before?: number) => FirstSight {
  let { known: right, count } = BEFORE
  const sums = [{ right, count }]
  for (const { isRight, guess } of answers) {
    right += Number(isRight) - guess
    count += 1 - guess
    sums.push({ right, count })
  }
  return (before = Number.POSITIVE_INFINITY) => {
    const sum = sums[countBefore(answers, before)] ?? { right, count }
    const known = Math.max(0, sum.right / sum.count)
    return { known, variance: (known * (1 - known)) / (sum.count + 1) }
  }
}

/** How many of these, oldest first, are before an instant. */
function countBefore(answers: readonly FirstAnswer[], before: number): number {
  let [least, most] = [0, answers.length]
  while (least < most) {
    const middle = (least + most) >> 1
    if ((answers[middle]?.at ?? before) < before) least = middle + 1
    else most = middle
  }
  return least
}

/** The last answer to a question. */
export interface LastAnswer {
  outcome: ReviewOutcome
  /** Whether the right one was shown after it, as in practice. */
  isShown: boolean
  /** What the forgetting curve says. */
  retrievability: number
}

/** How likely somebody knows a question that they answered; `known`: at first sight. */
export function knownAfter({ outcome, isShown, retrievability }: LastAnswer, known: number): number {
  if (outcome === 'right') return retrievability
  return Math.max(AFTER_WRONG * known, isShown ? AFTER_SHOWN * retrievability : 0)
}

export function rightOf(known: number, guess: number): number {
  return guess + (1 - guess) * known
}

/** A review beside what was known of its question just before it. */
export interface KnownReview {
  known: number
  guess: number
  isRight: boolean
}

/** By how much a person knows more, or less, than cards say: added to the log odds. */
export interface Shift {
  by: number
  variance: number
}

/** The shift's variance where nothing tells. */
const VARIANCE = 0.36
const FURTHEST = 3
/** What is taken for certain neither way. */
const LEAST_KNOWN = 0.02
/** Steps in which the most likely shift is looked for, and halvings that find it between two. */
const STEP = 0.25
const HALVINGS = 40

/** The shift that makes these reviews most likely; all shifts are as likely as normal numbers before. */
export function findShift(reviews: readonly KnownReview[]): Shift {
  if (reviews.length === 0) return { by: 0, variance: VARIANCE }
  const odds = reviews.map(({ known, guess, isRight }) => ({
    logOdds: logit(Math.min(1 - LEAST_KNOWN, Math.max(LEAST_KNOWN, known))),
    guess,
    isRight,
  }))
  const likelihood = (by: number) => {
    let sum = (-by * by) / (2 * VARIANCE)
    for (const { logOdds, guess, isRight } of odds) {
      const wrong = (1 - guess) / (1 + Math.exp(logOdds + by))
      sum += Math.log(isRight ? 1 - wrong : wrong)
    }
    return sum
  }
  const by = highest(likelihood)
  let precision = 1 / VARIANCE
  for (const { logOdds, guess } of odds) {
    const known = logistic(logOdds + by)
    const p = rightOf(known, guess)
    precision += ((1 - guess) * known * (1 - known)) ** 2 / (p * (1 - p))
  }
  return { by, variance: 1 / precision }
}

/** Guesses can make for more than one height: the highest of all steps is followed up. */
function highest(height: (by: number) => number): number {
  let best = 0
  let most = height(0)
  for (let by = -FURTHEST; by <= FURTHEST; by += STEP) {
    const here = height(by)
    if (here > most) [best, most] = [by, here]
  }
  let from = Math.max(-FURTHEST, best - STEP)
  let to = Math.min(FURTHEST, best + STEP)
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const third = (to - from) / 3
    if (height(from + third) < height(to - third)) from += third
    else to -= third
  }
  return (from + to) / 2
}

/** What is known with a person's shift. */
export function shifted(known: number, { by }: Shift): number {
  return logistic(logit(known) + by)
}

function logistic(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

function logit(share: number): number {
  return Math.log(share / (1 - share))
}
