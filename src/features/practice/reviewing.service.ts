import {
  MOST_CARDS,
  type PracticeCard,
  type Review,
  type ReviewedCard,
  type ReviewResult,
} from '../../../schemas/practice.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { lockPerson } from '../../db/locks.ts'
import type { StoredAnswer } from '../../db/tables/attempts.tables.ts'
import { AppError } from '../../errors.ts'
import { DAY_MS, instantOf } from '../../formats/local-time.ts'
import { listInForceOf } from '../attempts/grading-lock.service.ts'
import { currentPaperOf, findPaper, getPaper } from '../attempts/papers.service.ts'
import { showRight } from '../attempts/sitting.ts'
import { requireHelp } from '../help-lock/help-lock.service.ts'
import { findExplanations } from '../questions/explanations.service.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { type Asked, findAsked, formOf, judge } from './asked-questions.ts'
import { cardDescriber, toReviewed } from './card-views.ts'
import { lookAgain, renewDeck } from './decks.service.ts'
import { type CardRow, countCards, insertDeck, markAsked, putCards } from './decks.store.ts'
import { countArrivals, type Learner, lockLearner } from './learners.service.ts'
import { tellCounts } from './practice.service.ts'
import { NEW_CARD, SCHEDULER } from './practice-schedule.ts'
import { replayCards, schedule } from './replaying.service.ts'
import * as store from './reviews.store.ts'

/** How long phones may keep a review. */
const LATEST_MS = 30 * DAY_MS
const LONGEST_MS = 10 * 60_000

/** A review with its place in time; ids are compared in lower case. */
type Given = Review & { clientId: string; answeredAt: number }
/** A review whose question may be practised, judged. */
type JudgedReview = Omit<store.NewReview, 'expected' | 'stored'> & { asked: Asked }

/**
 * Judges reviews and moves their cards on; each counts once by its `client_id`. A refused one costs the others nothing.
 * 409 `too_many`, 429 `daily_limit`: then none of them counts.
 */
export async function review(
  core: Core,
  userId: number,
  reviews: readonly Review[],
): Promise<ReviewResult[]> {
  const now = core.clock()
  const given = reviews.map((each) => ({
    ...each,
    clientId: each.client_id.toLowerCase(),
    answeredAt: readAnsweredAt(each.answered_at, now),
  }))
  await lookAgain(core, userId)
  const { stored, refused, isChanged } = await core.db.transaction(async (tx) => {
    const learner = await lockForReviews(core, tx, userId)
    const known = await store.listReviews(tx, userId, idsOf(given))
    const all = await judgeAll(core, tx, learner, without(given, known))
    const { judged, refused } = all
    if (judged.length === 0) return { stored: known, refused, isChanged: false }
    await countArrivals(core, tx, learner, judged.length)
    const added = await record(core, tx, learner, all)
    return { stored: [...known, ...added], refused, isChanged: true }
  })
  if (isChanged) await tellCounts(core, userId)
  const results = await describeAll(core, stored)
  return given.map(
    ({ client_id, clientId }) => results(client_id, clientId) ?? refuse(client_id, refused.get(clientId)),
  )
}

/** Takes the newest review of its card back; again, it changes nothing. 404, 409 `not_newest`. */
export async function undo(core: Core, userId: number, givenId: string): Promise<PracticeCard> {
  const clientId = givenId.toLowerCase()
  await lookAgain(core, userId)
  const card = await core.db.transaction(async (tx) => {
    await lockForReviews(core, tx, userId)
    const [found] = await store.listReviews(tx, userId, [clientId])
    const [before] = found ? await store.listCards(tx, userId, [found.questionId]) : []
    if (!found || !before) throw new AppError('not_found')
    if (found.isUndone) return before
    if ((await store.findNewest(tx, userId, found.questionId)) !== clientId) throw new AppError('not_newest')
    await store.updateUndone(tx, userId, clientId, core.clock())
    const { cards } = await replayCards(tx, userId, [found.questionId])
    const after = { ...before, ...cards.get(found.questionId) }
    await putCards(tx, userId, [after])
    return after
  })
  await tellCounts(core, userId)
  const describe = await cardDescriber(core, [card])
  return describe(card, toReviewed(card, core.clock()))
}

