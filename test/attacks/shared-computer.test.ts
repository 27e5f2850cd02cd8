import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

/** Somebody who signed in by the form. */
async function browser(): Promise<Client> {
  const person = await service.person(`b${randomUUID().slice(0, 8)}`)
  const client = service.guest()
  await client.loginOnWeb(person.username)
  return client
}

/** What a script in the page, or the next person at the computer, has kept. */
async function keptTokens(client: Client) {
  return (await client.post('/api/v01/auth/exchange', {}, 200)).body.data
}

async function expectVoid({ access_token, refresh_token }: Awaited<ReturnType<typeof keptTokens>>) {
  await service.guest(1).post('/api/v01/auth/refresh', { refresh_token }, 401)
  const thief = service.guest(1)
  thief.accessToken = access_token
  await expect.poll(async () => (await thief.get('/api/v01/auth/me')).status).toBe(401)
}

test('nobody goes on after a sign-out with the tokens that the page was given', async () => {
  const client = await browser()
  const kept = await keptTokens(client)
  await client.post('/logout', {}, 200)
  await expectVoid(kept)
})

test('nor if the page is given them while its person signs out on another node, in 20 races', async () => {
  for (let round = 0; round < 20; round++) {
    const client = await browser()
    const elsewhere = Object.assign(client.at(service.urls[1] as string), {
      cookie: client.cookie,
      accessToken: undefined,
    })
    const [given] = await Promise.all([
      elsewhere.post('/api/v01/auth/exchange', {}),
      client.post('/logout', {}, 200),
    ])
    if (given.status === 200) await expectVoid(given.body.data)
    const live =
      await service.sql`select id from sessions where user_id = ${client.id} and opened_by is not null`
    expect(live).toHaveLength(0)
  }
})

test('nor after the web session is ended from the list of sessions', async () => {
  const client = await browser()
  const kept = await keptTokens(client)
  const { sessions } = (await client.get('/api/v01/account/sessions', 200)).body
  const own = sessions.find(({ current }) => current)
  await client.delete(`/api/v01/account/sessions/${own?.id ?? 0}`, 200)
  await expectVoid(kept)
})

test('an image or a link on another page signs nobody out', async () => {
  const client = await browser()
  await client.request('GET', '/logout', undefined, 200, {
    accept: 'image/avif,image/webp,*/*',
    'sec-fetch-site': 'cross-site',
  })
  await client.get('/api/v01/auth/me', 200)
})
