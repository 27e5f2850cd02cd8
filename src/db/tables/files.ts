import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

/**
 * Stored files to delete after `due_at` unless something refers to them. An upload writes its key here before the
 * bytes, and deletes the row in the transaction that refers to the file, so a crash leaves no lost files. Triggers
 * add the keys of deleted rows.
 */
export const discardedFiles = pgTable(
  'discarded_files',
  { key: text().primaryKey(), dueAt: instant().notNull().defaultNow() },
  (table) => [index('discarded_files_due_at_idx').on(table.dueAt)],
)
