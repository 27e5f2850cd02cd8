import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { closeDatabase, connectDatabase, type Executor } from '../../src/db/database-client.ts'
import { isAnyOf } from '../../src/db/query.ts'
import { users } from '../../src/db/tables/users.tables.ts'
import { contains, plannedFor } from '../../src/db/text-search.ts'
import { listAllowances } from '../../src/features/allowances/allowances.store.ts'
import { readNames } from '../../src/features/analytics/analytics.store.ts'
import { listPeers } from '../../src/features/chat/connections/people.store.ts'
import { listConversations } from '../../src/features/chat/conversations/conversations.store.ts'
import { listCounters, listVersions } from '../../src/features/chat/conversations/memberships.store.ts'
import { listChanges } from '../../src/features/chat/messages/messages.store.ts'
import { listNames } from '../../src/features/practice/practice.store.ts'
import { createDatabase } from '../support/service.ts'

/** One connection on a database of its own. */
async function connectOnce(options: { prepare?: boolean } = {}) {
  const { url, drop } = await createDatabase()
  const db = connectDatabase({ url, pool: 1, ...options })
  onTestFinished(async () => {
    await closeDatabase(db)
    await drop()
  })
  return db
}

/** How many prepared statements about users the connection keeps. */
async function countPrepared(db: Executor): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int from pg_prepared_statements where statement like '%from "users"%'`)
  return row?.count ?? Number.NaN
}

const findPeople = (db: Executor, ids: number[]) =>
  db.select({ id: users.id }).from(users).where(isAnyOf(users.id, ids))

test('a statement is prepared once, for lists of every length, in transactions and savepoints too', async () => {
  const db = await connectOnce()
  expect(await findPeople(db, [-1])).toEqual([{ id: -1 }])
  await findPeople(db, [-1, 1, 2])
  await db.transaction(async (tx) => {
    await findPeople(tx, [])
    await tx.transaction((part) => findPeople(part, [1, 2]))
  })
  expect(await countPrepared(db)).toBe(1)
})

test('what everybody reads at once, and an administrator page by page, is not planned each time', async () => {
  const db = await connectOnce()
  for (let time = 0; time < 12; time++) {
    await listCounters(db, [{ userId: -1, conversationId: undefined }])
    await listConversations(db, [-1], { ids: [time], unlockedFor: -1 })
    await listConversations(db, [-1], { archived: false, unlockedFor: -1 })
    await listPeers(db, [-1])
    await listVersions(db, [{ conversationId: time, userIds: [-1] }])
    await listChanges(db, [{ conversationId: time, since: 0, until: 9 }], 10)
    await listNames(db, [{ questionId: time, examId: time }])
    await readNames(db, [time], [time])
    await listAllowances(db, { q: undefined, examId: undefined, classId: undefined, status: undefined }, time)
  }
  // PostgreSQL plans a prepared statement five times before it decides.
  const rows = await db.execute<{ statement: string; plans: number }>(sql`
    select statement, custom_plans::int as plans from pg_prepared_statements where generic_plans + custom_plans = 12`)
  expect(rows).toHaveLength(9)
  for (const { statement, plans } of rows) expect(plans, statement).toBe(5)
})

test('no statement is compiled, also where PostgreSQL would', async () => {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  const jit = async () => {
    const db = connectDatabase({ url, pool: 1 })
    const rows = await db.execute<{ jit: string }>(sql`show jit`)
    await db.execute(sql.raw(`alter database ${new URL(url).pathname.slice(1)} set jit = on`))
    await closeDatabase(db)
    return rows[0]?.jit
  }
  // From the second connection on, the database asks for it.
  await jit()
  expect(await jit()).toBe('off')
})

test('a search is not prepared, so that it is planned for its text', async () => {
  const db = await connectOnce()
  await plannedFor('a', db).select({ id: users.id }).from(users).where(contains(users.username, 'a'))
  expect(await countPrepared(db)).toBe(0)
})

test('prepared statements survive a failed transaction and a new column of their table', async () => {
  const db = await connectOnce()
  const all = (executor: Executor) =>
    executor
      .select()
      .from(users)
      .where(isAnyOf(users.id, [-1]))
  await expect(
    db.transaction(async (tx) => {
      await all(tx)
      throw new Error('undone')
    }),
  ).rejects.toThrow('undone')
  await db.execute(sql`alter table users add column shoe_size integer`)
  expect(await all(db)).toHaveLength(1)
})

test('behind a pooler nothing is prepared', async () => {
  const db = await connectOnce({ prepare: false })
  expect(await findPeople(db, [-1])).toEqual([{ id: -1 }])
  expect(await countPrepared(db)).toBe(0)
})

test('the result after a statement that failed in the middle of its rows is complete', async () => {
  const db = await connectOnce()
  for (const read of [db, undefined]) {
    const failing = sql`select 10 / (3 - n) from generate_series(1, ${5}::int) n`
    const reading = (executor: Executor) =>
      executor.execute<{ name: string }>(sql`select ${'alice'}::text as name`)
    await expect(db.execute(failing)).rejects.toThrow()
    const rows = await (read ? reading(read) : db.transaction(reading))
    expect([...rows]).toEqual([{ name: 'alice' }])
  }
})

test('a transaction that begins behind many statements keeps its connection for itself', async () => {
  const db = await connectOnce()
  await findPeople(db, [])
  // The driver sends up to 100 statements ahead.
  for (let ahead = 97; ahead <= 102; ahead++) {
    const statements = Array.from({ length: ahead }, () => db.$client.unsafe('select 1'))
    await Promise.all([...statements, db.transaction((tx) => tx.execute(sql`select 1`))])
    const [row] = await db.execute(sql`select now() = statement_timestamp() as "isAlone"`)
    expect(row, `${ahead} ahead`).toEqual({ isAlone: true })
  }
})
