import { and, asc, eq, getTableColumns, inArray, type SQL } from 'drizzle-orm'
import type { PgColumn, PgSelect, PgTable } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/database-client.ts'

type Key = string | number

/** A person's rows of one kind. */
export interface Source<Row> {
  /** The keys of all rows, which are small and read from an index. */
  listKeys(db: Executor, userId: number): Promise<Key[]>
  /** The rows of these keys that still exist. */
  listRows(db: Executor, userId: number, keys: Key[]): Promise<Row[]>
}

/** The column that refers to the person, or a condition on the table's own columns. */
type Ownership = PgColumn | ((userId: number) => SQL | undefined)

/** `select` may join other tables. */
export function rowsOf<Query extends PgSelect>(
  table: PgTable,
  key: PgColumn,
  owner: Ownership,
  select: (db: Executor, userId: number) => Query,
): Source<Query['_']['result'][number]> {
  const isOwn = (userId: number) => (typeof owner === 'function' ? owner(userId) : eq(owner, userId))
  return {
    async listKeys(db, userId) {
      const rows = await db.selectDistinct({ key }).from(table).where(isOwn(userId)).orderBy(asc(key))
      return rows.map((row) => row.key as Key)
    },
    async listRows(db, userId, keys) {
      const rows: unknown = await select(db, userId)
        .where(and(isOwn(userId), inArray(key, keys)))
        .orderBy(asc(key))
      return rows as Query['_']['result']
    },
  }
}

/**
 * The rows of a table that belong to one person, with the columns under their names in JSON, which have underscores.
 */
export function columnsOf<Row = object>(
  table: PgTable,
  key: PgColumn,
  owner: Ownership,
  names: string,
): Source<Row> {
  const columns = getTableColumns(table) as Record<string, PgColumn>
  const selected: Record<string, PgColumn> = {}
  for (const name of names.split(' ')) {
    const column = columns[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())]
    if (!column) throw new Error(`there is no column ${name}`)
    selected[name] = column
  }
  const rows: Source<unknown> = rowsOf(table, key, owner, (db) => db.select(selected).from(table).$dynamic())
  return rows as Source<Row>
}
