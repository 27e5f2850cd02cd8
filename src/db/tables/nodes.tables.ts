import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt } from './columns.ts'

/**
 * A row per node that runs, which it renews every few seconds and deletes at its end; without that it is gone a minute
 * later. Nodes of 1.0.0 write none: their connections are called `exam-practice`, those of later versions
 * `exam-practice <version>`.
 */
export const nodes = pgTable('nodes', {
  /** Made at each start. */
  id: uuid().primaryKey(),
  /** Its machine and port, for operators. */
  name: text().notNull(),
  version: text().notNull(),
  /** What its bus and those that it reaches call themselves; null: not known yet. */
  bus: text(),
  /** Fingerprints of its JWT_SECRET: the first one signs. */
  secrets: jsonb().$type<string[]>().notNull(),
  startedAt: createdAt(),
  seenAt: createdAt(),
})
