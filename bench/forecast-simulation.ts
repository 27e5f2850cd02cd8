import { type Card, createEmptyCard, default_w, type FSRS, forgetting_curve, fsrs, type Grade } from 'ts-fsrs'
import type { Memory } from '../src/features/practice/cards/decks.store.ts'
import { advance, NEW_CARD, retrievability } from '../src/features/practice/cards/practice-schedule.ts'
import {
  findShift,
  firstSights,
  type KnownReview,
  knownAfter,
  type LastAnswer,
  rightOf,
  shifted,
} from '../src/features/practice/figures/chances.ts'
import type { FirstAnswer } from '../src/features/practice/figures/forecast.store.ts'
import { forecast, type Prospect } from '../src/features/practice/figures/forecasting.ts'
import { LEARNS, normal, random } from './practice-simulation.ts'

/** A kind of student. */
export interface Habit {
  name: string
  /** How much they answer: whole days of practice, or attempts at the exam, where no answer is shown. */
  practises?: { days: number; minutesADay: number; newPerDay: number }
  sits?: { share: number }
  /** Days between the last of that and the exam. */
  pause: number
  /** Whether they try to know an answer, in practice and at the exam; else they click anything. */
  tries: boolean
  /** How much longer than the scheduler believes they remember. */
  lasts: number
}

/** What was foretold of a student beside what came. */
export interface Foretold {
  reviews: number
  /** In percent of the marks. */
  expected: number
  low: number
  high: number
  scored: number
  /** Each question's chance beside whether it was answered right. */
  answers: { p: number; isRight: boolean }[]
}

const DAY_MS = 86_400_000
const RIGHT_MS = 8_000
const WRONG_MS = 20_000
/** How far students' memory is from the scheduler's weights: each times e to this much of a normal number. */
const SPREAD = 0.3
const SCHEDULING = { settings: [], timezone: 'UTC' }
const GOOD = 3
const HARD = 2
const AGAIN = 1

interface Question {
  guess: number
  positive: number
  negative: number
  /** Whether the student knew it before all this, and goes on doing so. */
  isKnownAnyway: boolean
  /** What the student has learnt; null: nothing. */
  real: Card | null
  /** What the service knows. */
  card: Memory
  last: Omit<LastAnswer, 'retrievability'> | null
}

/** Days of practice for all who do. */
const DAILY = { days: 21, minutesADay: 15, newPerDay: 4 }

export const HABITS: Habit[] = [
  { name: 'learn', practises: DAILY, pause: 7, tries: true, lasts: 1 },
  { name: 'only sit exams', sits: { share: 0.6 }, pause: 14, tries: true, lasts: 1 },
  { name: 'guess', practises: DAILY, pause: 7, tries: false, lasts: 1 },
  { name: 'cram', practises: { days: 2, minutesADay: 60, newPerDay: 40 }, pause: 7, tries: true, lasts: 1 },
  { name: 'forget faster (× 0.4)', practises: DAILY, pause: 7, tries: true, lasts: 0.4 },
  { name: 'forget slower (× 2.5)', practises: DAILY, pause: 7, tries: true, lasts: 2.5 },
]

/** One student who knew `known` of the questions before, and what both formulas foretell of the exam. */
export function foretell(
  habit: Habit,
  known: number,
  questions: number,
  seed: number,
): Record<'now' | 'before', Foretold> {
  const draw = random(seed)
  const person = makeStudent(habit, draw)
  const paper = Array.from({ length: questions }, (): Question => {
    const isChoice = draw() < 0.7
    const positive = [1, 1, 2, 4][Math.floor(draw() * 4)] as number
    return {
      guess: isChoice ? 0.25 : 0,
      positive,
      negative: isChoice && draw() < 0.5 ? positive / 4 : 0,
      isKnownAnyway: draw() < known,
      real: null,
      card: NEW_CARD,
      last: null,
    }
  })
  const log: { first: FirstAnswer[]; reviews: KnownReview[] } = { first: [], reviews: [] }
  const begin = Date.UTC(2026, 0, 1, 17)
  const end = habit.practises ? practise(paper, person, habit.practises, log, begin) : begin
  if (habit.sits) sit(paper, person, habit.sits.share, log, begin)
  const at = end + habit.pause * DAY_MS
  const outcomes = paper.map((question) => person.answers(question, at).isRight)
  const scored = paper.reduce(
    (sum, { positive, negative }, n) => sum + (outcomes[n] ? positive : -negative),
    0,
  )
  const sight = firstSights(log.first)()
  const shift = findShift(log.reviews.slice(-200))
  const prospects = paper.map((question): Prospect => {
    const { guess, card, last } = question
    if (!last)
      return {
        ...question,
        weight: 1,
        chance: { kind: 'unseen', p: rightOf(sight.known, guess), slope: 1 - guess },
      }
    const curve = retrievability(card, at) ?? 0
    const known = shifted(knownAfter({ ...last, retrievability: curve }, sight.known), shift)
    const slope = (1 - guess) * known * (1 - known)
    return { ...question, weight: 1, chance: { kind: 'answered', p: rightOf(known, guess), slope } }
  })
  const now = forecast(prospects, { answered: shift.variance, unseen: sight.variance }, 50)
  const before = foretoldBefore(paper, at)
  const percent = (marks: number) => (100 * marks) / now.maxScore
  const beside = (ps: number[]) => ps.map((p, n) => ({ p, isRight: outcomes[n] as boolean }))
  const common = { reviews: log.reviews.length + log.first.length, scored: percent(scored) }
  return {
    now: {
      ...common,
      expected: percent(now.expected),
      low: percent(now.low),
      high: percent(now.high),
      answers: beside(prospects.map(({ chance }) => ('p' in chance ? chance.p : 0))),
    },
    before: {
      ...common,
      expected: percent(before.expected),
      low: percent(before.low),
      high: percent(before.high),
      answers: beside(before.ps),
    },
  }
}

