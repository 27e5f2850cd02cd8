import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

/**
 * Stored files to delete after `due_at` unless something refers to them. An upload writes its key here before the
 * bytes, and deletes the row in the transaction that refers to the file, so a crash leaves no lost files. The
 * transaction that ends the last reference writes the key here again; for `assets`, which are also deleted with their
 * page, triggers do (drizzle/0004_notes.sql).
 */
export const discardedFiles = pgTable(
  'discarded_files',
  { key: text().primaryKey(), dueAt: instant().notNull().defaultNow() },
  (table) => [index('discarded_files_due_at_idx').on(table.dueAt)],
)
