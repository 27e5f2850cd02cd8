import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Executor, Pool } from '../../../db/database-client.ts'
import { isAnyOf, only, query, statement } from '../../../db/query.ts'
import { type Row, rowOf } from '../../../db/rows.ts'
import { type Answers, attempts } from '../../../db/tables/attempts.tables.ts'
import { questions } from '../../../db/tables/exams.tables.ts'
import { practiceCards, practiceDecks, practiceReviews } from '../../../db/tables/practice.tables.ts'
import { isThereFor } from '../../exams/exam-access.sql.ts'
import { hasVisibleResults } from '../../results/visible-results.sql.ts'

/**
 * Whether an exam is open for this person to practise: it is published and open for it, they may see it, and have no
 * attempt at it under way.
 */
export function isOpenFor(userId: SQL | number): SQL {
  return sql`(exams.open_for_practice and exams.published and ${isThereFor(userId)} and not exists (
    select from attempts way
     where way.user_id = ${userId} and way.exam_id = exams.id and way.status = 'active'))`
}

/**
 * The exams that a person has cards or results of, or one of them: `now` is what decides at this instant which of their
 * questions may be practised, `before` what did when the cards were looked at last. It is a part of each statement that
 * shows or asks cards: those of another basis don't count.
 */
function lookAt(userId: SQL | number, examId?: SQL | number): SQL {
  const ofExam = examId === undefined ? sql`` : sql`and exam_id = ${examId}`
  return sql`
    select own.exam_id, own.before, own.asked, exams.id is not null as is_there,
           coalesce(rule.is_open, false) as is_open, coalesce(rule.shows, false) as shows,
           concat_ws('|', exams.paper_version, case when rule.is_open then exams.msq_scoring else '' end,
                     case when rule.shows then own.finished else '' end, coalesce(regraded.stamp, '0:0')) as now
      from (
        select exam_id, max(basis) as before, max(asked_basis) as asked,
               count(attempt_id) || ':' || coalesce(max(attempt_id), 0) as finished
          from (
            select exam_id, basis, asked_basis, null::int as attempt_id from practice_decks
             where user_id = ${userId} ${ofExam}
            union all
            select exam_id, null, null, id from attempts
             where user_id = ${userId} and submitted_at is not null ${ofExam}) part
         group by exam_id) own
      left join exams on exams.id = own.exam_id
      left join lateral (select ${isOpenFor(userId)} as is_open, ${hasVisibleResults()} as shows) rule on true
      left join lateral (
        select count(undone_at) || ':' || max(id) as stamp from regrades
         where exam_id = own.exam_id having count(*) > 0) regraded on true`
}

/**
 * Before a statement that reads a person's cards: all of their decks as rows `looked`, and as `fresh` those whose cards
 * are as they may be practised now.
 */
export function withFreshDecks(userId: SQL | number): SQL {
  return sql`with looked as materialized (${lookAt(userId)}),
    fresh as materialized (select exam_id, is_open from looked where is_there and before = now)`
}

/**
 * The rows `fresh` of `withFreshDecks` for many people, in `pairs` of `user_id` and `exam_id`, as a part of a statement:
 * decks whose cards are as they may be practised now.
 */
export function freshAmong(pairs: SQL): SQL {
  return sql`
    fresh as materialized (
      select pair.user_id, pair.exam_id, looked.is_open
        from (select distinct user_id, exam_id from ${pairs}) pair,
             lateral (${lookAt(sql`pair.user_id`, sql`pair.exam_id`)}) looked
       where is_there and before = now)`
}

/** Of a deck in `looked`: whether its cards have to be looked at again. */
export const IS_STALE = sql.raw(`(
  before is distinct from now and (before is not null or shows) or before is not null and not is_there)`)

/** The exams whose cards have to be looked at again. */
const findStale = statement<{ userId: number }, { id: number }>(
  { id: 'integer' },
  ({ userId }) =>
    sql`select exam_id as id from (${lookAt(userId)}) looked where ${IS_STALE} order by exam_id`,
)

export async function listStale(db: Pool, userId: number): Promise<number[]> {
  return (await findStale(db, { userId })).map(({ id }) => id)
}

/** What decides about a deck. */
export interface DeckRow {
  /** null: the deck isn't stored yet. */
  before: string | null
  now: string
  isThere: boolean
  isOpen: boolean
  showsResults: boolean
}