/** Today's formula as it was before: the curve for every card, a blind guess for every other question. */
function foretoldBefore(paper: readonly Question[], at: number) {
  let expected = 0
  let variance = 0
  const ps: number[] = []
  for (const { guess, positive, negative, card } of paper) {
    const p = rightOf(retrievability(card, at) ?? 0, guess)
    ps.push(p)
    expected += p * positive - (1 - p) * negative
    variance += p * (1 - p) * (positive + negative) ** 2
  }
  const half = 1.2816 * Math.sqrt(variance)
  return { expected, low: expected - half, high: expected + half, ps }
}

// --- students

interface Student {
  answers(question: Question, at: number): { isRight: boolean; isKnown: boolean }
  /** What seeing the answer does. */
  isShown(question: Question, isKnown: boolean, at: number): void
}

function makeStudent({ tries, lasts }: Habit, draw: () => number): Student {
  const learns = LEARNS.least + draw() * (LEARNS.most - LEARNS.least)
  const own = default_w.map((weight) => weight * Math.exp(SPREAD * normal(draw)))
  // The decay decides about the shape of all curves and stays.
  own[20] = default_w[20] as number
  const reality: FSRS = fsrs({ enable_fuzz: false, w: own })
  return {
    answers: ({ isKnownAnyway, real, guess }, at) => {
      const recalled =
        real?.last_review &&
        draw() <
          forgetting_curve(own, Math.max(0, at - real.last_review.getTime()) / DAY_MS, real.stability * lasts)
      const isKnown = tries && (isKnownAnyway || recalled === true)
      return { isKnown, isRight: isKnown || draw() < guess }
    },
    isShown: (question, isKnown, at) => {
      if (question.isKnownAnyway) return
      const rating: Grade = isKnown ? GOOD : AGAIN
      if (isKnown || draw() < learns)
        question.real = reality.next(
          question.real ?? createEmptyCard(new Date(at)),
          new Date(at),
          rating,
        ).card
    },
  }
}

/** Practises day by day what is due, then new questions; answers when the last day ends. */
function practise(
  paper: readonly Question[],
  person: Student,
  { days, minutesADay, newPerDay }: NonNullable<Habit['practises']>,
  log: { first: FirstAnswer[]; reviews: KnownReview[] },
  begin: number,
): number {
  for (let day = 0; day < days; day += 1) {
    let now = begin + day * DAY_MS
    const end = now + minutesADay * 60_000
    let left = newPerDay
    while (now < end) {
      const due = paper.find(({ card }) => card.due !== null && card.due <= now)
      const next = due ?? (left-- > 0 ? paper.find(({ last }) => last === null) : undefined)
      if (!next) break
      const { isRight, isKnown } = person.answers(next, now)
      review(next, isRight, true, now, log)
      person.isShown(next, isKnown, now)
      now += isRight ? RIGHT_MS : WRONG_MS
    }
  }
  return begin + (days - 1) * DAY_MS
}

/** Takes a part of the questions as an exam: no answer is shown. */
function sit(
  paper: readonly Question[],
  person: Student,
  share: number,
  log: { first: FirstAnswer[]; reviews: KnownReview[] },
  at: number,
): void {
  for (const question of paper.slice(0, share * paper.length))
    review(question, person.answers(question, at).isRight, false, at, log)
}

function review(
  question: Question,
  isRight: boolean,
  isShown: boolean,
  at: number,
  log: { first: FirstAnswer[]; reviews: KnownReview[] },
): void {
  const { card, last, guess } = question
  if (!last) log.first.push({ at, isRight, guess })
  else if (last.isShown || last.outcome === 'right') {
    const curve = retrievability(card, at) ?? 0
    const known = knownAfter({ ...last, retrievability: curve }, firstSights(log.first)(at).known)
    log.reviews.push({ known, guess, isRight })
  }
  const outcome = isRight ? 'right' : 'wrong'
  const rating = !isRight ? AGAIN : isShown ? HARD + Number(at % 10_000 < 7_000) : GOOD
  const logged = { clientId: '', answeredAt: at, rating, outcome, share: null, isExam: !isShown } as const
  question.card = advance(card, logged, SCHEDULING)
  question.last = { outcome, isShown }
}
