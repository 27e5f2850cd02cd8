import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { holdLocks } from '../support/locks.ts'
import { startProcess } from '../support/processes/process.ts'
import { SECRET, type TestService, withService } from '../support/service.ts'

/** Starts a process as operators do, on the database of this service. */
async function startMain(service: TestService, seconds: number) {
  const main = startProcess({
    DRAIN_DELAY: String(seconds),
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.dataDir,
    JWT_SECRET: SECRET,
  })
  return { main, url: await main.ready() }
}

/** A connection that has sent `head` and doesn't read. */
async function stall(url: string, head: string): Promise<Socket> {
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(head)
  return socket.pause()
}

test('after SIGTERM a node serves for a while, sends sockets away gradually, answers what is in flight, and exits with 0', async () => {
  const service = await withService()
  const { main, url } = await startMain(service, 3)
  const alice = (await service.person()).at(url)
  const sockets = await Promise.all(Array.from({ length: 30 }, () => alice.socket()))
  await stall(
    url,
    `GET /api/v01/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n` +
      `Authorization: Bearer ${alice.accessToken}\r\n\r\n`,
  )
  await stall(url, 'POST /api/v01/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n')
  const late = await stall(url, 'GET /api/v01/auth/me HTTP/1.1\r\nHost: x\r\n')

  // The account's row is locked, so this change stays in flight until `letGo`.
  const letGo = await holdLocks(service.sql, (tx) => tx`select from users where id = ${alice.id} for update`)
  const inFlight = alice.patch('/api/v01/account', { full_name: 'In Flight' }, 200)
  await expect.poll(service.lockWaits).not.toHaveLength(0)

  const started = performance.now()
  const since = () => performance.now() - started
  const exit = main.exit('SIGTERM')
  const closures = sockets.map(async (socket) => ({ ...(await socket.closure(15_000)), at: since() }))

  const readiness = async () => (await alice.get('/readyz')).status
  await expect.poll(readiness).toBe(503)
  expect((await alice.get('/readyz', 503)).body).toMatchObject({
    success: false,
    code: 'draining',
    message: expect.stringContaining('shutting down'),
    status: 'draining',
  })
  await alice.get('/healthz', 200)
  const served = await alice.get('/api/v01/chat/unread', 200)
  expect(served.headers.get('connection')).toBe('close')
  const newcomer = await alice.socket()
  expect(await newcomer.closure(10_000)).toMatchObject({ code: 1012 })

  // After the listener has closed nobody can connect. A second later, requests on older connections are refused.
  const connects = () =>
    alice.get('/healthz').then(
      () => true,
      () => false,
    )
  await expect.poll(connects).toBe(false)
  await sleep(1_000)
  late.write('\r\n')
  const refused = await text(late)
  expect(refused).toMatch(/^HTTP\/1.1 503 .*retry-after: 1\r\n.*"code":"draining"/s)
  expect(refused).toMatch(/connection: close\r\n/i)
  await letGo()
  expect((await inFlight).body).toMatchObject({ success: true })

  const closed = await Promise.all(closures)
  expect(new Set(closed.map(({ code }) => code))).toEqual(new Set([1012]))
  const times = closed.map(({ at }) => at)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_500)
  expect(Math.max(...times)).toBeLessThan(4_500)
  for (let from = 0; from < 3_000; from += 500)
    expect(times.filter((at) => at >= from && at < from + 500).length).toBeLessThan(15)

  expect(await exit).toBe(0)
  expect(since()).toBeLessThan(15_000)
})

test('clients that have connected when a node stops listening are answered, however many wait to be accepted', async () => {
  const service = await withService()
  const { main, url } = await startMain(service, 1)
  const exit = main.exit('SIGTERM')
  const guest = service.guest().at(url)
  await expect.poll(async () => (await guest.get('/readyz')).status).toBe(503)
  main.child.kill('SIGSTOP')
  const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const clients = await Promise.all(Array.from({ length: 50 }, () => stall(url, request)))
  // Past the delay, so that the node stops listening as soon as it goes on.
  await sleep(1_200)
  main.child.kill('SIGCONT')
  for (const answer of await Promise.all(clients.map((client) => text(client))))
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(await exit).toBe(0)
})

test('a node without a delay ends at once, and any node on a second Ctrl-C; two signals at once count as one', async () => {
  const service = await withService()
  const [brisk, patient] = await Promise.all([startMain(service, 0), startMain(service, 600)])
  const began = performance.now()
  expect(await brisk.main.exit('SIGTERM')).toBe(0)
  expect(performance.now() - began).toBeLessThan(4_000)

  const person = (await service.person()).at(patient.url)
  const socket = await person.socket()
  const exit = patient.main.exit('SIGINT')
  patient.main.child.kill('SIGINT')
  // More than the 500 ms within which further signals belong to the same Ctrl-C.
  await sleep(700)
  await person.get('/readyz', 503)
  await person.get('/api/v01/auth/me', 200)
  patient.main.child.kill('SIGINT')
  expect(await exit).toBe(0)
  expect(await socket.closure()).toMatchObject({ code: 1012 })
})
