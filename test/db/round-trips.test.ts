import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { closeDatabase, connectDatabase, type Executor } from '../../src/db/database-client.ts'
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
  return { db, proxy, countRoundTrips }
}

/** A message of PostgreSQL's protocol. */
function message(type: string, body: string) {
  const head = Buffer.from(`${type}....`)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, Buffer.from(body)])
}
const BEGIN = message('Q', 'begin \0')
const REFUSAL = Buffer.concat([
  message('E', 'SERROR\0VERROR\0C53300\0Mno server is free\0\0'),
  message('Z', 'I'),
])

const write = (db: Executor, text: string) => db.execute(sql`insert into notes values (${text})`)
const read = async (db: Executor) => {
  const rows = await db.execute<{ text: string }>(sql`select text from notes order by text`)
  return rows.map(({ text }) => text)
}

test('a prepared statement is one round trip, and so are those of a transaction that are asked for together', async () => {
  const { db, countRoundTrips } = await connectCounted()
  expect(await countRoundTrips(() => write(db, 'a'))).toBe(1)
  const work = () =>
    db.transaction(async (tx) => {
      await Promise.all([write(tx, 'b'), write(tx, 'c')])
      await write(tx, 'd')
    })
  // begin, two statements, one statement, commit
  expect(await countRoundTrips(work)).toBe(4)
  expect(await read(db)).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd'])
})

test('a transaction whose beginning is refused fails and writes nothing, and the pool goes on working', async () => {
  const { db, proxy } = await connectCounted()
  proxy.answerNext(BEGIN, REFUSAL)
  const transaction = db.transaction((tx) => write(tx, 'a')).catch((error) => error)
  const beside = Array.from({ length: 5 }, () => write(db, 'beside it'))
  expect(await transaction).toMatchObject({ message: 'no server is free' })
  await Promise.all(beside)
  expect(await read(db)).toEqual(Array.from({ length: 5 }, () => 'beside it'))
  await db.transaction((tx) => write(tx, 'c'))
  expect(await read(db)).toHaveLength(6)
})

test('a statement whose result a migration has changed fails its transaction and is not repeated behind it', async () => {
  const { db } = await connectCounted()
  const work = () =>
    db.transaction(async (tx) => {
      await Promise.all([write(tx, 'a'), tx.execute(sql`insert into notes values (${'b'}) returning *`)])
    })
  await work()
  await db.execute(sql`alter table notes add column colour text`)
  await expect(work()).rejects.toMatchObject({
    cause: { message: 'cached plan must not change result type' },
  })
  expect(await read(db)).toEqual(['a', 'b'])
  await work()
  expect(await read(db)).toEqual(['a', 'a', 'b', 'b'])
})
