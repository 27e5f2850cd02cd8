import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { translateDatabaseError } from '../../src/db/errors.ts'

test('a missing socket is a database that is away, another missing file is a bug', async () => {
  const socket = await new Promise((resolve) => connect('/nowhere/.s.PGSQL.5432').on('error', resolve))
  expect(translateDatabaseError(socket)).toMatchObject({ code: 'unavailable' })
  const file = await stat('/nowhere').catch((error: unknown) => error)
  expect(translateDatabaseError(file)).toBeUndefined()
})