/** Reviews of a person come one after another, and entirely before or after the start of an exam that locks help. */
async function lockForReviews(core: Core, tx: Executor, userId: number): Promise<Learner> {
  await lockPerson(tx, userId)
  if (await store.isLocked(tx, userId)) await requireHelp(core, userId)
  return lockLearner(tx, userId)
}

function readAnsweredAt(given: string | undefined, now: number): number {
  return given === undefined ? now : Math.min(now, Math.max(now - LATEST_MS, instantOf(given).getTime()))
}

function idsOf(given: readonly Given[]): string[] {
  return given.map(({ clientId }) => clientId)
}

/** Those that are not stored yet; of equal ids the first. */
function without(given: readonly Given[], known: readonly store.StoredReview[]): Given[] {
  const seen = new Set(known.map(({ clientId }) => clientId))
  return given.filter(({ clientId }) => {
    const isNew = !seen.has(clientId)
    seen.add(clientId)
    return isNew
  })
}

// --- judging

type Refusal = 'not_found' | 'validation_failed'

interface JudgedAll {
  judged: JudgedReview[]
  /** By client id. */
  refused: Map<string, Refusal>
  /** By question, those that are not stored yet too. */
  cards: Map<number, CardRow>
  /** The questions of those. */
  opened: ReadonlySet<number>
}

async function judgeAll(
  core: Core,
  tx: Executor,
  { userId, seed }: Learner,
  given: readonly Given[],
): Promise<JudgedAll> {
  const questionIds = [...new Set(given.map(({ question_id }) => question_id))]
  const cards = new Map(
    (await store.listCards(tx, userId, questionIds)).map((card) => [card.questionId, card]),
  )
  const opened = new Set<number>()
  const unasked = await store.listOpen(tx, userId, questionIds)
  const inForce = await listInForceOf(
    tx,
    [...cards.values(), ...unasked].map(({ examId }) => examId),
  )
  for (const { questionId, examId } of unasked) {
    const paper = await currentPaperOf(core, tx, examId)
    const asked = findAsked(paper, inForce.get(examId) ?? [], questionId)
    if (!asked) continue
    opened.add(questionId)
    cards.set(questionId, { ...NEW_CARD, ...formOf(asked), questionId, examId })
  }
  const versions = await listVersions(tx, userId, given)
  const judged: JudgedReview[] = []
  const refused = new Map<string, Refusal>()
  for (const each of given) {
    const { clientId, answeredAt, sure, question_id: questionId, question_version, took_ms } = each
    const card = cards.get(questionId)
    const paperId = question_version ?? card?.paperId
    const isShown = paperId === card?.paperId || versions.has(`${questionId}/${paperId}`)
    const asked =
      card && paperId && isShown
        ? findAsked(await getPaper(core, tx, paperId), inForce.get(card.examId) ?? [], questionId)
        : undefined
    const answer = asked && readAnswer(asked, each.answer, seed)
    if (!card || !asked || answer === undefined) {
      refused.set(clientId, asked ? 'validation_failed' : 'not_found')
      continue
    }
    const outcome = judge(asked, answer)
    judged.push({
      clientId,
      questionId,
      examId: card.examId,
      paperId: asked.paper.id,
      answeredAt,
      isExam: false,
      answer,
      outcome,
      sure,
      rating: outcome !== 'right' ? 1 : sure ? 3 : 2,
      tookMs: took_ms === undefined ? null : Math.min(LONGEST_MS, took_ms),
      asked,
    })
  }
  return { judged, refused, cards, opened }
}

