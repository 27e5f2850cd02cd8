import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import type { ReviewedCard } from '../../../schemas/practice.schemas.ts'
import { attempts, examPapers, type StoredAnswer } from './attempts.tables.ts'
import { createdAt, instant } from './columns.ts'
import { users } from './users.tables.ts'

const userId = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** Somebody who practises. */
export const practiceLearners = pgTable('practice_learners', {
  userId: userId().primaryKey(),
  /** Makes the ids and orders of choices that are this person's own. */
  seed: uuid().notNull().defaultRandom(),
  /** The local day on which reviews arrived last, `2026-11-20`, and how many did. */
  arrivedOn: text().notNull().default(''),
  arrived: integer().notNull().default(0),
})

/** A person's settings with their history: an answer is scheduled by the retention of its time. */
export const practiceSettings = pgTable(
  'practice_settings',
  {
    userId: userId(),
    since: instant().notNull(),
    newPerDay: integer().notNull(),
    retention: doublePrecision().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.since] })],
)

const OUTCOMES = ['right', 'partly', 'wrong'] as const
export type ReviewOutcome = (typeof OUTCOMES)[number]

/** What a review that is sent again answers. The explanation isn't stored: it is read from the review's paper. */
export interface StoredReviewAnswer {
  correct: StoredAnswer
  correct_answer: string
  card: ReviewedCard
  /** Of a question with variables: which values it had, and what they are drawn from. */
  draw?: number | undefined
  seed?: string
}

/**
 * Every answer in practice, and those in exams that cards begin with: the truth that the cards follow from. Rows are
 * only added; an undone one stays.
 */
export const practiceReviews = pgTable(
  'practice_reviews',
  {
    userId: userId(),
    /** The client's; a random one for an exam's. */
    clientId: uuid().notNull(),
    // No foreign keys: what was answered stays when the question is gone.
    questionId: integer().notNull(),
    examId: integer().notNull(),
    /** The paper that the question was asked from. */
    paperId: integer().notNull(),
    /** The attempt in which the question was answered; null: in practice. */
    attemptId: integer(),
    answeredAt: instant().notNull(),
    arrivedAt: createdAt(),
    /** null for an exam's. */
    answer: jsonb().$type<StoredAnswer>(),
    outcome: text({ enum: OUTCOMES }).notNull(),
    /** Which part of the marks a partly right answer brings; null for others, and where version 1.0 stored it. */
    share: doublePrecision(),
    /** null for an exam's. */
    sure: boolean(),
    /** As `ts-fsrs` names it: 1 Again, 2 Hard, 3 Good. */
    rating: integer().notNull(),
    tookMs: integer(),
    /** How likely the answer was before it came; null for a new card. Replays set it anew. */
    expected: doublePrecision(),
    /** The version of `ts-fsrs` that scheduled it. */
    scheduler: text().notNull(),
    stored: jsonb().$type<StoredReviewAnswer>(),
    undoneAt: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.clientId] }),
    index('practice_reviews_card_idx').on(table.userId, table.questionId, table.answeredAt, table.clientId),
    index('practice_reviews_day_idx')
      .on(table.userId, table.answeredAt)
      .where(sql`${table.attemptId} is null and ${table.undoneAt} is null`),
    check('practice_reviews_outcome_check', sql`${table.outcome} in ('right', 'partly', 'wrong')`),
    check('practice_reviews_rating_check', sql`${table.rating} between 1 and 3`),
  ],
)

/** What replaying the reviews of a question gives, and what may be asked of it as of the deck's `basis`. */
export const practiceCards = pgTable(
  'practice_cards',
  {
    userId: userId(),
    questionId: integer().notNull(),
    examId: integer().notNull(),
    /** The paper that the question is asked from; null: it may not be practised. */
    paperId: integer(),
    /** Positive and negative marks together, and the chance of a blind guess. */
    marks: doublePrecision().notNull().default(0),
    guess: doublePrecision().notNull().default(0),
    // As `ts-fsrs` has them.
    state: text({ enum: ['new', 'learning', 'review', 'relearning'] }).notNull(),
    /** null for a new card. */
    due: instant(),
    lastReview: instant(),
    stability: doublePrecision().notNull(),
    difficulty: doublePrecision().notNull(),
    learningSteps: integer().notNull(),
    reps: integer().notNull(),
    lapses: integer().notNull(),
    /** The first answer, where that was in practice. */
    introducedAt: instant(),
    /** The zone whose days it was scheduled by; null: by those of UTC, until its next review. */
    timezone: text(),
    // The first and the last of its reviews, as forecasts need them; null before the first one, and of cards of version
    // 1.0. Where its nodes have moved a card on since, `lastAt` isn't `lastReview`.
    firstAt: instant(),
    isFirstRight: boolean(),
    lastAt: instant(),
    lastOutcome: text({ enum: OUTCOMES }),
    /** As the review has it. */
    lastShare: doublePrecision(),
    /** Whether the answer was shown after the last one, as it is in practice. */
    isLastShown: boolean(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.questionId] }),
    index('practice_cards_exam_idx').on(table.userId, table.examId),
    index('practice_cards_new_idx')
      .on(table.userId, table.questionId)
      .where(sql`${table.paperId} is not null and ${table.due} is null`),
    // A migration also makes `practice_cards_ranked_idx`, which has all that ranks the cards that are due.
    check('practice_cards_state_check', sql`${table.state} in ('new', 'learning', 'review', 'relearning')`),
  ],
)

/** A person's cards of an exam. */
export const practiceDecks = pgTable(
  'practice_decks',
  {
    userId: userId(),
    /** No foreign key: the cards of a deleted exam go when the person practises next. */
    examId: integer().notNull(),
    /**
     * What decided which of the cards may be practised, and in the form of which paper; when it changes, the cards are
     * looked at again.
     */
    basis: text().notNull(),
    /** The basis as of which all questions that are open for practice have cards: no new ones need be looked for. */
    askedBasis: text(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.examId] })],
)

/** Attempts whose answers are among the reviews. */
export const practiceAttempts = pgTable('practice_attempts', {
  attemptId: integer()
    .primaryKey()
    .references(() => attempts.id, { onDelete: 'cascade' }),
})

/** Papers that were shown in practice while their exams were open for it: answers to them are still judged. */
export const practicePapers = pgTable('practice_papers', {
  paperId: integer()
    .primaryKey()
    .references(() => examPapers.id, { onDelete: 'cascade' }),
})
