import { eq, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query, statement } from '../../../db/query.ts'
import { type Row, rowOf } from '../../../db/rows.ts'
import { questions } from '../../../db/tables/exams.tables.ts'
import { practiceCards, type ReviewOutcome } from '../../../db/tables/practice.tables.ts'
import { isOpenFor, withFreshDecks } from '../cards/decks.store.ts'

/**
 * The last of a card's answers that count, of those that meet a condition; an exam's counts only as its first. Both
 * parts read the log from its end and stop at one row, however long it is.
 */
const lastAnswer = (userId: SQL | number, condition: SQL) => {
  const newest = (kind: SQL) => sql`(
    select outcome, share, attempt_id is null as is_shown from practice_reviews earlier
     where earlier.user_id = ${userId} and earlier.question_id = card.question_id and undone_at is null
       and ${kind} and ${condition}
     order by answered_at desc, client_id desc limit 1)`
  return sql`
  select * from (${newest(sql`attempt_id is null`)} union all ${newest(sql`true`)}) answers
   order by is_shown desc limit 1`
}

const SCHEDULED = rowOf(
  practiceCards,
  ['questionId', 'state', 'due', 'lastReview', 'stability', 'difficulty', 'learningSteps', 'reps', 'lapses'],
  { instants: 'ms' },
)

/** What schedules a card, with its last answer, whatever version stored it. */
export type AnsweredCard = Row<typeof SCHEDULED> & {
  outcome: ReviewOutcome | null
  share: number | null
  isShown: boolean | null
}

export interface Deck {
  /** By question, those that the person may see now. */
  cards: ReadonlyMap<number, AnsweredCard>
  /** Whether the exam is open for them to practise. */
  isOpen: boolean
}

export async function readDeck(db: Executor, userId: number, examId: number): Promise<Deck> {
  const isUnknown = sql`card.last_at is distinct from card.last_review`
  const [cards, open] = await Promise.all([
    query<AnsweredCard>(
      db,
      { ...SCHEDULED.check, outcome: 'text', share: 'float8', isShown: 'boolean' },
      sql`${withFreshDecks(userId)}
      select ${SCHEDULED.columns('card')},
             case when ${isUnknown} then logged.outcome else card.last_outcome end as outcome,
             case when ${isUnknown} then logged.share else card.last_share end as share,
             case when ${isUnknown} then logged.is_shown else card.is_last_shown end as "isShown"
        from practice_cards card join fresh using (exam_id)
        left join lateral (${lastAnswer(userId, isUnknown)}) logged on true
       where card.user_id = ${userId} and card.exam_id = ${examId} and card.paper_id is not null`,
    ),
    query<{ isOpen: boolean }>(
      db,
      { isOpen: 'boolean' },
      sql`select ${isOpenFor(userId)} as "isOpen" from exams where id = ${examId}`,
    ),
  ])
  return { cards: new Map(cards.map((card) => [card.questionId, card])), isOpen: only(open).isOpen }
}

/** The tags of an exam's questions as they were written. */
export async function listTags(db: Executor, examId: number): Promise<ReadonlyMap<number, string[]>> {
  const rows = await db
    .select({ id: questions.id, tags: questions.tags })
    .from(questions)
    .where(eq(questions.examId, examId))
  return new Map(rows.map(({ id, tags }) => [id, tags]))
}

// --- what was answered

/**
 * A review in practice of a card that had a right one or one in practice before. Of questions that nobody can miss who
 * answers, with a single option, none tells anything.
 */
export interface PractisedReview {
  examId: number
  answeredAt: number
  isRight: boolean
  /** How likely a blind guess is right. */
  guess: number
  /** What the forgetting curve said just before. */
  expected: number
  outcomeBefore: ReviewOutcome
  /** Whether the answer was shown after that. */
  isShownBefore: boolean
  tookMs: number | null
}

/** How many of a person's newest reviews are looked through for them. */
const LOOKED_THROUGH = 2_000

/** The newest of these reviews of cards that may be practised, newest first. */
export const listPractised = statement<{ userId: number; most: number }, PractisedReview>(
  {
    examId: 'integer',
    answeredAt: 'float8',
    isRight: 'boolean',
    guess: 'float8',
    expected: 'float8',
    outcomeBefore: 'text',
    isShownBefore: 'boolean',
    tookMs: 'integer',
  },
  ({ userId, most }) => sql`
    select card.exam_id as "examId", (extract(epoch from review.answered_at) * 1000)::float8 as "answeredAt",
           review.outcome = 'right' as "isRight", card.guess, review.expected, before.outcome as "outcomeBefore",
           before.is_shown as "isShownBefore", review.took_ms as "tookMs"
      from (
        select * from practice_reviews
         where user_id = ${userId} and attempt_id is null and undone_at is null
         order by answered_at desc, client_id desc limit ${sql.raw(`${LOOKED_THROUGH}`)}) review
      join practice_cards card
        on card.user_id = ${userId} and card.question_id = review.question_id and card.paper_id is not null
      join lateral (${lastAnswer(userId, sql`(earlier.answered_at, earlier.client_id) < (review.answered_at, review.client_id)`)}
      ) before on true
     where card.guess < 1 and review.expected is not null and (before.is_shown or before.outcome = 'right')
     order by review.answered_at desc, review.client_id desc limit ${most}`,
)

/** The first answer to a question that can be missed; `guess` is how likely somebody is right who knows nothing. */
export interface FirstAnswer {
  at: number
  isRight: boolean
  guess: number
}

/** The first answers to questions of these exams whose cards may be practised, by exam, oldest first. */
export async function listFirstAnswers(
  db: Executor,
  userId: number,
  examIds: readonly number[],
): Promise<ReadonlyMap<number, FirstAnswer[]>> {
  const rows = await query<FirstAnswer & { examId: number }>(
    db,
    { examId: 'integer', at: 'float8', isRight: 'boolean', guess: 'float8' },
    sql`
    select card.exam_id as "examId", card.guess,
           (extract(epoch from coalesce(card.first_at, logged.answered_at)) * 1000)::float8 as at,
           coalesce(card.is_first_right, logged.outcome = 'right') as "isRight"
      from practice_cards card
      left join lateral (
        select answered_at, outcome from practice_reviews first
         where first.user_id = ${userId} and first.question_id = card.question_id and undone_at is null
           and card.first_at is null
         order by answered_at, client_id limit 1) logged on true
     where card.user_id = ${userId} and ${isAnyOf(sql`card.exam_id`, examIds)} and card.paper_id is not null
       and card.guess < 1 and card.reps > 0
     order by at`,
  )
  return Map.groupBy(rows, ({ examId }) => examId)
}
