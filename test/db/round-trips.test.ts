import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { transactAtOnce } from '../../src/db/at-once.ts'
import { closeDatabase, connectDatabase, type Executor } from '../../src/db/client.ts'
import { startProxy } from '../support/outside/proxy.ts'
import { createDatabase } from '../support/service.ts'

/** A connection, and how many round trips some work on it takes once its statements are prepared. */
async function connectCounted() {
  const { url, drop } = await createDatabase()
  const proxy = await startProxy(new URL(url))
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${proxy.port}`
  const db = connectDatabase({ url: proxied.href, pool: 1 })
  onTestFinished(async () => {
    await closeDatabase(db)
    proxy.close()
    await drop()
  })
  await db.execute(sql`create table notes (text text)`)
  const countRoundTrips = async (work: () => Promise<unknown>) => {
    await work()
    const before = proxy.roundTrips
    await work()
    return proxy.roundTrips - before
  }
  return { db, countRoundTrips }
}

const write = (db: Executor, text: string) => db.execute(sql`insert into notes values (${text})`)
const read = async (db: Executor) => {
  const rows = await db.execute<{ text: string }>(sql`select text from notes order by text`)
  return rows.map(({ text }) => text)
}

test('the first statements of a transaction travel with its beginning', async () => {
  const { db, countRoundTrips } = await connectCounted()
  const work = () =>
    db.transaction(async (tx) => {
      await Promise.all([write(tx, 'a'), write(tx, 'b')])
      await write(tx, 'c')
    })
  expect(await countRoundTrips(work)).toBe(3)
  expect(await read(db)).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
})

test('a transaction at once is one round trip, and all or nothing', async () => {
  const { db, countRoundTrips } = await connectCounted()
  const work = () =>
    transactAtOnce(
      db,
      (tx) => write(tx, 'a'),
      (tx) => write(tx, 'b'),
      (tx) => read(tx),
    )
  expect(await countRoundTrips(work)).toBe(1)
  const failing = transactAtOnce(
    db,
    (tx) => write(tx, 'c'),
    (tx) => tx.execute(sql`select 1 / ${0}::int`),
    (tx) => write(tx, 'd'),
  )
  await expect(failing).rejects.toMatchObject({ cause: { message: 'division by zero' } })
  const [, , texts] = await work()
  expect(texts).toEqual(['a', 'a', 'a', 'b', 'b', 'b'])
})
