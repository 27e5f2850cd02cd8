import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import type { Memory } from '../cards/decks.store.ts'
import {
  advance,
  byTime,
  isUpToDate,
  type RetentionSince,
  replay,
  retrievability,
  takeTurns,
} from '../cards/practice-schedule.ts'
import { listSettings } from '../practice-settings.store.ts'
import * as store from './reviews.store.ts'

interface ReplayResult {
  /** By question. */
  cards: Map<number, Memory>
  /** What was expected before each review, by client id. */
  expected: Map<string, number | null>
}

/**
 * What cards become by new reviews, which are stored later. Most come after all that a card has had; if one doesn't, or
 * the card isn't up to date, the whole card is replayed.
 */
export async function schedule(
  core: Core,
  tx: Executor,
  userId: number,
  settings: readonly RetentionSince[],
  before: ReadonlyMap<number, Memory>,
  added: ReadonlyMap<number, readonly store.LoggedReview[]>,
): Promise<ReplayResult> {
  const scheduling = { settings, timezone: core.config.timezone }
  const late = new Map<number, readonly store.LoggedReview[]>()
  const cards = new Map<number, Memory>()
  const expected = new Map<string, number | null>()
  for (const [questionId, reviews] of added) {
    const card = before.get(questionId)
    const lastReview = card?.lastReview ?? Number.NEGATIVE_INFINITY
    const isLate = reviews.some(({ answeredAt }) => answeredAt <= lastReview)
    if (!card || isLate || !isUpToDate(card, scheduling)) {
      late.set(questionId, reviews)
      continue
    }
    let after = card
    for (const review of reviews.toSorted(byTime)) {
      expected.set(review.clientId, retrievability(after, review.answeredAt))
      after = advance(after, review, scheduling)
    }
    cards.set(questionId, after)
  }
  const replayed = await replayCards(core, tx, userId, [...late.keys()], late)
  return {
    cards: new Map([...cards, ...replayed.cards]),
    expected: new Map([...expected, ...replayed.expected]),
  }
}

/** What cards are by all of their reviews; what was expected before each stored one is brought up to date. */
export async function replayCards(
  core: Core,
  tx: Executor,
  userId: number,
  questionIds: readonly number[],
  added: ReadonlyMap<number, readonly store.LoggedReview[]> = new Map(),
): Promise<ReplayResult> {
  const scheduled: ReplayResult = { cards: new Map(), expected: new Map() }
  if (questionIds.length === 0) return scheduled
  const scheduling = { settings: await listSettings(tx, userId), timezone: core.config.timezone }
  const log = Map.groupBy(await store.listLog(tx, userId, questionIds), ({ questionId }) => questionId)
  const changed: store.Expectation[] = []
  const turn = takeTurns()
  for (const questionId of questionIds) {
    const stored = log.get(questionId) ?? []
    const reviews = [...stored, ...(added.get(questionId) ?? [])]
    const { card, expected } = await replay(reviews, scheduling, turn)
    scheduled.cards.set(questionId, card)
    for (const [clientId, before] of expected) scheduled.expected.set(clientId, before)
    for (const { clientId, isExam, expected: before } of stored) {
      const now = expected.get(clientId) ?? null
      if (!isExam && now !== before) changed.push({ clientId, expected: now })
    }
  }
  await store.updateExpected(tx, userId, changed)
  return scheduled
}
