import { getTableColumns, type SQL, sql, type Table } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import type { Columns, Type, TypeOf } from './query.ts'

/** Columns of a table, as statements in plain SQL need them; `rowOf` makes it. */
export interface RowOf<Row> {
  /** Their types, for `query` and `statement`. */
  check: Columns<Row>
  /** `card.user_id as "userId", card.due`: what a statement answers. */
  columns(of?: string): SQL
  /** `card.user_id, card.due`: as the table names them. */
  names(of?: string): SQL
  /** `due = excluded.due, reps = excluded.reps`, for all but the exceptions. */
  set(from: string, options?: { except?: readonly (keyof Row)[] }): SQL
  /** Rows as a table, as `given` makes it. */
  given(rows: readonly Row[], as?: string): SQL
}

/** The row of a `RowOf`. */
export type Row<Of> = Of extends RowOf<infer Each> ? Each : never

/** How instants travel: as `Date`, or as milliseconds since the epoch. */
type Instants = 'date' | 'ms'

type Selected<Of extends Table, Name extends keyof Of['$inferSelect'], As extends Instants> = {
  [Each in Name]: As extends 'ms' ? InMs<Of['$inferSelect'][Each]> : Of['$inferSelect'][Each]
}
type InMs<Value> = Value extends Date ? number : Value

/**
 * These columns of a table, else all. Decimals and large numbers are read as numbers, and written without being rounded.
 */
export function rowOf<
  Of extends Table,
  Name extends keyof Of['$inferSelect'] & string,
  As extends Instants = 'date',
>(
  table: Of,
  names: readonly Name[] = Object.keys(getTableColumns(table)) as Name[],
  { instants }: { instants?: As } = {},
): RowOf<Selected<Of, Name, As>> {
  type Each = Selected<Of, Name, As>
  const columns = names.map((name) => toColumn(table, name, instants === 'ms'))
  const list = (write: (column: RowColumn) => string) => sql.raw(columns.map(write).join(', '))
  return {
    check: Object.fromEntries(columns.map(({ name, type }) => [name, type])) as Columns<Each>,
    columns: (of) =>
      list(({ name, column, read }) => {
        const value = read(within(of, column))
        return value === within(of, name) ? value : `${value} as "${name}"`
      }),
    names: (of) => list(({ column }) => within(of, column)),
    set: (from, { except = [] } = {}) =>
      sql.raw(
        columns
          .filter(({ name }) => !except.includes(name as Name))
          .map(({ column }) => `${column} = ${from}.${column}`)
          .join(', '),
      ),
    given: (rows, as) => toTable(columns, rows, as),
  }
}

/**
 * Rows as a table of a statement: `from ${given({ id: 'integer', version: 'integer' }, known)}` has the columns
 * `given.id`, `given.version` and, counted from 1, `given.ord`. Each column is one parameter, so that the text is the
 * same for any number of rows.
 */
export function given<Each extends object, Name extends keyof Each & string>(
  types: { [Given in Name]: Exclude<TypeOf<Each[Given]>, 'bytea'> },
  rows: readonly Each[],
  as?: string,
): SQL {
  const columns = Object.entries<Type>(types).map(([name, type]) => ({
    name,
    column: toSnakeCase(name),
    sqlType: type,
  }))
  return toTable(columns, rows, as)
}

interface GivenColumn {
  /** Of the property. */
  name: string
  /** As SQL names it. */
  column: string
  /** As a cast to it says. */
  sqlType: string
}

interface RowColumn extends GivenColumn {
  type: Type
  /** What reads it in a form that `type` stands for. */
  read: (column: string) => string
}

/** Types that are read as they are, and those whose values are read as another one; by drizzle's names of columns. */
const READ_AS: Partial<Record<string, { type: Type; cast?: string }>> = {
  PgArray: { type: 'integer[]' },
  PgBigInt53: { type: 'float8', cast: '::float8' },
  PgBoolean: { type: 'boolean' },
  PgDateString: { type: 'text', cast: '::text' },
  PgDoublePrecision: { type: 'float8' },
  PgInteger: { type: 'integer' },
  PgJsonb: { type: 'jsonb' },
  PgNumeric: { type: 'text', cast: '::text' },
  PgNumericNumber: { type: 'float8', cast: '::float8' },
  PgText: { type: 'text' },
  PgTimestamp: { type: 'timestamptz' },
  PgUUID: { type: 'uuid' },
}

function toColumn(table: Table, name: string, isInMs: boolean): RowColumn {
  const of = getTableColumns(table)[name]
  const known = of && READ_AS[of.columnType]
  if (!known) throw new Error(`rows can't have ${name}: ${of?.columnType}`)
  const column = of.keyAsName ? toSnakeCase(name) : of.name
  const sqlType = of.getSQLType()
  if (isInMs && known.type === 'timestamptz')
    return {
      name,
      column,
      sqlType,
      type: 'float8',
      read: (at) => `(extract(epoch from ${at}) * 1000)::float8`,
    }
  return { name, column, sqlType, type: known.type, read: (value) => `${value}${known.cast ?? ''}` }
}

const within = (of: string | undefined, column: string) => (of === undefined ? column : `${of}.${column}`)

/** Arrays of these the driver writes in a form that PostgreSQL reads; others travel as texts. */
const PLAIN = new Set(['double precision', 'float8', 'integer', 'text', 'uuid'])

function toTable(columns: readonly GivenColumn[], rows: readonly object[], as = 'given'): SQL {
  const lists = columns.map(({ name, sqlType }) => {
    const isPlain = PLAIN.has(sqlType)
    const values = (rows as Record<string, unknown>[]).map(({ [name]: value }) =>
      isPlain ? value : toText(sqlType, value),
    )
    return sql`${sql.param(values)}${sql.raw(isPlain ? `::${sqlType}[]` : '::text[]')}`
  })
  const names = columns.map(({ column }) => column)
  const read = columns.map(({ column, sqlType }) =>
    PLAIN.has(sqlType) ? column : `${column}::${sqlType} as ${column}`,
  )
  return sql`(
    select ${sql.raw([...read, 'ord'].join(', '))}
      from unnest(${sql.join(lists, sql`, `)}) with ordinality as list(${sql.raw([...names, 'ord'].join(', '))})
    ) as ${sql.raw(as)}`
}

/** As PostgreSQL reads it from a text. */
function toText(sqlType: string, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (sqlType === 'jsonb') return JSON.stringify(value)
  if (sqlType.startsWith('timestamp')) return new Date(value as Date | number).toISOString()
  return Array.isArray(value) ? `{${value.join()}}` : String(value)
}
