import { sql } from 'drizzle-orm'
import { type AnyPgColumn, boolean, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'
import { questions } from './exams.tables.ts'
import { GHOST_ID, users } from './users.tables.ts'

export const comments = pgTable(
  'comments',
  {
    id: id(),
    questionId: integer()
      .notNull()
      .references(() => questions.id, { onDelete: 'cascade' }),
    /** The comment replied to, of the same question. One with replies is never removed, only emptied. */
    parentId: integer().references((): AnyPgColumn => comments.id),
    authorId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    message: text().notNull(),
    isPinned: boolean().notNull().default(false),
    isBestAnswer: boolean().notNull().default(false),
    createdAt: createdAt(),
    editedAt: instant(),
    deletedAt: instant(),
  },
  (table) => [
    index('comments_question_id_idx').on(table.questionId, table.id),
    index('comments_counted_idx').on(table.questionId).where(sql`${table.deletedAt} is null`),
    index('comments_parent_id_idx').on(table.parentId),
    index('comments_author_id_idx').on(table.authorId),
    uniqueIndex('comments_best_answer_key').on(table.questionId).where(sql`${table.isBestAnswer}`),
  ],
)
