import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { messages } from './chat.tables.ts'
import { createdAt, id, instant } from './columns.ts'
import { comments } from './discussions.tables.ts'
import { GHOST_ID, users } from './users.tables.ts'

/** A message or comment near the reported one, or that itself. */
export interface KeptContext {
  id: number
  authorId: number
  text: string
  createdAt: string
}

/** Reported messages and comments, for administrators to decide on. */
export const reports = pgTable(
  'reports',
  {
    id: id(),
    reporterId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    kind: text({ enum: ['message', 'comment'] }).notNull(),
    /** null once it is gone, or for a comment. */
    messageId: integer().references(() => messages.id, { onDelete: 'set null' }),
    commentId: integer().references(() => comments.id, { onDelete: 'set null' }),
    authorId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    /** The text at the time of the report, so that its author can't edit it away. */
    reportedText: text().notNull(),
    /** What stood around it when it was decided; null before. This and the text are kept for 90 days after that. */
    context: jsonb().$type<KeptContext[]>(),
    reason: text().notNull(),
    status: text({ enum: ['open', 'dismissed', 'deleted'] })
      .notNull()
      .default('open'),
    note: text(),
    /** null while open. Always given explicitly, since the default is the ghost. */
    resolvedBy: integer()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    resolvedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('reports_message_id_key')
      .on(table.messageId, table.reporterId)
      .where(sql`${table.reporterId} > 0`),
    uniqueIndex('reports_comment_id_key')
      .on(table.commentId, table.reporterId)
      .where(sql`${table.reporterId} > 0`),
    // For the foreign keys: the indexes above leave some rows out.
    index('reports_message_id_idx').on(table.messageId),
    index('reports_comment_id_idx').on(table.commentId),
    index('reports_reporter_id_idx').on(table.reporterId, table.createdAt),
    index('reports_author_id_idx').on(table.authorId),
    index('reports_resolved_by_idx').on(table.resolvedBy),
    index('reports_status_idx').on(table.status, table.id),
    index('reports_kept_idx').on(table.resolvedAt).where(sql`${table.context} is not null`),
    check('reports_kind_check', sql`${table.kind} in ('message', 'comment')`),
    check('reports_status_check', sql`${table.status} in ('open', 'dismissed', 'deleted')`),
  ],
)
