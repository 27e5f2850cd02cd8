import type { Review } from '../../../../schemas/practice.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../../db/tables/corrections.tables.ts'
import { listInForceOf } from '../../attempts/grading-lock.service.ts'
import { HAS_VARIABLES } from '../../attempts/paper.ts'
import { currentPaperOf, getPaper } from '../../attempts/papers.service.ts'
import { kindOf } from '../../questions/kinds/kinds.ts'
import { type CardQuestion, findCardQuestion, formOf, judge, seedOfDraw } from '../cards/card-questions.ts'
import type { CardRow } from '../cards/decks.store.ts'
import { isUpToDate, NEW_CARD, type RetentionSince } from '../cards/practice-schedule.ts'
import { listSettingsOf } from '../practice-settings.store.ts'
import type { Learner } from './learners.store.ts'
import * as store from './reviews.store.ts'

const LONGEST_MS = 10 * 60_000

/** A review with its place in time; ids are compared in lower case. */
export type DatedReview = Review & {
  clientId: string
  answeredAt: number
  /** Whether it comes after all that its card has had, whatever `answeredAt` is. */
  isLast: boolean
}

/** Reviews that a person sends together. */
export interface ReviewBatch {
  userId: number
  given: readonly DatedReview[]
}

/** What decides about them; to be read under the lock of the person's row. */
export interface Facts extends Pick<ReviewBatch, 'given'> {
  /** Those that are stored already. */
  known: readonly store.StoredReview[]
  /** The others; of equal ids the first. */
  added: readonly DatedReview[]
  cards: ReadonlyMap<number, CardRow>
  open: ReadonlyMap<number, store.OpenRow>
  settings: readonly RetentionSince[]
}

/** The facts about each of these people. */
export async function findFacts(tx: Executor, arrivals: readonly ReviewBatch[]): Promise<Map<number, Facts>> {
  const keys = arrivals.flatMap(({ userId, given }) =>
    given.map(({ clientId, question_id: questionId }) => ({ userId, clientId, questionId })),
  )
  const [known, cards, open, settings] = await Promise.all([
    store.listReviews(tx, keys),
    store.listCards(tx, keys),
    store.listOpen(tx, keys),
    listSettingsOf(
      tx,
      arrivals.map(({ userId }) => userId),
    ),
  ])
  const knownOf = Map.groupBy(known, ({ userId }) => userId)
  const cardsOf = Map.groupBy(cards, ({ userId }) => userId)
  const openTo = Map.groupBy(open, ({ userId }) => userId)
  const byQuestion = <T extends { questionId: number }>(rows: readonly T[] = []) =>
    new Map(rows.map((row) => [row.questionId, row]))
  return new Map(
    arrivals.map(({ userId, given }) => [
      userId,
      {
        given,
        known: knownOf.get(userId) ?? [],
        added: withoutKnown(given, knownOf.get(userId) ?? []),
        cards: byQuestion(cardsOf.get(userId)),
        open: byQuestion(openTo.get(userId)),
        settings: settings.get(userId) ?? [],
      },
    ]),
  )
}

/** Those that are not stored yet; of equal ids the first. */
function withoutKnown(given: readonly DatedReview[], known: readonly store.StoredReview[]): DatedReview[] {
  const seen = new Set(known.map(({ clientId }) => clientId))
  return given.filter(({ clientId }) => {
    const isNew = !seen.has(clientId)
    seen.add(clientId)
    return isNew
  })
}

/** The regrades in force of the exams that these facts are about. */
export function findRegrades(
  tx: Executor,
  facts: readonly Facts[],
): Promise<ReadonlyMap<number, readonly Regrade[]>> {
  return listInForceOf(
    tx,
    facts.flatMap(({ cards, open }) => [...cards.values(), ...open.values()].map(({ examId }) => examId)),
  )
}

/**
 * Whether nothing more is needed to judge and to store these reviews: their cards are shown as they stand, or can be
 * made, and each comes after all that its card has had, which is up to date.
 */
export function isPlain(core: Core, { added, cards, open, settings }: Facts): boolean {
  const scheduling = { settings, timezone: core.config.timezone }
  return added.every(({ question_id, question_version, answeredAt, isLast }) => {
    const card = cards.get(question_id)
    const opened = open.get(question_id)
    const paperId = card ? card.paperId : opened?.hasDeck ? opened.paperId : null
    return (
      paperId !== null &&
      (question_version ?? paperId) === paperId &&
      (isLast || answeredAt > (card?.lastReview ?? Number.NEGATIVE_INFINITY)) &&
      (!card || isUpToDate(card, scheduling))
    )
  })
}

