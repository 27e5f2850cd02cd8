import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startProcess } from '../support/process.ts'
import { connectedPair, SECRET, type TestService, withService } from '../support/service.ts'
import { refusedUpgrade } from '../support/socket.ts'

/** The process as operators run it, on the database of a test's service. */
async function startMain(service: TestService) {
  const main = startProcess({
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.dataDir,
    JWT_SECRET: SECRET,
  })
  return { main, url: await main.ready() }
}

/** A connection that sends `head` and then neither reads nor writes. */
async function stall(url: string, head: string): Promise<void> {
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(head)
  socket.pause()
}

test('SIGTERM: no new work, sockets sent away one after another, requests in flight answered, exit 0', async () => {
  const service = await withService()
  const { main, url } = await startMain(service)
  const { alice: first, conversationId } = await connectedPair(service)
  const alice = first.at(url)
  const sockets = await Promise.all(Array.from({ length: 30 }, () => alice.socket()))
  await stall(
    url,
    `GET /api/v01/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n` +
      `Authorization: Bearer ${alice.accessToken}\r\n\r\n`,
  )
  await stall(url, 'POST /api/v01/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n')

  // Somebody holds the conversation's row, so that this send is in flight for as long as they like.
  const [locked, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = service.sql.begin(async (tx) => {
    await tx`select 1 from conversations where id = ${conversationId} for update`
    locked.resolve()
    await letGo.promise
  })
  await locked.promise
  const inFlight = alice.send(conversationId, 'in flight', undefined, 201)
  const waiting = () => service.sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0)

  const started = performance.now()
  const since = () => performance.now() - started
  const exit = main.exit('SIGTERM')
  const closures = sockets.map(async (socket) => ({ ...(await socket.closure(15_000)), at: since() }))

  const readiness = async () => (await fetch(`${url}/readyz`)).status
  await expect.poll(readiness).toBe(503)
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'draining' })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const refused = await alice.get('/api/v01/chat/unread', 503)
  expect(refused.body).toMatchObject({ success: false, code: 'draining' })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.headers.get('connection')).toBe('close')
  expect(await refusedUpgrade({ url, token: alice.accessToken })).toMatchObject({
    status: 503,
    body: { code: 'draining' },
  })
  letGo.resolve()
  await holder
  expect((await inFlight).body.message).toMatchObject({ message: 'in flight', seq: 1 })

  const closed = await Promise.all(closures)
  expect(new Set(closed.map(({ code }) => code))).toEqual(new Set([1012]))
  const times = closed.map(({ at }) => at)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_500)
  expect(Math.max(...times)).toBeLessThan(8_000)
  for (let from = 0; from < 3_000; from += 500)
    expect(times.filter((at) => at >= from && at < from + 500).length).toBeLessThan(15)

  expect(await exit).toBe(0)
  expect(since()).toBeLessThan(15_000)
}, 60_000)

test('without anybody to send away it still listens for a moment, so that a proxy sees it leave', async () => {
  const service = await withService()
  const { main, url } = await startMain(service)
  const exit = main.exit('SIGTERM')
  const started = performance.now()
  await setTimeout(1_000)
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  expect(await exit).toBe(0)
  expect(performance.now() - started).toBeLessThan(5_000)
})
