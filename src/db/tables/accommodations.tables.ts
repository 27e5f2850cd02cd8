import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { createdAt, instant } from './columns.ts'
import { exams } from './exams.tables.ts'
import { users } from './users.tables.ts'

/** Times of an exam that differ for one person. */
export const accommodations = pgTable(
  'accommodations',
  {
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Added to the exam's duration. */
    extraTimePercent: integer().notNull().default(0),
    /** null: the exam's own. */
    opensAt: instant(),
    closesAt: instant(),
    updatedAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.examId, table.userId] }),
    index('accommodations_user_id_idx').on(table.userId),
    check('accommodations_window_check', sql`${table.closesAt} > ${table.opensAt}`),
  ],
)

/** One person's times instead of the exam's; null: the exam's. */
export type PersonalTimes = Pick<
  typeof accommodations.$inferSelect,
  'extraTimePercent' | 'opensAt' | 'closesAt'
>

/** Extensions of attempts under way that had a key: the same key again changes nothing. */
export const extensions = pgTable(
  'extensions',
  {
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    key: uuid().notNull(),
    /** The number of attempts under way that were extended. */
    extended: integer().notNull(),
    /** The number of those that were over, and opened again. */
    reopened: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.examId, table.key] })],
)