/** undefined where the person has neither a deck nor a result of the exam. */
export async function findDeck(tx: Executor, userId: number, examId: number): Promise<DeckRow | undefined> {
  const [row] = await query<DeckRow>(
    tx,
    { before: 'text', now: 'text', isThere: 'boolean', isOpen: 'boolean', showsResults: 'boolean' },
    sql`
    select before, now, is_there as "isThere", is_open as "isOpen", shows as "showsResults"
      from (${lookAt(userId, examId)}) looked`,
  )
  return row
}

/** A deck whose cards have to be looked at; false if there is one. */
export async function insertDeck(tx: Executor, userId: number, examId: number): Promise<boolean> {
  const rows = await tx
    .insert(practiceDecks)
    .values({ userId, examId, basis: '' })
    .onConflictDoNothing()
    .returning({ examId: practiceDecks.examId })
  return rows.length > 0
}

/** `isAsked`: all questions that are open have cards. */
export async function putDeck(
  tx: Executor,
  userId: number,
  examId: number,
  basis: string,
  isAsked: boolean,
): Promise<void> {
  const set = { basis, askedBasis: isAsked ? basis : null }
  await tx
    .insert(practiceDecks)
    .values({ userId, examId, ...set })
    .onConflictDoUpdate({ target: [practiceDecks.userId, practiceDecks.examId], set })
}

/** Whether a person has no card of a question that can be judged. */
export function isUnasked(userId: SQL | number): SQL {
  return sql`${HAS_KEY} and not exists (
    select from practice_cards card where card.user_id = ${userId} and card.question_id = question.id)`
}

/** Whether a question can be judged: it has a key of its own or by a correction, and wasn't dropped. */
const HAS_KEY = sql.raw(`(
  question.correct_answer <> '' or question.parts is not null or exists (
    select from regrades given
     where given.question_id = question.id and given.undone_at is null and given.action = 'new_key'
       and given.question_type = question.question_type and given.key_version >= question.key_version))
  and not exists (
    select from regrades dropping
     where dropping.question_id = question.id and dropping.undone_at is null and dropping.action = 'drop'
       and not exists (
         select from regrades later
          where later.question_id = question.id and later.undone_at is null and later.id > dropping.id
            and (later.action <> 'new_key'
                 or later.question_type = question.question_type and later.key_version >= question.key_version)))`)

const DECK_NAME = rowOf(practiceDecks, ['userId', 'examId'])

/** Somebody's cards of an exam. */
export type DeckName = Row<typeof DECK_NAME>

/**
 * Keeps in mind which of these decks have cards of all questions. These are looked through from the end: they are asked
 * from the beginning, so that the first one mostly tells.
 */
export async function markAsked(tx: Executor, decks: readonly DeckName[]): Promise<void> {
  if (decks.length === 0) return
  await tx.execute(sql`
    update practice_decks deck set asked_basis = basis
      from ${DECK_NAME.given(decks)}
     where deck.user_id = given.user_id and deck.exam_id = given.exam_id and (
       select id from questions question where question.exam_id = deck.exam_id and ${isUnasked(sql`deck.user_id`)}
        order by id desc limit 1) is null`)
}

/** Takes the cards of a deleted exam away; its reviews stay. */
export async function deleteDeck(tx: Executor, userId: number, examId: number): Promise<void> {
  await tx
    .delete(practiceCards)
    .where(and(eq(practiceCards.userId, userId), eq(practiceCards.examId, examId)))
  await tx
    .delete(practiceDecks)
    .where(and(eq(practiceDecks.userId, userId), eq(practiceDecks.examId, examId)))
}

// --- what decks are made of

/** A finished attempt. */
export interface FinishedAttemptRow {
  id: number
  paperId: number
  seed: string | null
  drawn: number[] | null
  submittedAt: number
  /** When its student could see its result: corrections since then don't count for its cards. */
  visibleAt: number
  /** Whether its answers are among the reviews already. */
  isRead: boolean
}

/** A person's finished attempts at an exam, oldest first. */
export async function listFinished(
  tx: Executor,
  userId: number,
  examId: number,
): Promise<FinishedAttemptRow[]> {
  return query<FinishedAttemptRow>(
    tx,
    {
      id: 'integer',
      paperId: 'integer',
      seed: 'uuid',
      drawn: 'integer[]',
      submittedAt: 'float8',
      visibleAt: 'float8',
      isRead: 'boolean',
    },
    sql`
    select a.id, a.paper_id as "paperId", a.seed, a.drawn, (extract(epoch from a.submitted_at) * 1000)::float8 as "submittedAt",
           (extract(epoch from greatest(a.submitted_at, e.results_visible_since)) * 1000)::float8 as "visibleAt",
           known.attempt_id is not null as "isRead"
      from attempts a join exams e on e.id = a.exam_id
      left join practice_attempts known on known.attempt_id = a.id
     where a.user_id = ${userId} and a.exam_id = ${examId} and a.submitted_at is not null
     order by a.submitted_at, a.id`,
  )
}

