import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { query } from '../../src/db/query.ts'
import { withService } from '../support/service.ts'

interface Row {
  userId: number
  name: string | null
}

test('a statement whose columns are not those it declares fails', async () => {
  const { nodes } = await withService()
  const db = nodes[0]?.core.db
  if (!db) throw new Error('the service has no node')
  const read = (statement: ReturnType<typeof sql>) =>
    query<Row>(db, { userId: 'integer', name: 'text' }, statement)

  expect(await read(sql`select id as "userId", null as name from users where id = -1`)).toEqual([
    { userId: -1, name: null },
  ])
  // Without a row too.
  for (const [columns, given] of [
    [sql`id as user_id, username as name`, 'user_id: integer, name: text'],
    [sql`id as "userId"`, 'userId: integer'],
    [sql`id as "userId", username as name, role`, 'userId: integer, name: text, role: text'],
    [sql`id::bigint as "userId", username as name`, 'userId: type 20, name: text'],
    [sql`id as "userId", created_at as name`, 'userId: integer, name: timestamptz'],
  ] as const)
    await expect(read(sql`select ${columns} from users where false`)).rejects.toThrow(given)
  // What is declared has to fit the row's type.
  // @ts-expect-error
  query<Row>(db, { userId: 'text', name: 'text' }, sql`select 1`).catch(() => {})
  // @ts-expect-error
  query<Row>(db, { userId: 'integer' }, sql`select 1`).catch(() => {})
})
