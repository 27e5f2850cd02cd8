import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { installedBalancers, startBalancer } from '../support/outside/balancers.ts'
import { startService, type TestService } from '../support/service.ts'

// What the proxies of `deploy/` hold off, so that it doesn't reach a node (docs/operators/security.md).
if (installedBalancers.length === 0)
  process.stdout.write(
    'the limits of proxies are not tested: none of nginx, haproxy and caddy is installed\n',
  )

let service: TestService
let person: Client
beforeAll(async () => {
  service = await startService({ config: { trustProxy: '1' } })
  person = await service.person()
})
afterAll(() => service.close())

async function start(name: string, connections?: number): Promise<URL> {
  const port = Number(new URL(service.urls[0] as string).port)
  const { url, stop } = await startBalancer(name, [port, port], connections ? { connections } : {})
  onTestFinished(stop)
  return new URL(url)
}

/** Sends this on a connection of its own; answers the first that comes back, '' if the connection is closed instead. */
function send({ port }: URL, text: string, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress })
  onTestFinished(() => void socket.destroy())
  socket.write(text)
  return new Promise((resolve) => {
    socket.on('error', () => {}).on('data', (data) => resolve(data.toString()))
    socket.once('close', () => resolve(''))
  })
}

const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n${body}`

describe.each(installedBalancers)('%s', (name) => {
  test('ends requests that stall', async () => {
    const url = await start(name)
    const began = performance.now()
    const stalled = ['GET / HTTP/1.1\r\nHost:']
    // Caddy doesn't tell a body that stalls from one that is slow.
    if (name !== 'caddy') stalled.push(post('/api/v01/auth/login', '{"username":'), post('/nowhere', '{'))
    const answers = await Promise.all(stalled.map((text) => send(url, text)))
    expect(performance.now() - began).toBeLessThan(30_000)
    for (const answer of answers) expect(answer).toMatch(/^$|^HTTP\/1.1 (408|503) /)
  }, 60_000)

  test('lets nobody wait for one who sends a thousand requests at once, or bodies in crumbs', async () => {
    const url = await start(name)
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${person.accessToken}\r\n`
    const crumbs = '1\r\n \r\n'.repeat(20_000)
    const body = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    for (let n = 0; n < 20; n++) {
      void send(url, `GET /api/v01/exams ${head}\r\n`.repeat(1_000))
      void send(url, `POST /api/v01/notebooks ${head}${body}${crumbs}`)
    }
    const other = (await service.person()).at(url.origin)
    let slowest = 0
    for (let n = 0; n < 20; n++) {
      const asked = performance.now()
      await other.get('/api/v01/chat/unread', 200)
      slowest = Math.max(slowest, performance.now() - asked)
      await setTimeout(20)
    }
    expect(slowest).toBeLessThan(1_000)
  }, 60_000)

  // Caddy has no such limit without a plugin.
  test.skipIf(name === 'caddy')(
    'limits the connections of one address',
    async () => {
      const url = await start(name, 20)
      const refused: string[] = []
      // nginx counts those alone whose request is being worked on.
      for (let n = 0; n < 30; n++)
        void send(url, post('/nowhere', '{'), '127.0.0.2').then((answer) => refused.push(answer))
      await expect.poll(() => refused, { timeout: 5_000 }).toHaveLength(10)
      for (const answer of refused) expect(answer).toMatch(/^$|^HTTP\/1.1 503 /)
      await person.at(url.origin).get('/api/v01/chat/unread', 200)
    },
    60_000,
  )

  // The others take connections so quickly that nobody waits for long.
  test.skipIf(name !== 'haproxy')(
    'refuses an address that connects over and over, until it comes less often',
    async () => {
      const url = await start(name, 20)
      const ask = () => send(url, 'GET /healthz HTTP/1.0\r\n\r\n', '127.0.0.2')
      await expect.poll(ask, { timeout: 20_000, interval: 1 }).toBe('')
      await person.at(url.origin).get('/api/v01/chat/unread', 200)
      await expect.poll(ask, { timeout: 20_000, interval: 500 }).toContain(' 200 ')
    },
    60_000,
  )
})
