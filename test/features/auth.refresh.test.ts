import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRefreshTokens } from '../../src/tokens/refresh-tokens.ts'
import type { Client } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

let now = Date.now()
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now, nodes: 2 })
})
afterAll(() => service.close())

const PATH = '/api/v01/auth/refresh'

async function rotate(client: Client, token: string, status = 200): Promise<string> {
  const { body } = await client.post(PATH, { refresh_token: token, rotate: true }, status)
  if (status !== 200) {
    expect(body).toMatchObject({ status: 'error', code: 'token_expired_or_invalid' })
    return ''
  }
  return String(body.data.refresh_token)
}

/** Whether the person's access token is refused within a second. */
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

  test('with `rotate` gives a new refresh token, valid for another 30 days', async () => {
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

  test('gives the same successor for a spent token for 30 seconds', async () => {
    const person = await service.person()
    const successor = await rotate(person, person.refreshToken)
    for (const wait of [0, 10_000, 20_000]) {
      now += wait
      expect(await rotate(person, person.refreshToken)).toBe(successor)
      const { body } = await person.post(PATH, { refresh_token: person.refreshToken }, 200)
      expect(body.data).not.toHaveProperty('refresh_token')
    }
    const [kept] = await service.sql`select refresh_used from sessions where user_id = ${person.id}`
    expect(kept?.refresh_used).toBe(false)
    now += 1
    await rotate(person, person.refreshToken, 401)
    await rotate(person, successor, 401)
    expect(await isSignedOut(person)).toBe(true)
  })

  test.each([true, false])(
    'refuses a spent token once its successor was used, with rotate %s',
    async (isRotating) => {
      const person = await service.person()
      const successor = await rotate(person, person.refreshToken)
      await person.post(PATH, { refresh_token: successor, rotate: isRotating }, 200)
      await person.post(PATH, { refresh_token: person.refreshToken }, 401)
      await rotate(person, successor, 401)
      expect(await isSignedOut(person)).toBe(true)
    },
  )

  test('ends the session when a spent token is used late, however many rotations ago it was spent', async () => {
    const person = await service.person()
    const second = await rotate(person, person.refreshToken)
    const third = await rotate(person, second)
    now += 31_000
    // A request without `rotate` is treated the same.
    await person.post(PATH, { refresh_token: person.refreshToken }, 401)
    await rotate(person, third, 401)
    expect(await isSignedOut(person)).toBe(true)
  })

  test('ends only that session when a spent token is used late', async () => {
    const person = await service.person()
    const phone = service.guest()
    await phone.login(person.username)
    await rotate(person, person.refreshToken)
    now += 31_000
    await rotate(person, person.refreshToken, 401)
    await rotate(phone, phone.refreshToken)
  })

  test('gives one successor for 20 rotations of a token at once over two nodes', async () => {
    const person = await service.person()
    const nodes = [person, person.at(service.urls[1] as string)]
    const successors = await Promise.all(
      Array.from({ length: 20 }, (_, at) => rotate(nodes[at % 2] as Client, person.refreshToken)),
    )
    expect(new Set(successors).size).toBe(1)
    // The first use of the successor ends the old token.
    await Promise.all(successors.map((token) => rotate(person, token)))
    await rotate(person, person.refreshToken, 401)
  })

  test('keeps at most one chain of tokens when a thief and the owner race for each next one', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await service.person()
      const thief = person.at(service.urls[1] as string)
      const walk = async (who: Client) => {
        let token = person.refreshToken
        for (let step = 0; step < 5 && token !== ''; step++) {
          const { status, body } = await who.post(PATH, { refresh_token: token, rotate: true })
          token = status === 200 ? String(body.data.refresh_token) : ''
        }
        return token
      }
      const ends = (await Promise.all([walk(person), walk(thief)])).filter((token) => token !== '')
      const alive = []
      for (const token of ends)
        if ((await person.post(PATH, { refresh_token: token })).status === 200) alive.push(token)
      expect(new Set(alive).size).toBeLessThanOrEqual(1)
    }
  })

  test('stores no row for a rotation, and nothing from which a token can be made', async () => {
    const person = await service.person()
    let token = person.refreshToken
    for (let step = 0; step < 20; step++) token = await rotate(person, token)
    const rows = await service.sql`
      select row_to_json(s)::text as text from sessions s where user_id = ${person.id}`
    expect(rows).toHaveLength(1)
    const [said = ''] = token.split(/\.(?=[^.]+$)/)
    for (const { text } of rows) expect(text).not.toContain(token.slice(said.length + 1))
  })

  test('takes a token only for its own session in its own database, and only unchanged', async () => {
    const [person, other] = [await service.person(), await service.person()]
    const [id, startedAt, generation, mac = ''] = person.refreshToken.split('.')
    const [otherId] = other.refreshToken.split('.')
    for (const forged of [
      [otherId, startedAt, generation, mac],
      [id, startedAt, '1', mac],
      [id, '1', generation, mac],
      [id, startedAt, generation, `${mac.slice(0, -2)}AA`],
      [id, startedAt, generation],
      [`0${id}`, startedAt, generation, mac],
    ])
      await rotate(person, forged.join('.'), 401)
    await rotate(
      person,
      createRefreshTokens(['another secret']).make({
        sessionId: Number(id),
        startedAt: Number(startedAt),
        generation: 0,
      }),
      401,
    )
    // As in a new database with the same secret.
    await service.sql`update sessions set created_at = created_at - interval '1 ms' where id = ${Number(id)}`
    await rotate(person, person.refreshToken, 401)
    await rotate(other, other.refreshToken)
  })

  test('without `rotate` passes for 20 requests at once', async () => {
    const person = await service.person()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.post(PATH, { refresh_token: person.refreshToken })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  })
})

describe('signing out', () => {
  test('ends the session, and may be repeated', async () => {
    const person = await service.person()
    for (let time = 0; time < 2; time++) {
      const { body } = await person.post('/api/v01/auth/logout', { refresh_token: person.refreshToken }, 200)
      expect(body).toEqual({ status: 'success', message: expect.any(String) })
    }
    await rotate(person, person.refreshToken, 401)
    expect(await isSignedOut(person)).toBe(true)
  })

  test('works with a spent token too', async () => {
    const person = await service.person()
    const successor = await rotate(person, person.refreshToken)
    await person.post('/api/v01/auth/logout', { refresh_token: person.refreshToken }, 200)
    await rotate(person, successor, 401)
  })

  test('answers an unknown token the same way', async () => {
    const { body } = await service.guest().post('/api/v01/auth/logout', { refresh_token: 'unknown' }, 200)
    expect(body.status).toBe('success')
  })
})