export type ReviewRefusal = 'not_found' | 'validation_failed'

/** A review whose question may be practised, judged. */
export type JudgedReview = Omit<store.NewReview, 'expected' | 'stored'> & {
  cardQuestion: CardQuestion
  /** Which values it had. */
  draw: number | undefined
}

export interface Judgements {
  judged: JudgedReview[]
  /** By client id. */
  refused: Map<string, ReviewRefusal>
  /** By question, those that are not stored yet too. */
  cards: Map<number, CardRow>
}

export async function judgeAll(
  core: Core,
  tx: Executor,
  { userId, seed }: Learner,
  { added, cards: stored, open }: Facts,
  regrades: ReadonlyMap<number, readonly Regrade[]>,
): Promise<Judgements> {
  const cards = new Map(stored)
  for (const { questionId, examId, paperId } of open.values()) {
    const paper = await (paperId === null ? currentPaperOf(core, tx, examId) : getPaper(core, tx, paperId))
    const cardQuestion = findCardQuestion(paper, regrades.get(examId) ?? [], questionId)
    if (cardQuestion)
      cards.set(questionId, { ...NEW_CARD, ...formOf(cardQuestion), userId, questionId, examId })
  }
  const versions = await listVersions(tx, userId, added, cards)
  const judged: JudgedReview[] = []
  const refused = new Map<string, ReviewRefusal>()
  /** When the newest review of each card is, with those of this request. */
  const newest = new Map<number, number>()
  /** How many reviews of this request each card has had. */
  const counted = new Map<number, number>()
  for (const each of added) {
    const { clientId, sure, question_id: questionId, question_version, took_ms } = each
    const card = cards.get(questionId)
    const paperId = question_version ?? card?.paperId
    const isShown = paperId === card?.paperId || versions.has(`${questionId}/${paperId}`)
    const reps = (card?.reps ?? 0) + (counted.get(questionId) ?? 0)
    const draw = each.draw ?? reps
    const cardQuestion =
      card && paperId && isShown
        ? findCardQuestion(
            (await getPaper(core, tx, paperId)).single(questionId, seedOfDraw(seed, questionId, draw)),
            regrades.get(card.examId) ?? [],
            questionId,
          )
        : undefined
    const hasVariables = cardQuestion?.paper.questions[cardQuestion.place]?.[HAS_VARIABLES] === true
    const isAhead = hasVariables && draw > reps
    const answer = cardQuestion && !isAhead && readAnswer(cardQuestion, each.answer, seed)
    if (!card || !cardQuestion || answer === undefined || answer === false) {
      refused.set(clientId, cardQuestion ? 'validation_failed' : 'not_found')
      continue
    }
    const { outcome, share } = judge(cardQuestion, answer)
    counted.set(questionId, (counted.get(questionId) ?? 0) + 1)
    const before = newest.get(questionId) ?? card.lastReview ?? Number.NEGATIVE_INFINITY
    const answeredAt = each.isLast ? Math.max(each.answeredAt, before + 1) : each.answeredAt
    newest.set(questionId, Math.max(before, answeredAt))
    judged.push({
      userId,
      clientId,
      questionId,
      examId: card.examId,
      paperId: cardQuestion.paper.id,
      draw: hasVariables ? draw : undefined,
      answeredAt,
      isExam: false,
      answer,
      outcome,
      share,
      sure,
      rating: outcome !== 'right' ? 1 : sure ? 3 : 2,
      tookMs: took_ms === undefined ? null : Math.min(LONGEST_MS, took_ms),
      cardQuestion,
    })
  }
  return { judged, refused, cards }
}

/** The other versions of their questions by which reviews may be judged, as `question/version`. */
async function listVersions(
  tx: Executor,
  userId: number,
  added: readonly DatedReview[],
  cards: ReadonlyMap<number, CardRow>,
): Promise<ReadonlySet<string>> {
  const versions = added.flatMap(({ question_id, question_version }) =>
    question_version === undefined || question_version === cards.get(question_id)?.paperId
      ? []
      : { questionId: question_id, paperId: question_version },
  )
  const shown = versions.length === 0 ? [] : await store.listShown(tx, userId, versions)
  return new Set(shown.map(({ questionId, paperId }) => `${questionId}/${paperId}`))
}

/** The answer as attempts store it, '' for an empty one; undefined where it has another form. */
function readAnswer({ question }: CardQuestion, given: unknown, seed: string): StoredAnswer | undefined {
  if (given === null || given === '' || (Array.isArray(given) && given.length === 0)) return ''
  return kindOf(question.question_type).readAnswer(question, given, seed)
}
