import { type Card, createEmptyCard, default_w, type FSRS, forgetting_curve, fsrs, type Grade } from 'ts-fsrs'
import { AT_FIRST_SIGHT, knownAfter } from '../src/features/practice/figures/chances.ts'
import { median } from './measure.ts'

/** How the next of the due cards is chosen; all else is the same. `curve`: by gain, the forgetting curve alone. */
export const ORDERS = ['gain', 'curve', 'due', 'random'] as const
export type Order = (typeof ORDERS)[number]

export interface Course {
  name: string
  /** Whether an answer that is shown is always learnt, as FSRS takes for granted; else with a chance of each student's own. */
  learnsAll: boolean
  students: number
  questions: number
  /** Days of ample time in due order, with each order alike, and days without practice after them. */
  before?: { days: number; pause: number }
  days: number
  minutesADay: number
  newPerDay: number
}

/** What a review takes. */
const RIGHT_MS = 8_000
const WRONG_MS = 20_000
const DAY_MS = 86_400_000
const GUESS = 0.25
const AMPLE_MINUTES = 120
/** How likely a question is known that was never asked. */
const KNOWN_BEFORE = 0.2
/** How often students learn an answer that they are shown and didn't know: each another share between these. */
export const LEARNS = { least: 0.2, most: 0.8 }
/**
 * How far students' forgetting is from the scheduler's weights: each weight times e to this much of a normal number.
 */
const SPREAD = 0.3

interface Question {
  positive: number
  negative: number
  /** As the service believes, and as it is in this student. */
  believed: Card
  real: Card
  isLastRight: boolean
}

/** Expected marks at the exam in percent, by order: for each student, who learns the same with each. */
export function simulate(course: Course): Record<Order, number[]> {
  const scores: Record<Order, number[]> = { gain: [], curve: [], due: [], random: [] }
  for (let student = 1; student <= course.students; student += 1)
    for (const order of ORDERS) scores[order].push(learn(course, order, random(student)))
  return scores
}

/**
 * Gains of the first over the second order in percent of its marks, one for each student; the median, and the least and
 * most.
 */
export function compare(one: readonly number[], other: readonly number[]) {
  const gains = one.map((score, index) => 100 * (score / (other[index] as number) - 1))
  return { median: median(gains), least: Math.min(...gains), most: Math.max(...gains) }
}

function learn(course: Course, order: Order, draw: () => number): number {
  const own = default_w.map((weight) => weight * Math.exp(SPREAD * normal(draw)))
  // The decay decides about the shape of all curves and stays.
  own[20] = default_w[20] as number
  const scheduler = fsrs({ enable_fuzz: false })
  const reality = fsrs({ enable_fuzz: false, w: own })
  const begin = Date.UTC(2026, 0, 1, 17)
  const fresh = Array.from({ length: course.questions }, (): Question => {
    const positive = [1, 1, 2, 4][Math.floor(draw() * 4)] as number
    const negative = draw() < 0.5 ? 0 : positive / 3
    const empty = createEmptyCard(new Date(begin))
    return { positive, negative, believed: empty, real: empty, isLastRight: true }
  })
  const student = {
    reality,
    own,
    learns: course.learnsAll ? 1 : LEARNS.least + draw() * (LEARNS.most - LEARNS.least),
  }
  const known: Question[] = []
  const total = fresh.reduce((sum, { positive }) => sum + positive, 0)
  const { days: daysBefore = 0, pause = 0 } = course.before ?? {}
  const lastDay = daysBefore + pause + course.days
  for (let day = 0; day < lastDay; day += 1) {
    if (day >= daysBefore && day < daysBefore + pause) continue
    const isBefore = day < daysBefore
    const start = begin + day * DAY_MS
    const end = start + (isBefore ? AMPLE_MINUTES : course.minutesADay) * 60_000
    let introduced = 0
    for (let now = start; now < end; ) {
      let next = chooseDue(known, isBefore ? 'due' : order, now, draw)
      if (!next && introduced < course.newPerDay) {
        next = fresh.pop()
        introduced += 1
        if (next) known.push(next)
      }
      if (!next) break
      now += answer(next, now, scheduler, student, draw)
    }
  }
  const exam = begin + lastDay * DAY_MS
  const marks = [...known, ...fresh].reduce((sum, question) => {
    const p = chance(question.real, exam, own)
    return sum + p * question.positive - (1 - p) * question.negative
  }, 0)
  return (100 * marks) / total
}

function chooseDue(known: readonly Question[], order: Order, now: number, draw: () => number) {
  let best: Question | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const question of known) {
    const due = question.believed.due.getTime()
    if (due > now) continue
    const rank = order === 'due' ? -due : order === 'random' ? draw() : gain(question, now, order)
    if (rank > most) {
      best = question
      most = rank
    }
  }
  return best
}

function gain(question: Question, now: number, order: 'gain' | 'curve'): number {
  const { believed, isLastRight, positive, negative } = question
  const retrievability = knownFor(believed, now, default_w)
  const isTaken = order === 'curve' || isLastRight
  const last = { outcome: isTaken ? 'right' : 'wrong', isShown: true, retrievability } as const
  return (1 - withGuess(knownAfter(last, AT_FIRST_SIGHT))) * (positive + negative)
}

/** How likely a question is answered right at an instant. */
function chance(card: Card, at: number, weights: readonly number[]): number {
  return withGuess(knownFor(card, at, weights))
}

function knownFor({ last_review, stability }: Card, at: number, weights: readonly number[]): number {
  return last_review
    ? forgetting_curve([...weights], Math.max(0, at - last_review.getTime()) / DAY_MS, stability)
    : KNOWN_BEFORE
}

const withGuess = (known: number) => known + (1 - known) * GUESS

interface Student {
  /** Schedules by the student's own weights. */
  reality: FSRS
  own: readonly number[]
  /** How often they learn an answer that they are shown and didn't know. */
  learns: number
}

/** Answers a question, and says how long that took. */
function answer(
  question: Question,
  now: number,
  scheduler: FSRS,
  { reality, own, learns }: Student,
  draw: () => number,
): number {
  const isKnown = draw() < knownFor(question.real, now, own)
  const isRight = isKnown || draw() < GUESS
  const isSure = draw() < 0.7
  const rating: Grade = isRight ? (isSure ? 3 : 2) : 1
  const at = new Date(now)
  question.believed = scheduler.next(question.believed, at, rating).card
  // Whoever guessed right sees the answer too.
  if (isKnown || draw() < learns) question.real = reality.next(question.real, at, isKnown ? rating : 1).card
  question.isLastRight = isRight
  return isRight ? RIGHT_MS : WRONG_MS
}

/** The same random numbers for each seed. */
export function random(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A normal number (Box–Muller). */
export function normal(draw: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
}
