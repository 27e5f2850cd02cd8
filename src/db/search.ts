import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** Whether a text holds these characters as they stand, in any case; `%` and `_` have no meaning of their own. */
export function contains(column: SQLWrapper, text: string): SQL {
  return sql`${column} ilike ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`}`
}
