import { randomUUID } from 'node:crypto'
import { MOST_CARDS } from '../../../../schemas/practice.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { lockPerson } from '../../../db/locks.ts'
import type { Regrade } from '../../../db/tables/corrections.tables.ts'
import { closeOverdueOf } from '../../attempts/closing.service.ts'
import { listInForce } from '../../attempts/grading-lock.service.ts'
import type { Paper } from '../../attempts/paper.ts'
import { currentPaperOf, getPaper, paperOf } from '../../attempts/papers.service.ts'
import { replayCards } from '../reviews/replaying.service.ts'
import { type CardQuestion, findCardQuestion, formOf, judge, listCardQuestions } from './card-questions.ts'
import * as store from './decks.store.ts'
import { NEW_CARD, SCHEDULER } from './practice-schedule.ts'

const HIDDEN: store.CardForm = { paperId: null, marks: 0, guess: 0 }

/**
 * Looks again at the cards of a person's exams where anything has changed that decides about them: results came or
 * went, keys were corrected, an exam was opened or edited. Everything else pays nothing for that. Statements about
 * cards leave out those that were not looked at since (`withFreshDecks`).
 */
export async function lookAgain(core: Core, userId: number): Promise<void> {
  await closeOverdueOf(core, userId)
  await renewDecks(core, userId, await store.listStale(core.db, userId))
}

/** Brings the person's cards of these exams up to date, one after another. */
export async function renewDecks(core: Core, userId: number, examIds: readonly number[]): Promise<void> {
  for (const examId of examIds)
    await core.db.transaction(async (tx) => {
      await lockPerson(tx, userId)
      await renewDeck(core, tx, userId, examId)
    })
}

/** Brings the person's cards of an exam up to date, under the lock of their row. */
export async function renewDeck(core: Core, tx: Executor, userId: number, examId: number): Promise<void> {
  // Read before everything that it stands for: what changes meanwhile makes it another one.
  const deck = await store.findDeck(tx, userId, examId)
  if (!deck || (deck.isThere && deck.before === deck.now)) return
  if (!deck.isThere) return store.deleteDeck(tx, userId, examId)
  const inForce = await listInForce(tx, examId)
  const results = deck.showsResults ? await store.listFinished(tx, userId, examId) : []
  const cards = new Map(
    (await store.listDeckCards(tx, userId, examId)).map((card) => [card.questionId, card]),
  )
  const given = await formsOfResults(core, tx, results, inForce)
  const open = deck.isOpen ? listCardQuestions(await currentPaperOf(core, tx, examId), inForce) : []
  const forms = new Map(given)
  for (const cardQuestion of open) forms.set(cardQuestion.question.id, formOf(cardQuestion))

  const seeded = await storeFirstAnswers(core, tx, userId, examId, results)
  const { cards: replayed } = await replayCards(core, tx, userId, [...seeded])
  const room = MOST_CARDS - ((await store.countCards(tx, [userId])).get(userId) ?? 0)
  const added = [...given.keys()].filter((id) => !cards.has(id)).slice(0, Math.max(0, room))
  const known = new Set([...cards.keys(), ...added])
  const renewed = [...known]
    .map((questionId) => ({
      ...(replayed.get(questionId) ?? cards.get(questionId) ?? NEW_CARD),
      ...(forms.get(questionId) ?? HIDDEN),
      userId,
      questionId,
      examId,
    }))
    .filter((card) => replayed.has(card.questionId) || !hasForm(cards.get(card.questionId), card))
  await store.putCards(tx, renewed)
  const isAsked = open.every(({ question }) => known.has(question.id))
  await store.putDeck(tx, userId, examId, deck.now, isAsked)
}

/** Where the questions of these results stand: in the paper of the latest one, hidden where they can't be practised. */
async function formsOfResults(
  core: Core,
  tx: Executor,
  results: readonly store.FinishedAttemptRow[],
  inForce: readonly Regrade[],
): Promise<ReadonlyMap<number, store.CardForm>> {
  const forms = new Map<number, store.CardForm>()
  for (const { paperId, drawn } of results.toReversed()) {
    const paper = await getPaper(core, tx, paperId)
    for (const id of listGiven(paper, drawn)) {
      if (forms.has(id)) continue
      const cardQuestion = findCardQuestion(paper, inForce, id)
      forms.set(id, cardQuestion ? formOf(cardQuestion) : HIDDEN)
    }
  }
  const existing = await store.listExisting(tx, [...forms.keys()])
  for (const id of forms.keys()) if (!existing.has(id)) forms.set(id, HIDDEN)
  return forms
}

/** The questions that an attempt got. */
function listGiven(paper: Paper, drawn: readonly number[] | null): number[] {
  const given = drawn && new Set(drawn)
  return paper.tasks.flatMap(({ id }) => (given === null || given.has(id) ? id : []))
}

function hasForm(card: store.CardRow | undefined, { paperId, marks, guess }: store.CardForm): boolean {
  return card !== undefined && card.paperId === paperId && card.marks === marks && card.guess === guess
}

/**
 * Stores what was answered in results that practice has not read yet, of each question the first answer: no other can
 * begin its card. Answers their questions.
 */
async function storeFirstAnswers(
  core: Core,
  tx: Executor,
  userId: number,
  examId: number,
  results: readonly store.FinishedAttemptRow[],
): Promise<Set<number>> {
  const unread = results.filter(({ isRead }) => !isRead)
  if (unread.length === 0) return new Set()
  const seeded = await store.listSeeded(tx, userId, examId)
  const reviews: store.NewExamReview[] = []
  for (const { id: attemptId, paperId, seed, drawn, submittedAt: answeredAt, visibleAt } of unread) {
    const paper = await paperOf(core, tx, { id: attemptId, paperId, seed })
    const wanted = new Set(listGiven(paper, drawn).filter((id) => !seeded.has(id)))
    if (wanted.size === 0) continue
    const inForce = await listInForce(tx, examId, new Date(visibleAt))
    const answers = await store.readAnswers(tx, attemptId)
    for (const cardQuestion of listKeyed(paper, inForce)) {
      const questionId = cardQuestion.question.id
      if (!wanted.has(questionId)) continue
      seeded.add(questionId)
      const { outcome, share } = judge(cardQuestion, answers[questionId])
      reviews.push({
        userId,
        clientId: randomUUID(),
        questionId,
        examId,
        paperId,
        attemptId,
        answeredAt,
        outcome,
        share,
        rating: outcome === 'right' ? 3 : 1,
        scheduler: SCHEDULER,
      })
    }
  }
  await store.insertSeeded(
    tx,
    unread.map(({ id }) => id),
  )
  if (reviews.length > 0) await store.insertExamReviews(tx, reviews)
  return new Set(reviews.map(({ questionId }) => questionId))
}

/** The questions that have a key, dropped ones too: what was answered stays when they come back. */
function listKeyed(paper: Paper, inForce: readonly Regrade[]): CardQuestion[] {
  return listCardQuestions(
    paper,
    inForce.filter(({ action }) => action !== 'drop'),
  )
}
