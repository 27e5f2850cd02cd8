import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/settings/config.ts'
import { PASSWORD } from '../support/client.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const SECRETS = [
  'the first secret of these tests, long enough',
  'the second secret of these tests, long enough',
]

let service: TestService
beforeAll(async () => {
  service = await startService({ config: { jwtSecrets: [SECRETS[0] as string] } })
})
afterAll(() => service.close())

describe('registering and signing in', () => {
  test('registering signs in; name and address are unique regardless of case', async () => {
    const guest = service.guest()
    const input = { username: 'Anna.B', email: 'Anna@Example.org', password: PASSWORD, full_name: ' Anna B ' }
    const more = { ...input, role: 'admin', id: 7 }
    const { body } = await guest.post('/api/v01/auth/register', more, 201)
    expect(body).toEqual({
      status: 'success',
      data: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3_600,
        available_portals: ['user'],
        user: { id: expect.any(Number), username: 'Anna.B', full_name: 'Anna B', role: 'user' },
      },
    })
    const name = await guest.post(
      '/api/v01/auth/register',
      { ...input, username: 'anna.b', email: 'x@y.zz' },
      409,
    )
    expect(name.body).toEqual({ status: 'error', code: 'username_taken', message: expect.any(String) })
    const address = await guest.post('/api/v01/auth/register', { ...input, username: 'other' }, 409)
    expect(address.body).toMatchObject({ status: 'error', code: 'email_taken' })
  })

  test('hashes passwords at the cost that OWASP recommends, unless told otherwise', async () => {
    const { passwordCost } = readConfig({})
    const usual = await withService({ config: { passwordCost } })
    const { id, username } = await usual.person()
    const [user] = await usual.sql`select password_hash from users where id = ${id}`
    expect(user?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    await usual.guest().login(username)
  })

  test('20 registrations of one name at once make one account', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        service.guest().post('/api/v01/auth/register', {
          username: n % 2 ? 'Racer' : 'racer',
          email: `racer${n}@example.org`,
          password: PASSWORD,
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  test.each([
    ['a short username', { username: 'ab' }],
    ['a username with a space', { username: 'a b c' }],
    ['a short password', { password: '1234567' }],
    ['an address without a host', { email: 'nobody@' }],
    ['NUL in a name', { full_name: 'a\u0000b' }],
  ])('refuses %s with the error body of the auth routes', async (_, change) => {
    const input = { username: 'valid.name', email: 'valid@example.org', password: PASSWORD, ...change }
    const { body } = await service.guest().post('/api/v01/auth/register', input, 400)
    expect(body).toMatchObject({
      status: 'error',
      code: 'validation_failed',
      errors: [{ path: expect.any(String) }],
    })
    expect(body).not.toHaveProperty('success')
  })

  test('username or address in any case signs in; passwords keep their spaces', async () => {
    const guest = service.guest()
    const input = { username: 'Case', email: 'Case@Example.org', password: ' spaces around ' }
    await guest.post('/api/v01/auth/register', input, 201)
    for (const username of ['case', 'CASE', ' case@example.ORG '])
      await guest.post('/api/v01/auth/login', { username, password: input.password }, 200)
    await guest.post('/api/v01/auth/login', { username: 'case', password: input.password.trim() }, 401)
  })

  test('the current account is the same by bearer token and by cookie', async () => {
    const person = await service.person('mirror')
    const { body } = await person.get('/api/v01/auth/me', 200)
    expect(body).toEqual({
      status: 'success',
      data: {
        id: person.id,
        username: 'mirror',
        full_name: 'mirror',
        email: 'mirror@example.org',
        role: 'user',
        available_portals: ['user'],
        has_password: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
      },
    })
    await person.loginOnWeb('mirror')
    expect((await person.get('/api/v01/auth/me', 200)).body).toEqual(body)
  })

  test('no credentials, and a bad bearer token beside a good cookie, are 401', async () => {
    const none = await service.guest().get('/api/v01/auth/me', 401)
    expect(none.body).toEqual({
      status: 'error',
      code: 'authentication_required',
      message: 'Authentication required',
    })
    const person = await service.person()
    await person.loginOnWeb(person.username)
    person.accessToken = 'nonsense'
    const bad = await person.get('/api/v01/auth/me', 401)
    expect(bad.body).toMatchObject({ status: 'error', code: 'token_expired_or_invalid' })
    const elsewhere = await person.get('/api/v01/chat/unread', 401)
    expect(elsewhere.body).toMatchObject({
      status: 'error',
      success: false,
      code: 'token_expired_or_invalid',
    })
  })
})

describe('the administrators’ guard', () => {
  test('answers 401 without a token and 403 to others, and lets both roles of administrators pass', async () => {
    const path = '/api/v01/admin/users/counts'
    const none = await service.guest().get(path, 401)
    expect(none.body).toMatchObject({
      status: 'error',
      code: 'authentication_required',
      message: 'Authentication required',
    })
    const guest = service.guest()
    guest.accessToken = 'nonsense'
    const bad = await guest.get(path, 401)
    expect(bad.body).toMatchObject({
      status: 'error',
      code: 'token_expired_or_invalid',
      message: 'Authentication required',
    })
    const person = await service.person()
    const refused = await person.get(path, 403)
    expect(refused.body).toEqual({
      status: 'error',
      success: false,
      code: 'admin_required',
      message: 'Admin access required',
    })
    const admin = await service.admin()
    await admin.get(path, 200)
    await service.sql`update users set role = 'admin' where id = ${admin.id}`
    await admin.login(admin.username)
    await admin.get(path, 200)
    await admin.loginOnWeb(admin.username, { path: '/admin/login' })
    await admin.get(path, 200)
  })
})

describe('tokens', () => {
  const now = () => Math.floor(Date.now() / 1_000)
  function forge(header: object, payload: object, secret = SECRETS[0] as string, hash = 'sha256'): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const signed = `${encode(header)}.${encode(payload)}`
    return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
  }
  const header = { alg: 'HS256', typ: 'access+jwt' }
  const payload = (userId: number, sessionId: number) => ({
    sub: String(userId),
    role: 'user,admin',
    sid: sessionId,
    gen: 0,
    iss: 'exam-practice',
    aud: 'exam-practice:access',
    iat: now(),
    exp: now() + 600,
  })

  test('only a valid access token of this service is accepted as a bearer token; any other is 401, never 500', async () => {
    const person = await service.person()
    const [session] = await service.sql`select id from sessions where user_id = ${person.id}`
    const good = payload(person.id, session?.id)
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    const cookie = browser.cookie?.split('=')[1] as string
    const [, body = ''] = person.accessToken?.split('.') ?? []

    const forged = service.guest()
    forged.accessToken = forge(header, good)
    await forged.get('/api/v01/auth/me', 200)

    const tokens: Record<string, string> = {
      'a refresh token': person.refreshToken,
      'a web session’s': cookie,
      'alg none': `${Buffer.from('{"alg":"none","typ":"access+jwt"}').toString('base64url')}.${body}.`,
      'HS384 with the secret': forge({ ...header, alg: 'HS384' }, good, SECRETS[0], 'sha384'),
      'RS256 with the secret as key': forge({ ...header, alg: 'RS256' }, good),
      'a foreign secret': forge(header, good, 'another secret, also long enough to sign with'),
      'a foreign issuer': forge(header, { ...good, iss: 'somebody-else' }),
      'a foreign audience': forge(header, { ...good, aud: 'exam-practice:web' }),
      'no audience': forge(header, { ...good, aud: undefined }),
      'no expiry': forge(header, { ...good, exp: undefined }),
      'an expiry that is text': forge(header, { ...good, exp: 'tomorrow' }),
      expired: forge(header, { ...good, exp: now() - 1 }),
      'typ missing': forge({ alg: 'HS256' }, good),
      'typ of another kind': forge({ ...header, typ: 'web+jwt' }, good),
      'typ that is no text': forge({ ...header, typ: 7 }, good),
      'unknown critical header': forge({ ...header, crit: ['x'] }, good),
      'a payload that is no object': forge(header, ['x']),
      'no JWT at all': 'a.b.c',
      empty: '',
    }
    for (const [what, token] of Object.entries(tokens)) {
      forged.accessToken = token
      const answer = await forged.get('/api/v01/auth/me')
      expect([what, answer.status, answer.body.code]).toEqual([what, 401, 'token_expired_or_invalid'])
    }
  })

  test('an access token is no cookie, no refresh token and no ID token; a cookie is no refresh token', async () => {
    const person = await service.person()
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    const guest = service.guest()
    guest.cookie = `session=${person.accessToken}`
    await guest.get('/api/v01/auth/me', 401)
    guest.cookie = `session=${person.refreshToken}`
    await guest.get('/api/v01/auth/me', 401)
    guest.cookie = undefined
    for (const token of [person.accessToken, browser.cookie?.split('=')[1]] as string[]) {
      const { body } = await guest.post('/api/v01/auth/refresh', { refresh_token: token }, 401)
      expect(body).toMatchObject({ status: 'error', code: 'token_expired_or_invalid' })
      await guest.post('/api/v01/auth/logout', { refresh_token: token }, 200)
    }
    await person.get('/api/v01/auth/me', 200)
    await browser.get('/api/v01/auth/me', 200)
  })

  test('expire on time, by the service’s clock', async () => {
    let time = Date.now()
    const clocked = await withService({ clock: () => time })
    const person = await clocked.person()
    const browser = clocked.guest()
    await browser.loginOnWeb(person.username)
    time += 3_599_000
    await person.get('/api/v01/auth/me', 200)
    time += 2_000
    await person.get('/api/v01/auth/me', 401)
    await browser.get('/api/v01/auth/me', 200)
    time += 2 * 3_600_000
    await browser.get('/api/v01/auth/me', 401)
    await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 200)
    time += 30 * 24 * 3_600_000
    await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 401)
  })

  test('stay valid when the secret is rotated, until the old one is dropped', async () => {
    const [first, second] = SECRETS as [string, string]
    const person = await service.person()
    const at = async (jwtSecrets: string[], token?: string) => {
      const other = await withService({ config: { jwtSecrets } })
      // This database doesn't know the token's session, so only its signature counts.
      return (
        await other.guest().request('GET', '/api/v01/chat/unread', undefined, undefined, {
          authorization: `Bearer ${token}`,
        })
      ).status
    }
    expect(await at([second, first], person.accessToken)).toBe(200)
    expect(await at([second], person.accessToken)).toBe(401)
  })
})
