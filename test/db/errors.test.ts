import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { closeDatabase, connectDatabase } from '../../src/db/database-client.ts'
import { databaseError, translateDatabaseError } from '../../src/db/database-errors.ts'
import { createDatabase } from '../support/service.ts'

test('a missing socket is a database that is away, another missing file is a bug', async () => {
  const socket = await new Promise((resolve) => connect('/nowhere/.s.PGSQL.5432').on('error', resolve))
  expect(translateDatabaseError(socket)).toMatchObject({ code: 'unavailable' })
  const file = await stat('/nowhere').catch((error: unknown) => error)
  expect(translateDatabaseError(file)).toBeUndefined()
})

test('a server that takes no writes, as a standby, is a database that is away', async () => {
  const { url, drop } = await createDatabase()
  const db = connectDatabase({ url: `${url}?default_transaction_read_only=on`, pool: 1 })
  onTestFinished(async () => {
    await closeDatabase(db)
    await drop()
  })
  const error = await db.execute(sql`create table notes ()`).catch((reason: unknown) => reason)
  expect(databaseError(error)?.code).toBe('25006')
  expect(translateDatabaseError(error)).toMatchObject({ code: 'unavailable', status: 503 })
})
