import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt } from './columns.ts'

/**
 * A row per node that runs, which it renews every few seconds and deletes at its end; without that it is gone a minute
 * later. Nodes of 1.0.0 write none, so that nobody can say which bus they have; in `pg_stat_activity` an operator sees
 * them as `exam-practice`, and later versions as `exam-practice <version>`.
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
