import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'
import type { ReviewOutcome, StoredOutcome } from '../../../db/tables/practice.tables.ts'
import { isCurrentPaper } from '../../attempts/current-paper.sql.ts'
import { isHelpLocked } from '../../help-lock/help-lock.sql.ts'
import { hasVisibleResults } from '../../results/visible-results.sql.ts'
import { CARD_COLUMNS, CARD_TYPES, type CardRow, freshAmong, isOpenFor } from '../cards/decks.store.ts'

// --- the log

/** A review as schedules count it. */
export interface LoggedReview {
  clientId: string
  answeredAt: number
  rating: number
  /** Whether it is an answer in an exam, which counts only where a card begins. */
  isExam: boolean
}

export interface LogRow extends LoggedReview {
  questionId: number
  expected: number | null
}

/** The reviews of these questions that count, in the order in which they do. */
export async function listLog(
  tx: Executor,
  userId: number,
  questionIds: readonly number[],
): Promise<LogRow[]> {
  return query<LogRow>(
    tx,
    {
      questionId: 'integer',
      clientId: 'uuid',
      answeredAt: 'float8',
      rating: 'integer',
      isExam: 'boolean',
      expected: 'float8',
    },
    sql`
    select question_id as "questionId", client_id as "clientId",
           (extract(epoch from answered_at) * 1000)::float8 as "answeredAt", rating,
           attempt_id is not null as "isExam", expected
      from practice_reviews
     where user_id = ${userId} and ${isAnyOf(sql`question_id`, questionIds)} and undone_at is null
     order by answered_at, client_id`,
  )
}

export interface Expectation {
  clientId: string
  expected: number | null
}

export async function updateExpected(
  tx: Executor,
  userId: number,
  changed: readonly Expectation[],
): Promise<void> {
  if (changed.length === 0) return
  await tx.execute(sql`
    update practice_reviews review set expected = changed.expected
      from unnest(${sql.param(changed.map(({ clientId }) => clientId))}::uuid[],
                  ${sql.param(changed.map(({ expected }) => expected))}::float8[]) as changed(client_id, expected)
     where review.user_id = ${userId} and review.client_id = changed.client_id`)
}

/** A review of the person's own, as it was stored. */
export interface StoredReview {
  userId: number
  clientId: string
  questionId: number
  examId: number
  paperId: number
  outcome: ReviewOutcome
  rating: number
  isUndone: boolean
  stored: StoredOutcome
}

/** Reviews in practice, undone ones too, by their ids. */
export async function listReviews(
  tx: Executor,
  asked: readonly { userId: number; clientId: string }[],
): Promise<StoredReview[]> {
  return query<StoredReview>(
    tx,
    {
      userId: 'integer',
      clientId: 'uuid',
      questionId: 'integer',
      examId: 'integer',
      paperId: 'integer',
      outcome: 'text',
      rating: 'integer',
      isUndone: 'boolean',
      stored: 'jsonb',
    },
    sql`
    select user_id as "userId", client_id as "clientId", question_id as "questionId", exam_id as "examId",
           paper_id as "paperId", outcome, rating, undone_at is not null as "isUndone", stored
      from practice_reviews
      join unnest(${sql.param(asked.map(({ userId }) => userId))}::int[],
                  ${sql.param(asked.map(({ clientId }) => clientId))}::uuid[]) as asked(user_id, client_id)
           using (user_id, client_id)
     where attempt_id is null`,
  )
}

export interface NewReview extends LoggedReview {
  userId: number
  questionId: number
  examId: number
  paperId: number
  answer: StoredAnswer
  outcome: ReviewOutcome
  sure: boolean
  tookMs: number | null
  expected: number | null
  stored: StoredOutcome
}

export async function insertReviews(
  tx: Executor,
  scheduler: string,
  arrivedAt: number,
  reviews: readonly NewReview[],
): Promise<void> {
  const column = (name: keyof NewReview) => sql.param(reviews.map(({ [name]: value }) => value))
  const json = (name: 'answer' | 'stored') =>
    sql.param(reviews.map(({ [name]: value }) => JSON.stringify(value)))
  const answeredAt = sql.param(reviews.map((review) => new Date(review.answeredAt).toISOString()))
  await tx.execute(sql`
    insert into practice_reviews (user_id, client_id, question_id, exam_id, paper_id, answered_at, arrived_at, answer,
                                  outcome, sure, rating, took_ms, expected, scheduler, stored)
    select user_id, client_id, question_id, exam_id, paper_id, answered_at::timestamptz,
           ${new Date(arrivedAt).toISOString()}::timestamptz, answer::jsonb, outcome, sure::boolean, rating, took_ms, expected,
           ${scheduler}::text, stored::jsonb
      from unnest(${column('userId')}::int[], ${column('clientId')}::uuid[], ${column('questionId')}::int[],
                  ${column('examId')}::int[], ${column('paperId')}::int[], ${answeredAt}::text[], ${json('answer')}::text[],
                  ${column('outcome')}::text[], ${sql.param(reviews.map(({ sure }) => String(sure)))}::text[], ${column('rating')}::int[],
                  ${column('tookMs')}::int[], ${column('expected')}::float8[], ${json('stored')}::text[])
             as given(user_id, client_id, question_id, exam_id, paper_id, answered_at, answer, outcome, sure, rating,
                      took_ms, expected, stored)`)
}

