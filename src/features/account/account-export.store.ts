import { and, asc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { getTableConfig, PgArray, PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import { type TSchema, Type } from 'typebox'
import { Nullable, Timestamp } from '../../../schemas/common.ts'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'

/** A JSON file of a personal export: a person's rows of a table. */
export type Area = {
  title: string
  /** Whether it is one row rather than a list. */
  single?: true
  /** The columns of the table that are exported, under their own names. */
  columns: string
  /** What the file's schema says of columns, where their names don't say it. */
  descriptions?: Record<string, string>
  /** What else a row has. */
  fields?: Record<string, PgColumn | Field>
} & (Referring | Chosen)

interface Referring {
  /** The column that refers to the person. */
  owner: PgColumn
  from?: undefined
}

interface Chosen {
  from: PgTable
  /** Which of its rows are the person's. */
  owner: (userId: number) => SQL | undefined
}

export interface Field {
  /** Columns are named without their tables in it, so those of other tables can only stand in a statement of their own. */
  value: PgColumn | SQL | ((userId: number) => SQL)
  schema: TSchema
}

type Key = string | number | Date
export type Row = Record<string, unknown>

const casing = new CasingCache('snake_case')

function tableOf({ from, owner }: Area): PgTable {
  return from ?? owner.table
}

/** All fields of an area's rows. */
export function fieldsOf(area: Area): Record<string, Field> {
  const all = Object.values<PgColumn>(getTableColumns(tableOf(area)))
  const named = area.columns.split(' ').map((name) => {
    const column = all.find((each) => casing.getColumnCasing(each) === name)
    if (!column) throw new Error(`there is no column ${name}`)
    return [name, column] as const
  })
  const fields = Object.entries({ ...Object.fromEntries(named), ...area.fields })
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      field instanceof PgColumn ? toField(field, area.descriptions?.[name]) : field,
    ]),
  )
}

function toField(value: PgColumn, description?: string): Field {
  const schema = { ...schemaOf(value), ...(description !== undefined && { description }) }
  return { value, schema: value.notNull ? schema : Nullable(schema) }
}

function schemaOf(column: PgColumn): TSchema {
  if (column instanceof PgArray) return Type.Array(schemaOf(column.baseColumn))
  if (column.enumValues?.length) return Type.Enum(column.enumValues)
  if (column.dataType === 'boolean') return Type.Boolean()
  if (column.dataType === 'string') return Type.String()
  if (column.dataType === 'date') return Timestamp
  if (column.dataType === 'number')
    return column.getSQLType() === 'double precision' ? Type.Number() : Type.Integer()
  throw new Error(`${column.name} needs a schema of its own`)
}

/** The keys of all the person's rows, which are small and read from an index. */
export async function listKeys(db: Executor, userId: number, area: Area): Promise<Key[]> {
  const key = keyOf(area)
  const rows = await db.select({ key }).from(tableOf(area)).where(isOwn(area, userId)).orderBy(asc(key))
  return rows.map((row) => row.key as Key)
}

/** The rows of these keys that still exist. */
export function listRows(db: Executor, userId: number, area: Area, keys: Key[]): Promise<Row[]> {
  const key = keyOf(area)
  const selected: Record<string, PgColumn | SQL> = {}
  for (const [name, { value }] of Object.entries(fieldsOf(area)))
    selected[name] = typeof value === 'function' ? value(userId) : value
  return db
    .select(selected)
    .from(tableOf(area))
    .where(and(isOwn(area, userId), inArray(key, keys)))
    .orderBy(asc(key))
}

function isOwn({ owner }: Area, userId: number): SQL | undefined {
  return typeof owner === 'function' ? owner(userId) : eq(owner, userId)
}

/** The column of the primary key that tells a person's rows apart. */
function keyOf(area: Area): PgColumn {
  const { columns, primaryKeys } = getTableConfig(tableOf(area))
  const keys = [...columns.filter(({ primary }) => primary), ...primaryKeys.flatMap((key) => key.columns)]
  const key = keys.find((column) => column !== area.owner) ?? keys[0]
  if (!key) throw new Error('rows without a key cannot be read in steps')
  return key
}

/** The JSON of these objects in this order; deleted ones are left out. */
export async function listObjects(db: Executor, ids: number[]): Promise<string[]> {
  const rows = await query<{ data: string }>(
    db,
    { data: 'text' },
    sql`
    select data from unnest(${sql.param(ids)}::int[]) with ordinality as place(id, n)
      join page_objects using (id)
     where data is not null
     order by n`,
  )
  return rows.map(({ data }) => data)
}
