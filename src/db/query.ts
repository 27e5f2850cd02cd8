import { Placeholder, SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import type { Executor, Pool } from './database-client.ts'

/** Types of columns, with the numbers by which PostgreSQL names them in its answers. */
const TYPES = {
  boolean: 16,
  bytea: 17,
  integer: 23,
  text: 25,
  float8: 701,
  'integer[]': 1007,
  timestamptz: 1184,
  uuid: 2950,
  jsonb: 3802,
} as const
export type Type = keyof typeof TYPES

/** The types that the driver reads as a `Value`; null may be in a column of any type. */
export type TypeOf<Value> = [NonNullable<Value>] extends [never]
  ? Type
  : [NonNullable<Value>] extends [number]
    ? 'integer' | 'float8'
    : [NonNullable<Value>] extends [boolean]
      ? 'boolean'
      : [NonNullable<Value>] extends [string]
        ? 'text' | 'uuid'
        : [NonNullable<Value>] extends [Date]
          ? 'timestamptz'
          : [NonNullable<Value>] extends [number[]]
            ? 'integer[]'
            : [NonNullable<Value>] extends [Buffer]
              ? 'bytea'
              : 'jsonb'

/** The columns that a statement gives, by the names that it gives them: `last_seq as "lastSeq"`. */
export type Columns<Row> = Row extends unknown ? { [Name in keyof Row]-?: TypeOf<Row[Name]> } : never

/**
 * The rows of a statement. Its text says nothing about them to TypeScript, so `columns` does; throws if PostgreSQL's
 * answer has other columns.
 */
export async function query<Row>(db: Executor, columns: Columns<Row>, statement: SQL): Promise<Row[]> {
  return toRows(await db.execute(statement), columns)
}

/** Where the values of a statement stand in its text; undefined where a value is left out. */
export type Places<Values> = {
  [Name in keyof Values]-?: undefined extends Values[Name] ? SQL | undefined : SQL
}

/** As drizzle's own, which names columns like this (database-client.ts). */
const DIALECT = new PgDialect({ casing: 'snake_case' })

/**
 * A read of the pool whose text is always the same: it is written when it is first needed, once for each choice of
 * values that are given, since writing it takes longer than anything else that a node does for most reads. `write` may
 * leave parts out where a place is undefined, and must look at nothing else.
 */
export function statement<Values extends object, Row>(
  columns: Columns<Row>,
  write: (places: Places<Values>) => SQL,
): (db: Pool, values: Values) => Promise<Row[]> {
  const written = new Map<string, { text: string; parameters: unknown[] }>()
  const writeFor = (names: string[]) => {
    const places = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]))
    const { sql: text, params: parameters } = DIALECT.sqlToQuery(write(places as Places<Values>))
    return { text, parameters }
  }
  return async (db, values) => {
    const given = new Map<string, unknown>(Object.entries(values).filter(([, value]) => value !== undefined))
    const choice = [...given.keys()].join()
    const known = written.get(choice) ?? writeFor([...given.keys()])
    written.set(choice, known)
    const parameters = known.parameters.map((each) =>
      each instanceof Placeholder ? given.get(each.name) : each,
    )
    return toRows(
      await db.$client.unsafe(known.text, parameters as postgres.ParameterOrJSON<never>[]),
      columns,
    )
  }
}

/**
 * A value that PostgreSQL can't see when it plans a `statement`. It keeps one plan for all values only if that looks no
 * more expensive than plans for given values. A plan that knows how short an array is looks cheaper, so PostgreSQL
 * would plan anew each time, which takes longer than reading a few rows. The outer cast keeps `= any(…)` from reading
 * rows.
 */
export function unseen(
  value: SQL,
  type: 'boolean' | 'int' | 'int[]' | 'text[]' | 'timestamptz' = 'int[]',
): SQL {
  const cast = sql.raw(`::${type}`)
  return sql`(select ${value}${cast})${cast}`
}

/** A page, and how many rows there are in all. */
export interface Page<Row> {
  rows: Row[]
  total: number
}

/**
 * The page of a statement whose rows say how many there are in all; past the last page there is no row to say it, so
 * `count` does.
 */
export async function toPage<Row extends { total: number }>(
  rows: Row[],
  offset: number,
  count: () => Promise<{ total: number }[]>,
): Promise<Page<Row>> {
  const [row] = rows
  if (row) return { rows, total: row.total }
  return { rows, total: offset === 0 ? 0 : only(await count()).total }
}

/** When the transaction began, or the statement where there is none, by the database's clock. */
export const NOW = sql`now()`

/** A time as answers have it: `2026-11-20T10:15:00.000Z`. */
export function iso(time: SQL): SQL {
  return sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A result of the driver. */
type DriverResult = object[] & { columns: postgres.ColumnList<string> }

/** The rows of a result of the driver; throws if it has other columns. */
export function toRows<Row>(result: DriverResult, columns: Columns<Row>): Row[] {
  const expected = columns as Record<string, Type>
  const isSame =
    result.columns.length === Object.keys(expected).length &&
    result.columns.every(({ name, type }) => name in expected && type === TYPES[expected[name] as Type])
  if (!isSame) {
    const given = result.columns.map(({ name, type }) => `${name}: ${nameOf(type)}`)
    throw new Error(`a statement gives other columns than it declares: ${given.join(', ')}`)
  }
  return result as object[] as Row[]
}

function nameOf(type: number): string {
  return Object.entries(TYPES).find(([, number]) => number === type)?.[0] ?? `type ${type}`
}

/** The row of a statement that always gives one, such as an insert. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that always gives a row gave none')
  return row
}

/** Whether a column has one of these values. An array is one parameter: lists of every length share a statement. */
export function isAnyOf(column: SQLWrapper, values: SQL | readonly (string | number)[]): SQL {
  return sql`${column} = any(${values instanceof SQL ? values : sql.param(values)})`
}
