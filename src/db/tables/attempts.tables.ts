import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { QuestionType } from '../../../schemas/common.ts'
import type { Parts, Variable } from '../../../schemas/parts.schemas.ts'
import { createdAt, id, instant } from './columns.ts'
import { exams } from './exams.tables.ts'
import { GHOST_ID, users } from './users.tables.ts'

/** What values are drawn from: a question's variables, their conditions, and a draw that is known to fulfil them. */
export interface StoredDraws {
  variables: Variable[]
  conditions: string[]
  kept: Record<string, string>
}

/** A question as it was when its paper was made, with its key. Decimals are text, so that none is rounded. */
export interface StoredQuestion {
  id: number
  question_text: string
  option_a: string
  option_b: string
  option_c: string
  option_d: string
  more_options: string[]
  question_type: QuestionType
  image_path: string | null
  /** As it was then; papers of version 1.1 have none. */
  image_alt?: string
  correct_answer: string
  parts: Parts | null
  /** Folded. */
  tag_keys: string[]
  /** `questions.key_version` and `content_version` at that time. */
  key_version: number
  content_version: number
  positive_marks: string
  negative_marks: string
  tolerance: string
  /** Absent without variables. */
  draws?: StoredDraws
}

/**
 * What a student gave, as the question's kind reads it: a letter, letters in order, a text as typed, places of choices.
 */
export type StoredAnswer = string | string[]
/** By question id. */
export type Answers = Record<string, StoredAnswer>

/**
 * An exam's questions and keys in one version. A paper never changes, and all attempts that start with a version
 * share it.
 */
export const examPapers = pgTable(
  'exam_papers',
  {
    id: id(),
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    /** `exams.paper_version` and `exams.msq_scoring` at the time: with the exam they name a paper. */
    version: integer().notNull(),
    msqScoring: text({ enum: ['all_or_nothing', 'partial'] }).notNull(),
    questions: jsonb().$type<StoredQuestion[]>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('exam_papers_version_key').on(table.examId, table.version, table.msqScoring)],
)

/**
 * One person's attempt at an exam. All answers are in one object, which is merged in place: a row for each answer
 * would write twelve times as much per sync. The result is stored in the row, so dashboards read an index and grade
 * nothing. Whether somebody has passed is not stored: the exam's `pass_percentage` decides that when it is asked.
 */
export const attempts = pgTable(
  'attempts',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    /** null for a manual one. */
    paperId: integer().references(() => examPapers.id, { onDelete: 'cascade' }),
    attemptNumber: integer().notNull(),
    /** `expired`: closed when the time was up. `manual`: added by an administrator, only counts as used. */
    status: text({ enum: ['active', 'submitted', 'expired', 'manual'] }).notNull(),
    /** Makes the ids and orders of the attempt; null for a manual one. */
    seed: uuid(),
    /** `exams.shuffle` at its start; null: `none`. */
    shuffle: text({ enum: ['questions', 'options', 'both'] }),
    /** The ids of the drawn questions, in the paper's order; null: all. */
    drawn: integer().array(),
    startedAt: instant().notNull(),
    /** Computed from the exam's and the person's times, extensions included; null: no end. */
    endsAt: instant(),
    /** The session that began it; null where a node of 1.0.0 did. */
    sessionId: integer(),
    /** Whether it was opened from another session too, which may have answers that are not sent yet. */
    isElsewhere: boolean().notNull().default(false),
    /** Minutes that were added while it was under way, or opened it again. */
    extraMinutes: integer().notNull().default(0),
    /**
     * How much later its end is because it was opened again, in milliseconds: so long after its end that was, or, for
     * one that a teacher had handed in before its end, so long before it (negative).
     */
    closedMs: bigint({ mode: 'number' }).notNull().default(0),
    answers: jsonb().$type<Answers>().notNull().default({}),
    markedForReview: integer().array().notNull().default([]),
    /** Whether the client said that the paper isn't in view, where its exam watches that (`exams.watch_page`). */
    isAway: boolean().notNull().default(false),
    /** When its newest sync came; null: none has, or a node of 1.0.0 took it. */
    lastSavedAt: instant(),
    /** Whether a teacher handed it in, and nobody has opened it again since; its `status` is `submitted` then. */
    handedIn: boolean().notNull().default(false),
    /** The client's number of its newest sync, which increases. */
    revision: bigint({ mode: 'number' }).notNull().default(0),
    // The result: null until the attempt is closed.
    submittedAt: instant(),
    score: numeric({ mode: 'number' }),
    maxScore: numeric({ mode: 'number' }),
    /**
     * score ÷ max_score × 100 to two decimals, as it is shown, or as 1.0.0 stored it, not rounded; 0 where
     * nothing could be scored.
     */
    percentage: doublePrecision(),
    correct: integer(),
    incorrect: integer(),
    unattempted: integer(),
  },
  (table) => [
    // Indexes of active attempts name `running` too, as nodes of 1.0.0 do when they look for them.
    uniqueIndex('attempts_active_key')
      .on(table.userId, table.examId)
      .where(sql`${table.status} in ('active', 'running')`),
    uniqueIndex('attempts_number_key').on(table.userId, table.examId, table.attemptNumber),
    // Finds people who may have used up an exam's attempts.
    index('attempts_exam_id_number_idx').on(table.examId, table.attemptNumber),
    index('attempts_overdue_idx').on(table.endsAt).where(sql`${table.status} in ('active', 'running')`),
    index('attempts_under_way_idx').on(table.examId).where(sql`${table.status} in ('active', 'running')`),
    index('attempts_paper_id_idx').on(table.paperId),
    check('attempts_status_check', sql`${table.status} in ('active', 'submitted', 'expired', 'manual')`),
    check(
      'attempts_result_check',
      sql`(${table.status} in ('submitted', 'expired')) = (num_nulls(${table.submittedAt}, ${table.score},
        ${table.maxScore}, ${table.percentage}, ${table.correct}, ${table.incorrect}, ${table.unattempted}) = 0)`,
    ),
  ],
)

/** What teachers told whoever was taking an exam. */
export const attemptMessages = pgTable(
  'attempt_messages',
  {
    id: id(),
    attemptId: integer()
      .notNull()
      .references(() => attempts.id, { onDelete: 'cascade' }),
    authorId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    text: text().notNull(),
    sentAt: instant().notNull(),
  },
  (table) => [
    index('attempt_messages_attempt_id_idx').on(table.attemptId, table.id),
    index('attempt_messages_author_id_idx').on(table.authorId),
  ],
)

/** The result of a finished attempt. */
export interface GradedValues {
  score: number
  maxScore: number
  /** score ÷ maxScore × 100, to two decimals; 0 where there is nothing to score. */
  percentage: number
  correct: number
  incorrect: number
  unattempted: number
}