/** The other versions of their questions by which reviews may be judged, as `question/version`. */
async function listVersions(
  tx: Executor,
  userId: number,
  given: readonly Given[],
): Promise<ReadonlySet<string>> {
  const asked = given.flatMap(({ question_id, question_version }) =>
    question_version === undefined ? [] : { questionId: question_id, paperId: question_version },
  )
  const shown = asked.length === 0 ? [] : await store.listShown(tx, userId, asked)
  return new Set(shown.map(({ questionId, paperId }) => `${questionId}/${paperId}`))
}

/** The answer as attempts store it, '' for an empty one; undefined where it has another form. */
function readAnswer({ question }: Asked, given: unknown, seed: string): StoredAnswer | undefined {
  if (given === null || given === '' || (Array.isArray(given) && given.length === 0)) return ''
  return kindOf(question.question_type).readAnswer(question, given, seed)
}

// --- storing

/** Stores reviews, and the cards that follow from them. */
async function record(
  core: Core,
  tx: Executor,
  { userId, seed }: Learner,
  { judged, cards, opened }: JudgedAll,
): Promise<store.StoredReview[]> {
  const now = core.clock()
  const added = Map.groupBy(judged, ({ questionId }) => questionId)
  const isNew = ({ questionId }: CardRow) => opened.has(questionId)
  const scheduled = await schedule(tx, userId, cards, added)
  const after = [...scheduled.cards].map(([questionId, memory]) => ({
    ...(cards.get(questionId) as CardRow),
    ...memory,
  }))
  const newCards = after.filter(isNew)
  if (newCards.length > 0 && (await countCards(tx, userId)) + newCards.length > MOST_CARDS)
    throw new AppError('too_many')
  await putCards(tx, userId, after)
  const examIds = [...new Set(newCards.map((card) => card.examId))]
  for (const examId of examIds)
    if (await insertDeck(tx, userId, examId)) await renewDeck(core, tx, userId, examId)
  if (examIds.length > 0) await markAsked(tx, userId, examIds)
  const shown = new Map(after.map((card) => [card.questionId, toReviewed(card, now)]))
  const reviews = judged.map(({ asked: { question }, ...each }) => ({
    ...each,
    expected: scheduled.expected.get(each.clientId) ?? null,
    isUndone: false,
    stored: {
      correct: showRight(question, { seed, shuffle: null, drawn: null }) ?? '',
      correct_answer: question.correct_answer,
      card: shown.get(each.questionId) as ReviewedCard,
    },
  }))
  await store.insertReviews(tx, userId, SCHEDULER, now, reviews)
  return reviews
}

// --- telling

const REFUSALS: Record<Refusal, string> = {
  not_found: 'There is no such question to practise',
  validation_failed: 'This is no answer to this question',
}

function refuse(client_id: string, code: Refusal = 'not_found'): ReviewResult {
  return { client_id, error: { code, message: REFUSALS[code] } }
}

/** Gives the result of each stored review, by its id. */
async function describeAll(
  core: Core,
  reviews: readonly store.StoredReview[],
): Promise<(client_id: string, clientId: string) => ReviewResult | undefined> {
  const describe = await cardDescriber(core, reviews)
  const explanations = new Map<string, string>()
  for (const [paperId, ofPaper] of Map.groupBy(reviews, (each) => each.paperId)) {
    const paper = await findPaper(core, core.db, paperId)
    const tasks = ofPaper.flatMap(({ questionId }) => paper?.find(questionId) ?? [])
    for (const [questionId, text] of await findExplanations(core.db, tasks))
      explanations.set(`${questionId}/${paperId}`, text)
  }
  const byId = new Map(reviews.map((each) => [each.clientId, each]))
  return (client_id, clientId) => {
    const found = byId.get(clientId)
    if (!found) return undefined
    const { questionId, paperId, outcome, rating, stored } = found
    const { correct, correct_answer, card } = stored
    const explanation = explanations.get(`${questionId}/${paperId}`) ?? ''
    return { client_id, outcome, correct, correct_answer, explanation, rating, card: describe(found, card) }
  }
}
