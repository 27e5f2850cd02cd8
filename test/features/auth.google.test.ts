import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD } from '../support/client.ts'
import { CLIENT_ID, type Provider, startProvider, withProvider } from '../support/outside/google.ts'
import { confirmReset, storeReset } from '../support/password-resets.ts'
import { sharedService, startService, type TestService, withService } from '../support/service.ts'

const PATH = '/api/v01/auth/google'

let provider: Provider
let service: TestService
beforeAll(async () => {
  provider = await startProvider()
  service = await startService({
    config: { googleClientIds: ['another-app', CLIENT_ID], googleCertsUrl: provider.certsUrl },
  })
})
afterAll(async () => {
  await service.close()
  await provider.close()
})

const signIn = (claims: Record<string, unknown>, status = 200) =>
  service.guest().post(PATH, { id_token: provider.sign(claims) }, status)

function stranger() {
  const name = `g${randomUUID().slice(0, 8)}`
  return { sub: randomUUID(), email: `${name}@example.org`, name: 'Grace Hopper', local: name }
}

describe('the identity provider’s login', () => {
  test('creates an account, and finds it later by its subject even if the address has changed', async () => {
    const { local, ...claims } = stranger()
    const { body } = await signIn(claims)
    expect(body).toEqual({
      status: 'success',
      data: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3_600,
        is_new_user: true,
        available_portals: ['user'],
        user: { id: expect.any(Number), username: local, full_name: 'Grace Hopper', role: 'user' },
      },
    })
    const again = await signIn({ ...claims, email: 'moved@example.org' })
    expect(again.body.data).toMatchObject({ is_new_user: false, user: { id: body.data.user.id } })
    const client = service.guest()
    client.accessToken = body.data.access_token
    expect((await client.get('/api/v01/auth/me', 200)).body.data.email).toBe(claims.email)
    expect(provider.fetches).toBeLessThanOrEqual(2)
  })

  test('takes a free username, whatever the address looks like', async () => {
    await service.person('popular')
    const taken = await signIn({ sub: randomUUID(), email: 'popular@elsewhere.example' })
    expect(taken.body.data.user.username).toMatch(/^popular\.\d{6}$/)
    const shouted = await signIn({ sub: randomUUID(), email: 'POPULAR@third.example' })
    expect(shouted.body.data.user.username).toMatch(/^POPULAR\.\d{6}$/)
    const odd = await signIn({ sub: randomUUID(), email: '+*@example.org', name: undefined })
    expect(odd.body.data.user.username).toMatch(/^user\.\d{6}$/)
    // Everybody can read the name, so it isn't the address.
    expect(odd.body.data.user.full_name).toBe(odd.body.data.user.username)
    const lines = await signIn({
      sub: randomUUID(),
      email: 'lines@example.org',
      name: 'Grace\r\nBcc: x\u2028\u0007y',
    })
    expect(lines.body.data.user.full_name).toBe('Grace Bcc: x y')
    const long = await signIn({ sub: randomUUID(), email: `${'x'.repeat(60)}@example.org` })
    expect(long.body.data.user.username).toBe('x'.repeat(24))
  })

  test('is given to one of the configured apps, and has the nonce that the page asked for', async () => {
    const { local: _, ...claims } = stranger()
    await signIn({ ...claims, azp: 'another-app', nonce: 'mine' })
    for (const [nonce, theirs, status] of [
      ['mine', 'mine', 200],
      ['mine', 'another', 401],
      ['mine', undefined, 401],
      ['mine', ['mine'], 401],
    ] as const) {
      const id_token = provider.sign({ ...claims, nonce: theirs })
      expect((await service.guest().post(PATH, { id_token, nonce })).status).toBe(status)
    }
  })

  test('creates one account for 20 first logins at once', async () => {
    const { local: _, ...claims } = stranger()
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(claims)))
    expect(new Set(answers.map(({ body }) => body.data.user.id)).size).toBe(1)
    expect(answers.filter(({ body }) => body.data.is_new_user)).toHaveLength(1)
  })

  test('links an account with a verified address, keeps its password and sessions, and voids mailed links', async () => {
    const person = await service.person()
    await service.sql`update users set email_verified = true where id = ${person.id}`
    const token = await storeReset(service, person.id, `${person.username}@example.org`)
    const { body } = await signIn({ sub: randomUUID(), email: `${person.username}@example.org` })
    expect(body.data.user.id).toBe(person.id)
    await person.get('/api/v01/auth/me', 200)
    await confirmReset(service, token, 400)
    await service.guest().login(person.username)
  })

  test('is unlinked by a password reset, so that whoever registered somebody else’s address can’t come back in', async () => {
    const { local: _, ...claims } = stranger()
    const { id } = (await signIn(claims)).body.data.user
    const address = `owner-of-${claims.email}`
    await service.sql`update users set email = ${address}, email_verified = false where id = ${id}`
    await confirmReset(service, await storeReset(service, id, address), 200)
    expect((await signIn(claims)).body.data).toMatchObject({
      is_new_user: true,
      user: { id: expect.not.toSatisfy((other: number) => other === id) },
    })
  })

  test('a first password is set soon after a sign-in, once; later ones need the one before', async () => {
    let now = Date.now()
    const config = { googleClientIds: [CLIENT_ID], googleCertsUrl: provider.certsUrl }
    const other = await withService({ config, clock: () => now })
    const { local, ...claims } = stranger()
    const enter = async () => {
      const { body } = await other.guest().post(PATH, { id_token: provider.sign(claims) }, 200)
      return Object.assign(other.guest(), { accessToken: body.data.access_token })
    }
    const person = await enter()
    expect((await person.get('/api/v01/auth/me', 200)).body.data.has_password).toBe(false)
    now += 601_000
    const late = await person.patch('/api/v01/account', { new_password: PASSWORD }, 403)
    expect(late.body.code).toBe('fresh_sign_in_required')
    await person.patch('/api/v01/account', { email: `new-${claims.email}` }, 403)
    const fresh = await enter()
    now += 599_000
    const set = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        fresh.patch('/api/v01/account', { new_password: `${PASSWORD} ${n}` }),
      ),
    )
    expect(set.filter(({ status }) => status === 200)).toHaveLength(1)
    const chosen = `${PASSWORD} ${set.findIndex(({ status }) => status === 200)}`
    await fresh.patch('/api/v01/account', { new_password: PASSWORD }, 400)
    await other.guest().login(local, chosen)
    expect((await fresh.get('/api/v01/auth/me', 200)).body.data.has_password).toBe(true)
    await fresh.patch('/api/v01/account', { new_password: PASSWORD, current_password: chosen }, 200)
  })

  test('refuses an address that is linked to another subject', async () => {
    const { local: _, ...claims } = stranger()
    await signIn(claims)
    for (const email of [claims.email, claims.email.toUpperCase()])
      expect((await signIn({ ...claims, email, sub: randomUUID() }, 409)).body.code).toBe('email_taken')
  })

  test.each<[string, Record<string, unknown>]>([
    ['a foreign audience', { aud: 'somebody-else' }],
    ['one that was given to a foreign app', { azp: 'somebody-else' }],
    ['one given to several apps', { azp: ['another-app'] }],
    ['no audience', { aud: undefined }],
    ['a foreign issuer', { iss: 'https://evil.example' }],
    ['an expired one', { iat: 1_600_000_000, exp: 1_600_003_600 }],
    ['one without an expiry', { exp: undefined }],
    [
      'one from the future',
      { iat: Math.floor(Date.now() / 1_000) + 3_600, exp: Math.floor(Date.now() / 1_000) + 7_000 },
    ],
    ['an unverified address', { email_verified: false }],
    ['an address that is only said to be verified', { email_verified: 'true' }],
    ['no address', { email: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is a number', { sub: 7 }],
    ['a subject that is an object', { sub: {} }],
    ['a subject that cannot be stored', { sub: 'a\u0000b' }],
    ['an empty subject', { sub: '' }],
    ['a long subject', { sub: 'x'.repeat(300) }],
    ['a number for an address', { email: 7 }],
    ['a list of addresses', { email: ['never@example.org'] }],
    ['several addresses in one', { email: 'never@example.org,victim@example.org' }],
    ['an address of another alphabet', { email: 'nev\u0130r@example.org' }],
    ['an address with a line end', { email: 'never@example.org\nBcc: x@example.org' }],
    ['a long address', { email: `${'x'.repeat(300)}@example.org` }],
  ])('refuses %s', async (_, claims) => {
    const { body } = await signIn({ sub: randomUUID(), email: 'never@example.org', ...claims }, 401)
    expect(body).toEqual({ status: 'error', code: 'invalid_id_token', message: expect.any(String) })
    const rows = await service.sql`select id from users where email = 'never@example.org'`
    expect(rows).toHaveLength(0)
  })

  test.each<[string, unknown]>([
    ['a number', 7],
    ['an object', {}],
    ['a list', ['x']],
    ['null', null],
    ['true', true],
    ['NUL', 'a\u0000b'],
    ['a lone surrogate', '\ud800'],
    ['nothing but blanks', ' \n '],
    ['very long', 'x'.repeat(2_000)],
  ])('takes somebody whose name is %s', async (_, name) => {
    const { local: __, ...claims } = stranger()
    const { body } = await signIn({ ...claims, name, locale: {}, picture: 7, hd: [] })
    expect(body.data.user.full_name).toMatch(/^.{1,200}$/u)
  })

  test('does not mistake an address with look-alike letters for another one', async () => {
    const victim = await service.person('kelvin.sign')
    for (const email of [
      '\u212Aelvin.sign@example.org',
      'kelv\u0131n.s\u0130gn@example.org',
      'KELVIN.\u017Fign@example.org',
    ])
      await signIn({ sub: randomUUID(), email }, 401)
    await victim.get('/api/v01/auth/me', 200)
    await service.guest().login(victim.username)
  })

  test('refuses a foreign key, an unknown key, alg none and text that is no token', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
    const person = await service.person()
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${provider.sign({}).split('.')[1]}.`
    const tokens = [
      provider.sign({}, {}, other),
      provider.sign({}, { kid: 'unknown' }),
      provider.sign({}, { kid: 'constructor' }),
      unsigned,
      'a.b.c',
      'x',
      person.accessToken,
    ]
    for (const id_token of tokens)
      expect((await service.guest().post(PATH, { id_token }, 401)).body.code).toBe('invalid_id_token')
  })

  test('keeps nobody of the same address waiting while the provider is silent, which is asked once', async () => {
    const silent = await withProvider()
    silent.silent = true
    const other = await withService({
      config: { googleClientIds: [CLIENT_ID], googleCertsUrl: silent.certsUrl, requestTimeoutMs: 4_000 },
    })
    const person = await other.person()
    const id_token = silent.sign({})
    const asked = Array.from({ length: 20 }, () => other.guest().post(PATH, { id_token }, 503))
    await expect.poll(() => silent.fetches).toBe(1)
    let areAnswered = false
    const answered = Promise.all(asked).then(() => {
      areAnswered = true
    })
    await other.guest().login(person.username)
    await other.guest().post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 200)
    expect(areAnswered).toBe(false)
    await answered
    // The library has tried again.
    expect(silent.fetches).toBeLessThanOrEqual(4)
  })

  test('reads keys as PEM too; is 503 while keys can’t be fetched, and where it is not configured', async () => {
    const pem = await withProvider({ format: 'pem' })
    const config = { googleClientIds: [CLIENT_ID], googleCertsUrl: pem.certsUrl }
    const { local: _, ...claims } = stranger()
    const id_token = pem.sign(claims)
    const other = await withService({ config })
    await other.guest().post(PATH, { id_token }, 200)

    const cut = await withService({ config: { ...config, googleCertsUrl: 'http://127.0.0.1:1/certs' } })
    const unavailable = await cut.guest().post(PATH, { id_token }, 503)
    expect(unavailable.body).toMatchObject({ status: 'error', code: 'unavailable' })
    expect(unavailable.headers.get('retry-after')).toBe('5')
    for (const text of ['a.b.c', 'no token'])
      expect((await cut.guest().post(PATH, { id_token: text }, 401)).body.code).toBe('invalid_id_token')

    const without = await sharedService()
    expect((await without.guest().post(PATH, { id_token }, 503)).body.code).toBe('not_configured')
  })
})