/** What was answered in an attempt. */
export async function readAnswers(tx: Executor, attemptId: number): Promise<Answers> {
  const rows = await tx.select({ answers: attempts.answers }).from(attempts).where(eq(attempts.id, attemptId))
  return only(rows).answers
}

/** The questions of an exam that have a review of an attempt. */
export async function listSeeded(tx: Executor, userId: number, examId: number): Promise<Set<number>> {
  const rows = await tx
    .selectDistinct({ id: practiceReviews.questionId })
    .from(practiceReviews)
    .where(
      and(
        eq(practiceReviews.userId, userId),
        eq(practiceReviews.examId, examId),
        isNotNull(practiceReviews.attemptId),
      ),
    )
  return new Set(rows.map(({ id }) => id))
}

/** Those of these questions that are not deleted. */
export async function listExisting(tx: Executor, questionIds: readonly number[]): Promise<Set<number>> {
  const rows = await tx
    .select({ id: questions.id })
    .from(questions)
    .where(isAnyOf(questions.id, [...questionIds]))
  return new Set(rows.map(({ id }) => id))
}

/** Notes that their answers are among the reviews; of attempts that are deleted meanwhile nothing needs to be known. */
export async function insertSeeded(tx: Executor, attemptIds: number[]): Promise<void> {
  await tx.execute(sql`
    insert into practice_attempts (attempt_id)
    select id from attempts where ${isAnyOf(sql`id`, attemptIds)} for key share
    on conflict do nothing`)
}

/** Somebody's card of a question. Instants are milliseconds since the epoch, null for a new card. */
export const CARD = rowOf(practiceCards, undefined, { instants: 'ms' })
export type CardRow = Row<typeof CARD>

/** What a card's reviews have made of it. */
export type Memory = Omit<CardRow, 'userId' | 'questionId' | 'examId' | keyof CardForm>

/** Where a card's question stands, and what its marks weigh; a `paperId` of null: it may not be practised. */
export type CardForm = Pick<CardRow, 'paperId' | 'marks' | 'guess'>

/** All cards that a person has of an exam, those that may not be practised too. */
export async function listDeckCards(tx: Executor, userId: number, examId: number): Promise<CardRow[]> {
  return query<CardRow>(
    tx,
    CARD.check,
    sql`select ${CARD.columns()} from practice_cards where user_id = ${userId} and exam_id = ${examId}`,
  )
}

/** How many cards these people have, those that may not be practised too. */
export async function countCards(
  tx: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await query<{ userId: number; count: number }>(
    tx,
    { userId: 'integer', count: 'integer' },
    sql`
    select user_id as "userId", count(*)::int as count from practice_cards where ${isAnyOf(sql`user_id`, userIds)}
     group by user_id`,
  )
  return new Map(rows.map(({ userId, count }) => [userId, count]))
}

/** Stores these cards as they are now. */
export async function putCards(tx: Executor, cards: readonly CardRow[]): Promise<void> {
  if (cards.length === 0) return
  await tx.execute(sql`
    insert into practice_cards (${CARD.names()})
    select ${CARD.names()} from ${CARD.given(cards)}
    on conflict (user_id, question_id) do update
       set ${CARD.set('excluded', { except: ['userId', 'questionId', 'examId'] })}`)
}

// --- answers in exams

const EXAM_REVIEW = rowOf(
  practiceReviews,
  [
    'userId',
    'clientId',
    'questionId',
    'examId',
    'paperId',
    'attemptId',
    'answeredAt',
    'outcome',
    'share',
    'rating',
    'scheduler',
  ],
  { instants: 'ms' },
)

export type NewExamReview = Row<typeof EXAM_REVIEW>

export async function insertExamReviews(tx: Executor, reviews: readonly NewExamReview[]): Promise<void> {
  await tx.execute(sql`
    insert into practice_reviews (${EXAM_REVIEW.names()})
    select ${EXAM_REVIEW.names()} from ${EXAM_REVIEW.given(reviews)}`)
}
