import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/settings/config.ts'
import { type Client, PASSWORD } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

// Hashing passwords is the most expensive work that anybody can ask for without an account.
let service: TestService
let person: Client

beforeAll(async () => {
  service = await startService({ config: { passwordCost: readConfig({}).passwordCost } })
  person = await service.person()
})
afterAll(() => service.close())

/** Sends that many logins of different unknown people at once, on one connection. */
async function flood(count: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const { hostname, port } = new URL(service.urls[0] as string)
  const socket = connect({ host: hostname, port: Number(port), localAddress })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const requests = Array.from({ length: count }, () => {
    const body = JSON.stringify({ username: randomUUID(), password: 'a guess' })
    return `POST /api/v01/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  })
  await once(socket, 'connect')
  await new Promise<void>((resolve) => socket.write(requests.join(''), () => resolve()))
  return socket
}

/** Milliseconds that one login takes. */
async function timeLogin(): Promise<number> {
  const began = performance.now()
  await service.guest().post('/api/v01/auth/login', { username: person.username, password: PASSWORD }, 200)
  return performance.now() - began
}

test('logins whose client has hung up delay nobody', async () => {
  const sockets = await Promise.all(Array.from({ length: 1_200 }, () => flood(1)))
  for (const socket of sockets) socket.destroy()
  expect(await timeLogin()).toBeLessThan(3_000)
})

test('people at other addresses can log in during a flood from one address', async () => {
  const answers: string[] = []
  for (const socket of await Promise.all(Array.from({ length: 800 }, () => flood(1, '127.0.0.2'))))
    socket.on('data', (chunk) => answers.push(chunk.toString()))
  for (let tries = 0; tries < 5; tries++) expect(await timeLogin()).toBeLessThan(3_000)
  // Logins that can't be served in time are refused instead of queued.
  const refused = () => answers.join('').match(/HTTP\/1.1 503 /g)?.length ?? 0
  await expect.poll(refused).toBeGreaterThan(100)
  expect(answers.join('')).toMatch(/^retry-after: 2\r$/im)
})

test('where each of many addresses waits with one login, it is the last to come that are refused', async () => {
  const answers: string[] = []
  for (let n = 0; n < 1_000; n++) {
    const socket = await flood(1, `127.0.${3 + (n >> 8)}.${n & 255}`)
    socket.on('data', (chunk) => {
      answers[n] = `${answers[n] ?? ''}${chunk}`
    })
  }
  const refused = () => answers.flatMap((answer, n) => (answer.startsWith('HTTP/1.1 503') ? [n] : []))
  await expect.poll(() => refused().length).toBeGreaterThan(20)
  // As many as there is room for come before the first one that is refused.
  expect(Math.min(...refused())).toBeGreaterThanOrEqual(200)
})

test('a locked account is refused without hashing a password', async () => {
  const { username } = await service.person()
  const guess = () => service.guest().post('/api/v01/auth/login', { username, password: 'a guess' })
  for (let failure = 0; failure < 3; failure++) expect((await guess()).status).toBe(401)

  const time = async (attempt: () => Promise<{ status: number }>, status: number) => {
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: 60 }, attempt))
    expect(answers.every((answer) => answer.status === status)).toBe(true)
    return performance.now() - began
  }
  const unknown = () => service.guest().post('/api/v01/auth/login', { username: randomUUID(), password: 'x' })
  const hashing = await time(unknown, 401)
  expect(await time(guess, 429)).toBeLessThan(hashing / 2)
})
