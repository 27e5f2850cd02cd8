import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { closeDatabase, connectDatabase, type Executor } from '../../src/db/database-client.ts'
import { translateDatabaseError } from '../../src/db/database-errors.ts'
import { startProxy } from '../support/outside/proxy.ts'
import { createDatabase } from '../support/service.ts'

// Each repair of the driver (patches/) has a test here or in client.test.ts.

/** A pool behind a proxy, and `killAll`, which ends its connections over another one. */
async function connectTwice(pool: number) {
  const { url, drop } = await createDatabase()
  const proxy = await startProxy(new URL(url))
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${proxy.port}`
  const [db, other] = [connectDatabase({ url: proxied.href, pool }), connectDatabase({ url, pool: 1 })]
  onTestFinished(async () => {
    await Promise.all([closeDatabase(db), closeDatabase(other)])
    proxy.close()
    await drop()
  })
  await other.execute(sql`create table notes (text text not null)`)
  const killAll = () =>
    other.execute(sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`)
  const read = async () => {
    const rows = await other.execute<{ text: string }>(sql`select text from notes order by text`)
    return rows.map(({ text }) => text)
  }
  return { db, proxy, killAll, read }
}

const write = (db: Executor, text: string) => db.execute(sql`insert into notes values (${text})`)
const failureOf = (work: Promise<unknown>) => work.then(() => undefined, translateDatabaseError)
const AWAY = { code: 'unavailable' }

test('a transaction that goes on after its connection was lost fails, and writes nothing into the next one', async () => {
  const { db, killAll, read } = await connectTwice(1)
  const [begun, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const asked = Promise.withResolvers<unknown>()
  const transaction = failureOf(
    db.transaction(async (tx) => {
      await write(tx, 'undone')
      begun.resolve()
      // The loss arrives while the transaction waits for no query, so that no query fails of it.
      await lost.promise
      asked.resolve(await failureOf(write(tx, 'too late')))
    }),
  )
  await begun.promise
  await killAll()
  expect(await transaction).toMatchObject(AWAY)
  await db.transaction(async (tx) => {
    await write(tx, 'kept')
    lost.resolve()
    expect(await asked.promise).toMatchObject(AWAY)
  })
  expect(await read()).toEqual(['kept'])
})

test('what waits within a transaction fails with its connection', async () => {
  const { db, killAll } = await connectTwice(1)
  const waiting = Promise.withResolvers<Promise<unknown>[]>()
  const transaction = failureOf(
    db.transaction(async (tx) => {
      await tx.execute(sql`select 1`)
      const asked = Array.from({ length: 3 }, (_, n) => failureOf(tx.execute(sql`select pg_sleep(${5 + n})`)))
      waiting.resolve(asked)
      await Promise.all(asked)
    }),
  )
  const asked = await waiting.promise
  await killAll()
  expect(await transaction).toMatchObject(AWAY)
  for (const failure of await Promise.all(asked)) expect(failure).toMatchObject(AWAY)
})

test("the first statement of the next connection doesn't fail with the end of the last one", async () => {
  const { db, killAll } = await connectTwice(1)
  const asked = failureOf(db.execute(sql`select pg_sleep(5)`))
  await expect.poll(killAll).toHaveLength(1)
  expect(await asked).toMatchObject(AWAY)
  expect(await db.execute(sql`select 1 as one`)).toMatchObject([{ one: 1 }])
})

test('a connection that is reset within a transaction is replaced', async () => {
  const { db, proxy } = await connectTwice(1)
  for (let round = 0; round < 3; round++) {
    const begun = Promise.withResolvers<void>()
    const transaction = failureOf(
      db.transaction(async (tx) => {
        await tx.execute(sql`select 1`)
        begun.resolve()
        await tx.execute(sql`select pg_sleep(5)`)
      }),
    )
    await begun.promise
    proxy.reset()
    expect(await transaction).toMatchObject(AWAY)
    expect(await db.execute(sql`select 1 as one`)).toMatchObject([{ one: 1 }])
  }
})

test('connections that are lost under load, again and again, are replaced within a second', {
  meta: { costly: 'asks as fast as twenty askers can' },
}, async () => {
  const { db, killAll } = await connectTwice(4)
  let [answered, done] = [0, false]
  const askers = Array.from({ length: 20 }, async (_, index) => {
    while (!done) {
      const ask =
        index % 2 ? db.execute(sql`select ${index}::int`) : db.transaction((tx) => tx.execute(sql`select 1`))
      await ask.then(
        () => {
          answered += 1
        },
        (error) => expect(translateDatabaseError(error)).toMatchObject(AWAY),
      )
    }
  })
  for (let round = 0; round < 10; round++) {
    await sleep(50)
    await killAll()
  }
  const before = answered
  await expect.poll(() => answered - before).toBeGreaterThan(100)
  done = true
  await Promise.all(askers)
})

test('a connection that is lost during a copy fails it, and the process lives', async () => {
  const { db, killAll, read } = await connectTwice(1)
  const begun = Promise.withResolvers<void>()
  const lines = async function* () {
    yield 'first\n'
    begun.resolve()
    await sleep(60_000)
  }
  const copy = failureOf(
    db.$client.begin(async (tx) => {
      await pipeline(Readable.from(lines()), await tx`copy notes from stdin`.writable())
    }),
  )
  await begun.promise
  await killAll()
  expect(await copy).toMatchObject(AWAY)
  expect(await db.execute(sql`select 1 as one`)).toMatchObject([{ one: 1 }])
  expect(await read()).toEqual([])
})

test('a copy whose last line is refused fails, and its transaction ends', async () => {
  const { db, read } = await connectTwice(1)
  const copy = db.$client.begin(async (tx) => {
    await pipeline(Readable.from(['\\N\n']), await tx`copy notes from stdin`.writable())
  })
  await expect(copy).rejects.toMatchObject({ column_name: 'text' })
  await write(db, 'kept')
  expect(await read()).toEqual(['kept'])
})

test.each([
  ['a server that closes', 1],
  ['several hosts that close', 2],
])('%s every new connection: statements fail soon, and each host is asked once', async (_, hosts) => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.resume().end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const addresses = Array(hosts).fill(`127.0.0.1:${port}`)
  const db = connectDatabase({ url: `postgres://nobody@${addresses}/none`, pool: 2 })
  onTestFinished(async () => {
    await closeDatabase(db)
    server.close()
  })
  for (let round = 0; round < 3; round++)
    expect(await failureOf(db.execute(sql`select 1`))).toMatchObject(AWAY)
  expect(connections).toBe(3 * hosts)
})

test('a connection whose first statement, which reads the types of arrays, is cancelled fails alone', async () => {
  const { url, drop } = await createDatabase()
  const db = connectDatabase({ url: `${url}?statement_timeout=1`, pool: 1 })
  onTestFinished(async () => {
    await closeDatabase(db)
    await drop()
  })
  expect(await failureOf(db.execute(sql`select pg_sleep(1)`))).toMatchObject(AWAY)
})
