import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'
import { exams } from './exams.ts'
import { users } from './users.ts'

/** A question as it stood when its paper was made, key included. Decimals are text, so that none is rounded. */
export interface StoredQuestion {
  id: number
  question_text: string
  option_a: string
  option_b: string
  option_c: string
  option_d: string
  question_type: 'MCQ' | 'MSQ' | 'NUMERIC'
  image_path: string | null
  correct_answer: string
  positive_marks: string
  negative_marks: string
  tolerance: string
}

/** What a student gave, by question id: a letter, letters in order, or a number as typed. */
export type Answers = Record<string, string | string[]>

/**
 * An exam's questions and keys as of one version. Never changed: attempts refer to the paper that they were
 * started with, all attempts of a version to the same row.
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
 * One go of one person at one exam. Answers are one object, merged in place: a row per answer writes twelve
 * times as much per sync. The result's facts stand in the row, so that dashboards scan an index and grade
 * nothing. Whether somebody passed is not among them: the exam's `pass_percentage` decides when it is asked.
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
    /** `expired`: closed by the clock. `manual`: an administrator's, which only counts as used. */
    status: text({ enum: ['active', 'submitted', 'expired', 'manual'] }).notNull(),
    startedAt: instant().notNull(),
    /** null: untimed. */
    endsAt: instant(),
    answers: jsonb().$type<Answers>().notNull().default({}),
    markedForReview: integer().array().notNull().default([]),
    /** The client's own rising number of its newest sync. */
    revision: bigint({ mode: 'number' }).notNull().default(0),
    // The result: all set at once when the attempt is closed, null before.
    submittedAt: instant(),
    score: numeric({ mode: 'number' }),
    maxScore: numeric({ mode: 'number' }),
    /** score ÷ max_score × 100, not rounded; 0 where nothing could be scored. */
    percentage: doublePrecision(),
    correct: integer(),
    incorrect: integer(),
    unattempted: integer(),
  },
  (table) => [
    uniqueIndex('attempts_active_key').on(table.userId, table.examId).where(sql`${table.status} = 'active'`),
    uniqueIndex('attempts_number_key').on(table.userId, table.examId, table.attemptNumber),
    index('attempts_overdue_idx').on(table.endsAt).where(sql`${table.status} = 'active'`),
    index('attempts_paper_id_idx').on(table.paperId),
    check('attempts_status_check', sql`${table.status} in ('active', 'submitted', 'expired', 'manual')`),
    check(
      'attempts_result_check',
      sql`(${table.status} in ('submitted', 'expired')) = (num_nulls(${table.submittedAt}, ${table.score},
        ${table.maxScore}, ${table.percentage}, ${table.correct}, ${table.incorrect}, ${table.unattempted}) = 0)`,
    ),
  ],
)
