import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createNode } from '../src/process/node.ts'
import { readConfig } from '../src/settings/config.ts'
import { Client } from './support/client.ts'
import { startProxy } from './support/outside/proxy.ts'
import { PATIENCE_MS } from './support/patience.ts'
import { Documented } from './support/promises/documented.ts'
import { createDatabase, SECRET } from './support/service.ts'
import { TestSocket } from './support/socket.ts'

test('while the database hangs or is gone requests answer 503, and afterwards they work again', async () => {
  const database = await createDatabase()
  const target = new URL(database.url)
  const proxy = await startProxy(target)
  const through = new URL(database.url)
  through.hostname = '127.0.0.1'
  through.port = String(proxy.port)
  const config = {
    ...readConfig({ DATABASE_URL: through.href, DATA_DIR: '/nonexistent' }),
    requestTimeoutMs: 1_500,
  }
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
  const node = await createNode({ config, log, databaseUrl: through.href, jwtSecrets: [SECRET] })
  const address = await node.app.listen({ port: 0 })
  onTestFinished(async () => {
    proxy.close()
    await node.close()
    await database.drop()
  })
  // Written when they are first asked for, which on a busy machine takes longer than a request may here.
  await vi.waitFor(() => Documented.load(address), PATIENCE_MS)
  const guest = await Client.guest(address)
  const login = () => guest.post('/api/v01/auth/login', { username: 'nobody', password: 'whatever it is' })
  expect((await login()).status).toBe(401)

  const person = await Client.guest(address)
  await person.register('somebody')
  const socket = await person.socket()

  proxy.freeze()
  const another = new TestSocket(
    new WebSocket(`${address.replace('http', 'ws')}/api/v01/ws`, [
      'exam-practice.v1',
      `bearer.${person.accessToken}`,
    ]),
  )
  const [hanging, frame, closure] = await Promise.all([
    login(),
    socket.ask({ type: 'read', conversation_id: 1 }),
    another.closure(),
  ])
  expect(frame).toMatchObject({ type: 'error', code: 'unavailable', retry_after: 2 })
  expect(closure).toMatchObject({ code: 1011 })
  expect(hanging.status).toBe(503)
  expect(hanging.headers.get('retry-after')).toBe('2')
  expect(hanging.body).toMatchObject({ status: 'error', code: 'unavailable' })

  proxy.thaw()
  await expect
    .poll(async () => (await socket.ask({ type: 'read', conversation_id: 1 })).code)
    .toBe('not_found')
  await expect.poll(async () => (await login()).status).toBe(401)

  proxy.close()
  expect((await login()).status).toBe(503)
  expect((await guest.get('/readyz', 503)).body).toMatchObject({
    success: false,
    database: 'down',
    bus: 'up',
  })

  // Everybody's requests fail now: the log says so, and stays small.
  lines.length = 0
  const begun = performance.now()
  for (let round = 0; round < 10; round++)
    expect(await Promise.all(Array.from({ length: 40 }, async () => (await login()).status))).toContain(503)
  const seconds = Math.ceil((performance.now() - begun) / 1_000) + 1
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => /"msg":"request( failed)?"/.test(line)).length).toBeLessThanOrEqual(
    60 * seconds,
  )
  await expect
    .poll(async () => {
      await login()
      return lines.some((line) => line.includes('"missing_lines":'))
    })
    .toBe(true)
})
