import { pino } from 'pino'
import { expect, test } from 'vitest'
import { withService } from '../support/service.ts'

test('an operation that sends its answer itself sends nothing behind it, which the log would tell', async () => {
  const lines: unknown[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) })
  const service = await withService({ log })
  const admin = await service.admin()
  const headers = { accept: 'text/csv' }
  const { body } = await admin.request('GET', '/api/v01/admin/users', undefined, undefined, headers)
  expect(body).toContain('username')
  expect(lines).toEqual([])
})
