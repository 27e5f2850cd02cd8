import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Executor } from './client.ts'

/** The rows of a statement. `Row` has the names that the statement gives its columns: `last_seq as "lastSeq"`. */
export async function query<Row>(db: Executor, statement: SQL): Promise<Row[]> {
  return (await db.execute(statement)) as unknown as Row[]
}

/** The row of a statement that always gives one, such as an insert. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that always gives a row gave none')
  return row
}

/** Whether a column has one of these values. An array is one parameter: lists of every length share a statement. */
export function isAnyOf(column: SQLWrapper, values: readonly (string | number)[]): SQL {
  return sql`${column} = any(${sql.param(values)})`
}
