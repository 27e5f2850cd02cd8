import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import { startService, type TestService } from '../../support/service.ts'

let now = Date.now()
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now })
})
afterAll(() => service.close())

const PATH = '/api/v01/auth/refresh'

async function rotate(client: Client, token: string, status = 200): Promise<string> {
  const { body } = await client.post(PATH, { refresh_token: token, rotate: true }, status)
  if (status !== 200) {
    expect(body).toMatchObject({ status: 'error', code: 'token_expired_or_invalid' })
    return ''
  }
  return body.data.refresh_token
}

/** Whether the person's access token is void within a second. */
async function isSignedOut(client: Client): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    if ((await client.get('/api/v01/auth/me')).status === 401) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

describe('refreshing', () => {
  test('gives a new access token and keeps the refresh token', async () => {
    const person = await service.person()
    const { body } = await person.post(PATH, { refresh_token: person.refreshToken }, 200)
    expect(body).toEqual({
      status: 'success',
      data: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3_600 },
    })
    person.accessToken = body.data.access_token
    await person.get('/api/v01/auth/me', 200)
    await person.post(PATH, { refresh_token: person.refreshToken }, 200)
  })

  test.each([undefined, '', 7, 'x', '1.abc', 'a'.repeat(513)])('refuses %j', async (token) => {
    const { body, status } = await service.guest().post(PATH, { refresh_token: token })
    expect([400, 401]).toContain(status)
    expect(body.status).toBe('error')
  })

  test('with `rotate` the new token goes on where the old one ended', async () => {
    const person = await service.person()
    let token = person.refreshToken
    for (let step = 0; step < 3; step++) {
      const next = await rotate(person, token)
      expect(next).not.toBe(token)
      token = next
    }
    now += 29 * 24 * 3_600_000
    token = await rotate(person, token)
    now += 29 * 24 * 3_600_000
    await rotate(person, token)
  })

  test('a spent token may be exchanged once more within 30 seconds, which supersedes the lost answer', async () => {
    const person = await service.person()
    const lost = await rotate(person, person.refreshToken)
    now += 29_000
    const kept = await rotate(person, person.refreshToken)
    await rotate(person, kept)
    now += 31_000
    // Whoever has the lost answer after all is somebody else.
    await rotate(person, lost, 401)
    await rotate(person, kept, 401)
    expect(await isSignedOut(person)).toBe(true)
  })

  test('a third use ends the session, on all its tokens', async () => {
    const person = await service.person()
    await rotate(person, person.refreshToken)
    const current = await rotate(person, person.refreshToken)
    await rotate(person, person.refreshToken, 401)
    await rotate(person, current, 401)
    expect(await isSignedOut(person)).toBe(true)
  })

  test('a spent token used late ends the session, however many rotations ago it was spent', async () => {
    const person = await service.person()
    const second = await rotate(person, person.refreshToken)
    const third = await rotate(person, second)
    now += 31_000
    // Without `rotate` alike: it is spent.
    await person.post(PATH, { refresh_token: person.refreshToken }, 401)
    await rotate(person, third, 401)
    expect(await isSignedOut(person)).toBe(true)
  })

  test('a theft ends that session only', async () => {
    const person = await service.person()
    const phone = service.guest()
    await phone.login(person.username)
    await rotate(person, person.refreshToken)
    now += 31_000
    await rotate(person, person.refreshToken, 401)
    await rotate(phone, phone.refreshToken)
  })

  test('of 20 rotations of one token at once two succeed, the second by the grace; the rest end the session', async () => {
    const person = await service.person()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        person.post(PATH, { refresh_token: person.refreshToken, rotate: true }),
      ),
    )
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(18)
    for (const { body } of made) await rotate(person, body.data.refresh_token, 401)
    const [left] = await service.sql`select count(*)::int from sessions where user_id = ${person.id}`
    expect(left?.count).toBe(0)
  })

  test('20 refreshes without rotation at once all pass', async () => {
    const person = await service.person()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.post(PATH, { refresh_token: person.refreshToken })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  })
})

describe('signing out', () => {
  test('ends the session, and again is fine', async () => {
    const person = await service.person()
    for (let time = 0; time < 2; time++) {
      const { body } = await person.post('/api/v01/auth/logout', { refresh_token: person.refreshToken }, 200)
      expect(body).toEqual({ status: 'success', message: expect.any(String) })
    }
    await rotate(person, person.refreshToken, 401)
    expect(await isSignedOut(person)).toBe(true)
  })

  test('an unknown token is answered alike', async () => {
    const { body } = await service.guest().post('/api/v01/auth/logout', { refresh_token: 'unknown' }, 200)
    expect(body.status).toBe('success')
  })
})
