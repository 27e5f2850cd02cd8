import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

const EXCHANGE = '/api/v01/auth/exchange'
const MAX_SESSIONS = 200

async function sessionsOf(person: Client): Promise<{ id: number; kind: string }[]> {
  return (await person.get('/api/v01/account/sessions', 200)).body.sessions
}

const onBothNodes = <T>(count: number, act: (guest: Client) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => act(service.guest(n % 2))))

/** Inserts sessions, which is faster than as many logins. */
async function insertSessions(person: Client, count: number): Promise<void> {
  await service.sql`
    insert into sessions (user_id, kind, expires_at)
    select ${person.id}, 'client', now() + interval '30 days' from generate_series(1, ${count})`
}

describe('sessions of one person', () => {
  test('are at most 200, however many are opened at once on two nodes; the oldest end on both', async () => {
    const person = await service.person()
    const { username } = person
    await insertSessions(person, MAX_SESSIONS - 10)
    const opened = await onBothNodes(20, async (guest) => {
      const { body } = await guest.post('/api/v01/auth/login', { username, password: PASSWORD }, 200)
      return Object.assign(guest, {
        accessToken: body.data.access_token as string,
        refreshToken: body.data.refresh_token as string,
      })
    })
    for (const url of service.urls)
      await expect.poll(async () => (await person.at(url).get('/api/v01/auth/me')).status).toBe(401)
    await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 401)
    for (const { refreshToken } of opened)
      await service.guest().post('/api/v01/auth/refresh', { refresh_token: refreshToken }, 200)
    expect(await sessionsOf(opened[0] as Client)).toHaveLength(MAX_SESSIONS)
  })

  test('end in the order of their last use, web sessions included', async () => {
    const person = await service.person()
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    await service.sql`update sessions set last_used_at = now() - interval '1 day' where user_id = ${person.id}`
    await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 200)
    await insertSessions(person, MAX_SESSIONS - 2)
    await service.guest().login(person.username)
    for (const url of service.urls) {
      await expect
        .poll(async () => (await Object.assign(browser, { url }).get('/api/v01/auth/me')).status)
        .toBe(401)
      await person.at(url).get('/api/v01/auth/me', 200)
    }
    await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 200)
  })
})

describe('a page that asks for tokens by its cookie', () => {
  test('gets one session, however often it asks and on whichever node', async () => {
    const person = await service.person()
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    const answers = await onBothNodes(20, (guest) =>
      Object.assign(guest, { cookie: browser.cookie }).post(EXCHANGE, {}, 200),
    )
    expect((await sessionsOf(browser)).map(({ kind }) => kind).sort()).toEqual(['client', 'client', 'web'])
    for (const { body } of answers) {
      const page = Object.assign(service.guest(), { accessToken: body.data.access_token })
      await page.get('/api/v01/auth/me', 200)
      await page.post('/api/v01/auth/refresh', { refresh_token: body.data.refresh_token }, 200)
    }
  })

  test('gets the current refresh token after a rotation, and a new session when that one has ended', async () => {
    const person = await service.person()
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    const exchange = async () => (await browser.post(EXCHANGE, {}, 200)).body.data.refresh_token
    const refresh = (refresh_token: string, status: number) =>
      service.guest(1).post('/api/v01/auth/refresh', { refresh_token, rotate: true }, status)
    const next = String((await refresh(await exchange(), 200)).body.data.refresh_token)
    expect(await exchange()).toBe(next)
    await service.guest(1).post('/api/v01/auth/logout', { refresh_token: next }, 200)
    const another = await exchange()
    expect(another).not.toBe(next)
    await refresh(another, 200)

    const elsewhere = service.guest()
    await elsewhere.loginOnWeb(person.username)
    await elsewhere.post(EXCHANGE, {}, 200)
    // The first one, two web sessions, and one for each page.
    expect(await sessionsOf(browser)).toHaveLength(5)
  })
})