/** The newest review of a card in practice that counts. */
export async function findNewest(
  tx: Executor,
  userId: number,
  questionId: number,
): Promise<string | undefined> {
  const [row] = await query<{ clientId: string }>(
    tx,
    { clientId: 'uuid' },
    sql`
    select client_id as "clientId" from practice_reviews
     where user_id = ${userId} and question_id = ${questionId} and attempt_id is null and undone_at is null
     order by answered_at desc, client_id desc limit 1`,
  )
  return row?.clientId
}

export async function updateUndone(
  tx: Executor,
  userId: number,
  clientId: string,
  undoneAt: number,
): Promise<void> {
  await tx.execute(sql`
    update practice_reviews set undone_at = ${new Date(undoneAt).toISOString()}
     where user_id = ${userId} and client_id = ${clientId}`)
}

// --- what may be reviewed

/** Whether an exam locks the person's help at this moment. */
export async function isLocked(tx: Executor, userId: number): Promise<boolean> {
  const rows = await query<{ locked: boolean }>(
    tx,
    { locked: 'boolean' },
    sql`select ${isHelpLocked(userId)} as locked`,
  )
  return only(rows).locked
}

/** A question that somebody wants to review. */
export interface AskedCard {
  userId: number
  questionId: number
}

const asCards = (asked: readonly AskedCard[]) => sql`
  unnest(${sql.param(asked.map(({ userId }) => userId))}::int[],
         ${sql.param(asked.map(({ questionId }) => questionId))}::int[]) as asked(user_id, question_id)`

/** Those of these cards that their people have and may practise. */
export async function listCards(
  tx: Executor,
  asked: readonly AskedCard[],
): Promise<(CardRow & { userId: number })[]> {
  return query<CardRow & { userId: number }>(
    tx,
    { userId: 'integer', ...CARD_TYPES },
    sql`
    with mine as materialized (
      select card.* from ${asCards(asked)} join practice_cards card using (user_id, question_id)
       where card.paper_id is not null),
    ${freshAmong(sql`mine`)}
    select card.user_id as "userId", ${CARD_COLUMNS} from mine card join fresh using (user_id, exam_id)`,
  )
}

/** A question that is open for practice to somebody who has no card of it. */
export interface OpenRow extends AskedCard {
  examId: number
  /** The exam's paper as it is now; null where it is not stored yet. */
  paperId: number | null
  /** Whether the person has cards of the exam, which are as they may be practised now. */
  hasDeck: boolean
}

/** Those of these questions that are open for practice, and of which their people have no card. */
export async function listOpen(tx: Executor, asked: readonly AskedCard[]): Promise<OpenRow[]> {
  return query<OpenRow>(
    tx,
    {
      userId: 'integer',
      questionId: 'integer',
      examId: 'integer',
      paperId: 'integer',
      hasDeck: 'boolean',
    },
    sql`
    with wanted as materialized (
      select asked.user_id, question.id as question_id, question.exam_id
        from ${asCards(asked)} join questions question on question.id = asked.question_id
       where not exists (
         select from practice_cards card where card.user_id = asked.user_id and card.question_id = question.id)),
    ${freshAmong(sql`wanted`)}
    select wanted.user_id as "userId", wanted.question_id as "questionId", wanted.exam_id as "examId",
           exam_papers.id as "paperId", fresh.exam_id is not null as "hasDeck"
      from wanted join exams on exams.id = wanted.exam_id
      left join exam_papers on ${isCurrentPaper}
      left join fresh on fresh.user_id = wanted.user_id and fresh.exam_id = wanted.exam_id
     where ${isOpenFor(sql`wanted.user_id`)}`,
  )
}

/** Those of these versions of questions that the person has had shown, and may still see. */
export async function listShown(
  tx: Executor,
  userId: number,
  versions: readonly { questionId: number; paperId: number }[],
): Promise<{ questionId: number; paperId: number }[]> {
  return query<{ questionId: number; paperId: number }>(
    tx,
    { questionId: 'integer', paperId: 'integer' },
    sql`
    select asked.question_id as "questionId", asked.paper_id as "paperId"
      from unnest(${sql.param(versions.map(({ questionId }) => questionId))}::int[],
                  ${sql.param(versions.map(({ paperId }) => paperId))}::int[]) as asked(question_id, paper_id)
      join exam_papers paper on paper.id = asked.paper_id
      join exams on exams.id = paper.exam_id
     where ${isOpenFor(userId)} and exists (select from practice_papers shown where shown.paper_id = paper.id)
        or ${hasVisibleResults()} and exists (
          select from attempts own
           where own.user_id = ${userId} and own.exam_id = exams.id and own.paper_id = paper.id
             and own.submitted_at is not null and (own.drawn is null or asked.question_id = any(own.drawn)))`,
  )
}
