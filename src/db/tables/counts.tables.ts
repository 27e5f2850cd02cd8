import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core'

/**
 * Counts of rows that are too many to count on demand, stored as rows to add up. Triggers write one in the
 * transaction of each change, so the sum is exact and changes don't wait for each other; `db/counts.ts` combines
 * them.
 */
export const counts = pgTable('counts', {
  id: bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  /**
   * `role:<role>`: people; `results`: closed attempts; `responses`: answered questions in them; `attempted`: people
   * with this many attempts at an exam; `result_changes`: statements that changed results or an exam's pass mark, at
   * least one for each.
   */
  what: text().notNull(),
  examId: integer(),
  used: integer(),
  amount: bigint({ mode: 'number' }).notNull(),
})
