import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

/**
 * Stored files that nothing refers to once `due_at` has passed. An upload notes its key here before the
 * bytes are written and takes it away with the commit that refers to them, so that none is lost to a crash;
 * triggers note the keys of rows that go, whatever deletes them.
 */
export const discardedFiles = pgTable(
  'discarded_files',
  { key: text().primaryKey(), dueAt: instant().notNull().defaultNow() },
  (table) => [index('discarded_files_due_at_idx').on(table.dueAt)],
)
