import { type SQL, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  jsonb,
  numeric,
  PgDialect,
  pgTable,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import type { Executor } from '../../src/db/database-client.ts'
import { query } from '../../src/db/query.ts'
import { given, type Row, rowOf } from '../../src/db/rows.ts'
import { instant } from '../../src/db/tables/columns.ts'
import { withService } from '../support/service.ts'

const kinds = pgTable('kinds', {
  personId: integer().primaryKey(),
  share: doublePrecision(),
  name: text({ enum: ['one', 'other'] }),
  clientId: uuid(),
  isDone: boolean(),
  answers: jsonb().$type<{ letters: string[] } | string>(),
  dueAt: instant(),
  revision: bigint({ mode: 'number' }),
  score: numeric({ mode: 'number' }),
  exact: numeric(),
  day: date(),
  drawn: integer().array(),
})
const KIND = rowOf(kinds)
type Kind = Row<typeof KIND>

const FULL: Kind = {
  personId: 1,
  share: 0.1 + 0.2,
  name: 'one',
  clientId: 'a3bb189e-8bf9-4d3c-8d6f-1f6d4b2c3e10',
  isDone: false,
  answers: { letters: ['{a,"b"}', 'NULL', '\\'] },
  dueAt: new Date('2026-11-20T10:15:00.123Z'),
  revision: 9_007_199_254_740_991,
  score: 0.1 + 0.2,
  exact: '0.30000000000000000000004',
  day: '2026-11-20',
  drawn: [3, 1, 2],
}
const EMPTY = { ...Object.fromEntries(Object.keys(FULL).map((name) => [name, null])), personId: 2 } as Kind

async function withDatabase(): Promise<Executor> {
  const { nodes } = await withService()
  if (!nodes[0]) throw new Error('the service has no node')
  return nodes[0].core.db
}

/** In a transaction with the table, which is taken back. */
async function withKinds(work: (tx: Executor) => Promise<void>): Promise<void> {
  const db = await withDatabase()
  const done = new Error('done')
  const run = db.transaction(async (tx) => {
    await tx.execute(sql`
      create table kinds (
        person_id int primary key, share float8, name text, client_id uuid, is_done boolean, answers jsonb,
        due_at timestamptz(3), revision bigint, score numeric, exact numeric, day date, drawn int[])`)
    await work(tx)
    throw done
  })
  await run.catch((error: unknown) => {
    if (error !== done) throw error
  })
}

const put = (tx: Executor, rows: readonly Kind[]) =>
  tx.execute(sql`
    insert into kinds (${KIND.names()}) select ${KIND.names()} from ${KIND.given(rows)} order by given.ord
    on conflict (person_id) do update set ${KIND.set('excluded', { except: ['personId'] })}`)

const read = (tx: Executor) =>
  query<Kind>(tx, KIND.check, sql`select ${KIND.columns('kind')} from kinds kind order by person_id`)

test('rows of every kind of column come back as they were given, and as the builder reads them', () =>
  withKinds(async (tx) => {
    await put(tx, [EMPTY, FULL])
    expect(await read(tx)).toEqual([FULL, EMPTY])
    expect(await tx.select().from(kinds).orderBy(kinds.personId)).toEqual([FULL, EMPTY])
    await put(tx, [{ ...FULL, drawn: [], answers: 'a text' }])
    expect(await read(tx)).toEqual([{ ...FULL, drawn: [], answers: 'a text' }, EMPTY])
    await put(tx, [{ ...EMPTY, personId: 1 }])
    expect(await read(tx)).toEqual([{ ...EMPTY, personId: 1 }, EMPTY])
    await put(tx, [])
    expect(await read(tx)).toHaveLength(2)
  }))

test('instants travel as milliseconds where a row says so', () =>
  withKinds(async (tx) => {
    const DUE = rowOf(kinds, ['personId', 'dueAt'], { instants: 'ms' })
    const rows: Row<typeof DUE>[] = [
      { personId: 1, dueAt: 1_795_000_000_123 },
      { personId: 2, dueAt: null },
    ]
    await tx.execute(sql`insert into kinds (${DUE.names()}) select ${DUE.names()} from ${DUE.given(rows)}`)
    const found = await query<Row<typeof DUE>>(
      tx,
      DUE.check,
      sql`select ${DUE.columns()} from kinds order by 1`,
    )
    expect(found).toEqual(rows)
  }))

test('a list of any values is a table in their order, and its text is the same for any number of rows', async () => {
  const db = await withDatabase()
  const known = [
    { id: 7, isNew: true, more: 'is left out' },
    { id: 5, isNew: false, more: '' },
  ]
  const list = given({ id: 'integer', isNew: 'boolean' }, known, 'known')
  const rows = await query<{ ord: number; id: number; isNew: boolean }>(
    db,
    { ord: 'integer', id: 'integer', isNew: 'boolean' },
    sql`select known.ord::int, known.id, known.is_new as "isNew" from ${list} order by known.ord`,
  )
  expect(rows).toEqual([
    { ord: 1, id: 7, isNew: true },
    { ord: 2, id: 5, isNew: false },
  ])
  const textOf = (statement: SQL) => new PgDialect().sqlToQuery(statement).sql
  expect(textOf(given({ id: 'integer' }, known))).toBe(textOf(given({ id: 'integer' }, [])))
  // What is declared has to fit the rows.
  // @ts-expect-error
  given({ id: 'text' }, known)
  // @ts-expect-error
  given({ name: 'text' }, known)
})
