import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { closeDatabase, connectDatabase } from '../../src/db/client.ts'
import { translateDatabaseError } from '../../src/db/errors.ts'
import { createDatabase } from '../support/service.ts'

/** A pool, and `killAll`, which ends its connections over another one. */
async function connectTwice(pool: number) {
  const { url, drop } = await createDatabase()
  const [db, other] = [connectDatabase({ url, pool }), connectDatabase({ url, pool: 1 })]
  onTestFinished(async () => {
    await Promise.all([closeDatabase(db), closeDatabase(other)])
    await drop()
  })
  const killAll = () =>
    other.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`)
  return { db, killAll }
}

test('a transaction that goes on after its connection was lost fails, and the process lives', async () => {
  const { db, killAll } = await connectTwice(2)
  const asked = Promise.withResolvers<unknown>()
  const transaction = db.transaction(async (tx) => {
    await tx.execute(sql`select 1`)
    await killAll()
    // The loss arrives while the transaction waits for no query, so that no query fails of it.
    await sleep(200)
    asked.resolve(await tx.execute(sql`select 1`).catch((error) => error))
  })
  await expect(transaction).rejects.toThrow()
  expect(translateDatabaseError(await asked.promise)).toMatchObject({ code: 'unavailable' })
  expect(await db.execute(sql`select 1 as one`)).toMatchObject([{ one: 1 }])
})

test('connections that are lost under load, again and again, are replaced within a second', async () => {
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
        (error) => expect(translateDatabaseError(error)).toMatchObject({ code: 'unavailable' }),
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
