import { MOST_CARDS, type ReviewedCard } from '../../../../schemas/practice.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { AppError } from '../../../errors.ts'
import { showRight } from '../../attempts/sitting.ts'
import { seedOfDraw } from '../cards/card-questions.ts'
import { toReviewed } from '../cards/card-views.ts'
import { renewDeck } from '../cards/decks.service.ts'
import { type CardRow, insertDeck, markAsked, putCards } from '../cards/decks.store.ts'
import { SCHEDULER } from '../cards/practice-schedule.ts'
import type { Facts, Judgements } from './judging.service.ts'
import { arrivalDay, countArrivals } from './learners.service.ts'
import { type Learner, updateArrivals } from './learners.store.ts'
import { schedule } from './replaying.service.ts'
import * as store from './reviews.store.ts'

/** A person whose reviews were judged, at least one of them. */
export interface JudgedLearner extends Pick<Facts, 'open' | 'settings'>, Judgements {
  learner: Learner
  /** How many cards they have; only where there is to be another one. */
  cardCount: number
}

/** A person's reviews and the cards that follow from them, as they are to be stored. */
interface PracticeRecord {
  userId: number
  reviews: store.NewReview[]
  cards: CardRow[]
  /** One of the first cards of each exam that has such: where there is no deck yet, it is made. */
  newDecks: store.OpenRow[]
  /** How many reviews have arrived today with these. */
  arrived: number
}

/**
 * Stores reviews of different people, and the cards that follow from them. What is refused is an error in its place.
 */
export async function record(
  core: Core,
  tx: Executor,
  people: readonly JudgedLearner[],
): Promise<ReadonlyMap<number, store.StoredReview[] | AppError>> {
  if (people.length === 0) return new Map()
  const day = arrivalDay(core)
  const outcomes = new Map<number, store.StoredReview[] | AppError>()
  const recorded: PracticeRecord[] = []
  for (const person of people) {
    const { userId } = person.learner
    try {
      const made = await makeRecord(core, tx, person, day)
      recorded.push(made)
      outcomes.set(
        userId,
        made.reviews.map((each) => ({ ...each, isUndone: false })),
      )
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      outcomes.set(userId, error)
    }
  }
  const decks = recorded.flatMap(({ newDecks }) => newDecks)
  // Sent together.
  await Promise.all([
    putCards(
      tx,
      recorded.flatMap(({ cards }) => cards),
    ),
    store.insertReviews(
      tx,
      SCHEDULER,
      core.clock(),
      recorded.flatMap(({ reviews }) => reviews),
    ),
    updateArrivals(tx, day, recorded),
    markAsked(
      tx,
      decks.filter(({ hasDeck }) => hasDeck),
    ),
  ])
  for (const { userId, examId, hasDeck } of decks)
    if (!hasDeck && (await insertDeck(tx, userId, examId))) await renewDeck(core, tx, userId, examId)
  return outcomes
}

async function makeRecord(
  core: Core,
  tx: Executor,
  { learner, judged, cards, open, settings, cardCount }: JudgedLearner,
  day: string,
): Promise<PracticeRecord> {
  const { userId } = learner
  const added = Map.groupBy(judged, ({ questionId }) => questionId)
  const newCount = [...added.keys()].filter((questionId) => open.has(questionId)).length
  if (newCount > 0 && cardCount + newCount > MOST_CARDS) throw new AppError('too_many')
  const arrived = await countArrivals(core, tx, learner, day, judged.length)
  const scheduled = await schedule(core, tx, userId, settings, cards, added)
  const after = [...scheduled.cards].map(([questionId, memory]) => ({
    ...(cards.get(questionId) as CardRow),
    ...memory,
  }))
  const now = core.clock()
  const shown = new Map(after.map((card) => [card.questionId, toReviewed(card, now)]))
  const reviews = judged.map(({ cardQuestion: { question, paper }, draw, ...each }) => ({
    ...each,
    expected: scheduled.expected.get(each.clientId) ?? null,
    stored: {
      correct: showRight(question, learner) ?? '',
      correct_answer: question.correct_answer,
      ...(paper.hasVariables ? { draw, seed: seedOfDraw(learner.seed, each.questionId, draw ?? 0) } : {}),
      card: shown.get(each.questionId) as ReviewedCard,
    },
  }))
  const opened = after.flatMap(({ questionId }) => open.get(questionId) ?? [])
  const newDecks = [...new Map(opened.map((each) => [each.examId, each])).values()]
  return { userId, reviews, cards: after, newDecks, arrived }
}
