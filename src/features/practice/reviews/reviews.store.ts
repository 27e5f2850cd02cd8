import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import { given, type Row, rowOf } from '../../../db/rows.ts'
import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'
import {
  practiceCards,
  practiceReviews,
  type ReviewOutcome,
  type StoredReviewAnswer,
} from '../../../db/tables/practice.tables.ts'
import { isCurrentPaper } from '../../attempts/current-paper.sql.ts'
import { isHelpLocked } from '../../help-lock/help-lock.sql.ts'
import { hasVisibleResults } from '../../results/visible-results.sql.ts'
import { CARD, type CardRow, freshAmong, isOpenFor } from '../cards/decks.store.ts'

// --- the log

/** A review as schedules count it. */
export interface LoggedReview {
  clientId: string
  answeredAt: number
  rating: number
  outcome: ReviewOutcome
  /** Which part of the marks a partly right one brings; null for others, and of version 1.0. */
  share: number | null
  /** Whether it is an answer in an exam, which counts only where a card begins. */
  isExam: boolean
}

const LOGGED = rowOf(
  practiceReviews,
  ['questionId', 'clientId', 'answeredAt', 'rating', 'outcome', 'share', 'expected'],
  { instants: 'ms' },
)
export type LogRow = LoggedReview & Row<typeof LOGGED>

/** The reviews of these questions that count, in the order in which they do. */
export async function listLog(
  tx: Executor,
  userId: number,
  questionIds: readonly number[],
): Promise<LogRow[]> {
  return query<LogRow>(
    tx,
    { ...LOGGED.check, isExam: 'boolean' },
    sql`
    select ${LOGGED.columns()}, attempt_id is not null as "isExam"
      from practice_reviews
     where user_id = ${userId} and ${isAnyOf(sql`question_id`, questionIds)} and undone_at is null
     order by answered_at, client_id`,
  )
}

const EXPECTATION = rowOf(practiceReviews, ['clientId', 'expected'])
export type Expectation = Row<typeof EXPECTATION>

export async function updateExpected(
  tx: Executor,
  userId: number,
  changed: readonly Expectation[],
): Promise<void> {
  if (changed.length === 0) return
  await tx.execute(sql`
    update practice_reviews review set expected = changed.expected
      from ${EXPECTATION.given(changed, 'changed')}
     where review.user_id = ${userId} and review.client_id = changed.client_id`)
}

const NAMED = rowOf(practiceReviews, ['userId', 'clientId'])
const STORED = rowOf(practiceReviews, [
  'userId',
  'clientId',
  'questionId',
  'examId',
  'paperId',
  'outcome',
  'rating',
])

/** A review of the person's own, as it was stored. */
export type StoredReview = Row<typeof STORED> & { isUndone: boolean; stored: StoredReviewAnswer }

/** Reviews in practice, undone ones too, by their ids. */
export async function listReviews(
  tx: Executor,
  asked: readonly Row<typeof NAMED>[],
): Promise<StoredReview[]> {
  return query<StoredReview>(
    tx,
    { ...STORED.check, isUndone: 'boolean', stored: 'jsonb' },
    sql`
    select ${STORED.columns()}, undone_at is not null as "isUndone", stored
      from practice_reviews join ${NAMED.given(asked)} using (user_id, client_id)
     where attempt_id is null`,
  )
}

const NEW = rowOf(
  practiceReviews,
  [
    'userId',
    'clientId',
    'questionId',
    'examId',
    'paperId',
    'answeredAt',
    'arrivedAt',
    'answer',
    'outcome',
    'share',
    'sure',
    'rating',
    'tookMs',
    'expected',
    'scheduler',
    'stored',
  ],
  { instants: 'ms' },
)

export type NewReview = LoggedReview &
  Omit<Row<typeof NEW>, 'arrivedAt' | 'scheduler'> & { answer: StoredAnswer; stored: StoredReviewAnswer }

export async function insertReviews(
  tx: Executor,
  scheduler: string,
  arrivedAt: number,
  reviews: readonly NewReview[],
): Promise<void> {
  const added = reviews.map((review) => ({ ...review, arrivedAt, scheduler }))
  await tx.execute(sql`
    insert into practice_reviews (${NEW.names()}) select ${NEW.names()} from ${NEW.given(added)}`)
}

/** The newest review of a card in practice that counts. */
export async function findNewest(
  tx: Executor,
  userId: number,
  questionId: number,
): Promise<string | undefined> {
  const [row] = await tx
    .select({ clientId: practiceReviews.clientId })
    .from(practiceReviews)
    .where(
      and(
        eq(practiceReviews.userId, userId),
        eq(practiceReviews.questionId, questionId),
        isNull(practiceReviews.attemptId),
        isNull(practiceReviews.undoneAt),
      ),
    )
    .orderBy(desc(practiceReviews.answeredAt), desc(practiceReviews.clientId))
    .limit(1)
  return row?.clientId
}

export async function updateUndone(
  tx: Executor,
  userId: number,
  clientId: string,
  undoneAt: number,
): Promise<void> {
  await tx
    .update(practiceReviews)
    .set({ undoneAt: new Date(undoneAt) })
    .where(and(eq(practiceReviews.userId, userId), eq(practiceReviews.clientId, clientId)))
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

const ASKED = rowOf(practiceCards, ['userId', 'questionId'])

/** A question that somebody wants to review. */
export type AskedCard = Row<typeof ASKED>

/** Those of these cards that their people have and may practise. */
export async function listCards(tx: Executor, asked: readonly AskedCard[]): Promise<CardRow[]> {
  return query<CardRow>(
    tx,
    CARD.check,
    sql`
    with mine as materialized (
      select card.* from ${ASKED.given(asked, 'asked')} join practice_cards card using (user_id, question_id)
       where card.paper_id is not null),
    ${freshAmong(sql`mine`)}
    select ${CARD.columns('card')} from mine card join fresh using (user_id, exam_id)`,
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
        from ${ASKED.given(asked, 'asked')} join questions question on question.id = asked.question_id
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
      from ${given({ questionId: 'integer', paperId: 'integer' }, versions, 'asked')}
      join exam_papers paper on paper.id = asked.paper_id
      join exams on exams.id = paper.exam_id
     where ${isOpenFor(userId)} and exists (select from practice_papers shown where shown.paper_id = paper.id)
        or ${hasVisibleResults()} and exists (
          select from attempts own
           where own.user_id = ${userId} and own.exam_id = exams.id and own.paper_id = paper.id
             and own.submitted_at is not null and (own.drawn is null or asked.question_id = any(own.drawn)))`,
  )
}
