import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, numeric, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { QUESTION_TYPES } from '../../../schemas/common.ts'
import type { Parts } from '../../../schemas/parts.schemas.ts'
import { attempts } from './attempts.tables.ts'
import { createdAt, id, instant } from './columns.ts'
import { exams } from './exams.tables.ts'
import { GHOST_ID, users } from './users.tables.ts'

/** One attempt's result before and after a regrade. */
export interface ResultChange {
  attempt_id: number
  user_id: number
  old_score: number
  new_score: number
  old_max_score: number
  new_max_score: number
}

/**
 * Corrections of how a question is graded. Papers stay as they are: a result follows from its paper, its answers and
 * the regrades in force, whatever happened in between.
 */
export const regrades = pgTable(
  'regrades',
  {
    id: id(),
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    /** A question of the exam or of its papers. No foreign key, since it may have been deleted. */
    questionId: integer().notNull(),
    action: text({ enum: ['new_key', 'credit_all', 'drop'] }).notNull(),
    /** As the question's kind reads it; null unless it is a new key. */
    correctAnswer: text(),
    /** Parts of the new key, as the question's kind reads them; null where the kind has none. */
    parts: jsonb().$type<Parts>(),
    /** Read as decimal text, so that it is not rounded; null unless it is a new key. */
    tolerance: numeric(),
    /** The tolerance where it depends on variables, as `{@expression@}`; null: `tolerance` is it. */
    toleranceIs: text(),
    /**
     * The question's type and `key_version` at that time: the regrade does not concern papers with another type or a
     * later key.
     */
    questionType: text({ enum: QUESTION_TYPES }).notNull(),
    keyVersion: integer().notNull(),
    // Numbers of what it changed when it was made.
    attempts: integer().notNull(),
    raised: integer().notNull(),
    lowered: integer().notNull(),
    unchanged: integer().notNull(),
    changes: jsonb().$type<ResultChange[]>().notNull(),
    createdAt: createdAt(),
    createdBy: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    /** null: in force. */
    undoneAt: instant(),
  },
  (table) => [
    index('regrades_exam_id_idx').on(table.examId, table.id),
    index('regrades_question_id_idx').on(table.questionId),
    index('regrades_created_by_idx').on(table.createdBy),
    check('regrades_action_check', sql`${table.action} in ('new_key', 'credit_all', 'drop')`),
    check(
      'regrades_key_check',
      sql`(${table.action} = 'new_key') = (num_nulls(${table.correctAnswer}, ${table.tolerance}) = 0)`,
    ),
  ],
)

/** The fields of a regrade that grading uses. */
export type Regrade = Pick<
  typeof regrades.$inferSelect,
  | 'id'
  | 'questionId'
  | 'action'
  | 'correctAnswer'
  | 'parts'
  | 'tolerance'
  | 'toleranceIs'
  | 'questionType'
  | 'keyVersion'
>

/** Objections of students to the grading of their results. */
export const challenges = pgTable(
  'challenges',
  {
    id: id(),
    attemptId: integer()
      .notNull()
      .references(() => attempts.id, { onDelete: 'cascade' }),
    /** Of the attempt's paper. */
    questionId: integer().notNull(),
    message: text().notNull(),
    status: text({ enum: ['open', 'accepted', 'rejected'] })
      .notNull()
      .default('open'),
    reply: text(),
    createdAt: createdAt(),
    resolvedAt: instant(),
  },
  (table) => [
    uniqueIndex('challenges_open_key')
      .on(table.attemptId, table.questionId)
      .where(sql`${table.status} = 'open'`),
    index('challenges_attempt_id_idx').on(table.attemptId),
    index('challenges_status_idx').on(table.status, table.id),
    check('challenges_status_check', sql`${table.status} in ('open', 'accepted', 'rejected')`),
    check('challenges_resolved_check', sql`(${table.status} = 'open') = (${table.resolvedAt} is null)`),
  ],
)
