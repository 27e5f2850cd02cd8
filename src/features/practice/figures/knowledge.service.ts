import type { Core } from '../../../core.ts'
import { breaks } from '../../../scheduling/breaks.ts'
import { advance, NEW_CARD, retrievability, type Scheduling } from '../cards/practice-schedule.ts'
import {
  type FirstSight,
  findShift,
  firstSights,
  knownAfter,
  rightOf,
  type Shift,
  shifted,
} from './chances.ts'
import * as store from './forecast.store.ts'
import type { Chance } from './forecasting.ts'

/** Reviews by which a person's shift is found. */
const MOST_PRACTISED = 200
/** What an answer takes where nothing tells. */
const USUAL_MS = 20_000
/** What a partly right answer brings whose share version 1.0 didn't store. */
const USUAL_SHARE = 1 / 2

/** What tells how much a person knows of an exam. */
export interface Knowledge {
  sight: FirstSight
  shift: Shift
  /** How many reviews tell the shift. */
  practised: number
  /** What an answer takes them on average. */
  paceMs: number
}

export async function findKnowledge(core: Core, userId: number, examId: number): Promise<Knowledge> {
  const practised = await store.listPractised(core.db, { userId, most: MOST_PRACTISED })
  // After a right answer it doesn't matter what was known at first sight.
  const wrongBefore = practised.filter(({ outcomeBefore }) => outcomeBefore !== 'right')
  const examIds = new Set([examId, ...wrongBefore.map((review) => review.examId)])
  const answers = await store.listFirstAnswers(core.db, userId, [...examIds])
  const takeBreak = breaks()
  const sights = new Map<number, ReturnType<typeof firstSights>>()
  for (const id of examIds) {
    await takeBreak()
    sights.set(id, firstSights(answers.get(id) ?? []))
  }
  const sightOf = (id: number, before?: number) => sights.get(id)?.(before) ?? firstSights([])()
  const reviews = practised.map(
    ({ outcomeBefore: outcome, isShownBefore: isShown, expected: retrievability, ...review }) => {
      const sight = sightOf(review.examId, review.answeredAt)
      return { ...review, known: knownAfter({ outcome, isShown, retrievability }, sight.known) }
    },
  )
  const taken = practised.flatMap(({ tookMs }) => tookMs ?? [])
  return {
    sight: sightOf(examId),
    shift: findShift(reviews),
    practised: practised.length,
    paceMs: taken.length === 0 ? USUAL_MS : taken.reduce((sum, ms) => sum + ms, 0) / taken.length,
  }
}

/** What a question of an exam brings somebody. */
export interface Asked {
  at: number
  /** How likely somebody is right who knows nothing. */
  guess: number
  /** Whether partly right answers bring a part of the marks. */
  isPartial: boolean
}

export function chanceOf(
  card: store.AnsweredCard | undefined,
  { at, guess, isPartial }: Asked,
  { sight, shift }: Knowledge,
): Chance {
  if (!card?.outcome) return { kind: 'unseen', p: rightOf(sight.known, guess), slope: 1 - guess }
  const { outcome, share } = card
  if (outcome === 'partly' && isPartial) return { kind: 'partial', share: share ?? USUAL_SHARE }
  const last = { outcome, isShown: card.isShown === true, retrievability: retrievability(card, at) ?? 0 }
  return toChance(shifted(knownAfter(last, sight.known), shift), guess)
}

/** What it brings if they answer it right in practice first. */
export function chanceAfterRight(
  card: store.AnsweredCard | undefined,
  answeredAt: number,
  { at, guess }: Asked,
  { shift }: Knowledge,
  scheduling: Scheduling,
): Chance {
  const right = {
    clientId: '',
    outcome: 'right',
    share: null,
    rating: GOOD,
    isExam: false,
    answeredAt,
  } as const
  const known = retrievability(advance({ ...NEW_CARD, ...card }, right, scheduling), at) ?? 0
  return toChance(shifted(known, shift), guess)
}

const GOOD = 3

function toChance(known: number, guess: number): Chance {
  return { kind: 'answered', p: rightOf(known, guess), slope: (1 - guess) * known * (1 - known) }
}
