import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type Issuer,
  makeSigner,
  startIssuer,
  withIssuer,
} from '../support/outside/issuer.ts'
import { confirmReset, storeReset } from '../support/password-resets.ts'
import {
  APP,
  Browser,
  codeBody,
  codeOf,
  signInByApp,
  somebody,
  withProvider,
} from '../support/provider-sign-in.ts'
import { sharedService, startService, type TestService, withService } from '../support/service.ts'

let issuer: Issuer
let service: TestService
let later = 0
beforeAll(async () => {
  issuer = await startIssuer()
  service = await startService({ config: withProvider(issuer), clock: () => Date.now() + later })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})
afterEach(() => {
  later = 0
})

const browser = (at = service, node = 0) => new Browser(at.guest(node))
const appBody = (claims: Record<string, unknown>, by = issuer) => codeBody(claims, by)
const signInApp = (claims: Record<string, unknown>, at = service, by = issuer) => signInByApp(claims, at, by)

describe('a browser’s sign-in', () => {
  test('asks with PKCE, state and nonce, and comes back with a session', async () => {
    const ada = browser()
    const { asked } = await ada.start('/desk/exams/3?tab=a')
    expect(asked.href).toMatch(`${issuer.url}/authorize?tenant=one&`)
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      tenant: 'one',
      client_id: CLIENT_ID,
      response_type: 'code',
      redirect_uri: `${service.urls[0]}/auth/oidc/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const [state, nonce] = [asked.searchParams.get('state') ?? '', asked.searchParams.get('nonce')]
    const claims = somebody({ preferred_username: 'ada.byron' })
    issuer.seen = []
    const back = await ada.back({ state, code: issuer.giveCode(issuer.idToken({ nonce, ...claims })) })
    expect([back.status, back.headers.get('location')]).toEqual([302, '/desk/exams/3?tab=a'])
    expect(back.headers.getSetCookie().map((each) => each.split('=', 1)[0])).toEqual([
      `oidc_${state}`,
      'session',
    ])
    const token = issuer.seen.find(({ path }) => path === '/token')
    expect(token?.body.get('code_verifier')).toMatch(/^[\w-]{43}$/)
    expect(Buffer.from(token?.authorization?.slice(6) ?? '', 'base64').toString()).toBe(
      `${CLIENT_ID}:${new URLSearchParams({ s: CLIENT_SECRET }).toString().slice(2)}`,
    )
    const { user } = await ada.exchange()
    expect(user).toMatchObject({ username: 'ada.byron', full_name: 'Ada Byron', role: 'user' })
  })

  test('names itself by characters as they are where they need no encoding', async () => {
    const [clientId, clientSecret] = ['exam-practice', 'a-s.e_c~ret']
    const school = await withService({ config: withProvider(issuer, { clientId, clientSecret }) })
    issuer.seen = []
    await signInApp(somebody({ aud: clientId }), school)
    const { authorization } = issuer.seen.find(({ path }) => path === '/token') ?? {}
    expect(authorization).toBe(`Basic ${btoa(`${clientId}:${clientSecret}`)}`)
  })

  test('keeps what it was begun with in a signed cookie of its own for ten minutes', async () => {
    const { headers } = await service.guest().get('/auth/oidc/start', 302)
    const [cookie = ''] = headers.getSetCookie()
    expect(
      cookie
        .replace(/^oidc_[\w-]{43}=[^;]+/, 'oidc')
        .split('; ')
        .sort(),
    ).toEqual(['HttpOnly', 'Max-Age=600', 'Path=/auth/oidc', 'SameSite=Lax', 'oidc'])
    const secure = await withService({
      config: { ...withProvider(issuer), publicUrl: 'https://exams.example.org' },
    })
    const begun = await secure.guest().get('/auth/oidc/start', 302)
    expect(begun.headers.getSetCookie()[0]).toContain('; Secure')
    expect(begun.headers.get('location')).toContain('exams.example.org%2Fauth%2Foidc%2Fcallback')
  })

  test('goes on to pages of this service alone', async () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '/.//evil.example/',
      '/x/..//evil.example/',
      '/%2e//evil.example/',
      'desk',
      `/${'x'.repeat(600)}`,
      `/${'題'.repeat(100)}`,
    ]) {
      const { headers } = await browser().signIn(somebody(), issuer, next)
      expect(headers.get('location'), next).toBe('/')
    }
    const several = browser()
    await several.get('/auth/oidc/start?next=/a&next=/b')
    expect(several.cookies.size).toBe(1)
  })

  test('doesn’t disturb another tab’s, and leaves room for ten', async () => {
    const ada = browser()
    const [one, two] = [await ada.start('/desk/one'), await ada.start('/desk/two')]
    for (const [{ state, nonce }, next] of [
      [two, '/desk/two'],
      [one, '/desk/one'],
    ] as const) {
      const code = issuer.giveCode(issuer.idToken({ nonce, ...somebody() }))
      expect((await ada.back({ state, code })).headers.get('location')).toBe(next)
    }
    for (let tab = 0; tab < 15; tab++) await ada.start()
    expect([...ada.cookies.keys()].filter((name) => name.startsWith('oidc_'))).toHaveLength(10)
  })

  test('begins whatever else a browser has for cookies', async () => {
    const cookie = Array.from({ length: 12 }, (_, at) => `oidc_a b${at}=1`).join('; ')
    const { headers } = await service.guest().request('GET', '/auth/oidc/start', undefined, 302, { cookie })
    expect(headers.getSetCookie()).toHaveLength(1)
  })

  test('goes on at another node, and is over after ten minutes', async () => {
    const two = await withService({ nodes: 2, config: withProvider(issuer), clock: () => Date.now() + later })
    const ada = browser(two)
    const { state, nonce } = await ada.start()
    const elsewhere = browser(two, 1)
    for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value)
    const code = issuer.giveCode(issuer.idToken({ nonce, ...somebody() }))
    expect((await elsewhere.back({ state, code })).status).toBe(302)
    later = 601_000
    expect(codeOf(await ada.back({ state, code }))).toBe('oidc_state')
  })

  test('is refused with one sentence and a code, whatever the provider says', async () => {
    const ada = browser()
    const other = browser()
    const foreign = await other.start()
    const code = () => issuer.giveCode(issuer.idToken({ ...somebody() }))
    const secret = 'the provider’s own words'
    const begin = async () => (await ada.start()).state
    const cases: [string, Record<string, string>, code: string, status: number][] = [
      ['somebody else’s state', { state: foreign.state, code: code() }, 'oidc_state', 400],
      ['no state', { code: code() }, 'oidc_state', 400],
      [
        'a refusal',
        { state: await begin(), error: 'access_denied', error_description: secret },
        'oidc_denied',
        403,
      ],
      [
        'a failure',
        { state: await begin(), error: 'server_error', error_description: secret },
        'oidc_failed',
        401,
      ],
      ['nothing', { state: await begin() }, 'oidc_failed', 401],
      ['an unknown code', { state: await begin(), code: 'x' }, 'oidc_failed', 401],
      [
        'another issuer’s name',
        { state: await begin(), code: code(), iss: 'https://evil.example' },
        'oidc_failed',
        401,
      ],
    ]
    for (const [name, query, expected, status] of cases) {
      const page = await ada.back(query)
      expect([page.status, codeOf(page)], name).toEqual([status, expected])
      expect(page.body, name).toContain('Sign in with Example School')
      expect(page.body, name).not.toContain(secret)
    }
    expect(ada.cookies.has('session')).toBe(false)
    const program = await ada.get('/auth/oidc/callback', { accept: 'application/json' })
    expect(program.body).toMatchObject({ success: false, code: 'oidc_state' })
  })

  test('is over once it has come back: the same answer again is nobody’s', async () => {
    const ada = browser()
    const { state, nonce } = await ada.start()
    const kept = new Map(ada.cookies)
    const code = issuer.giveCode(issuer.idToken({ nonce, ...somebody() }))
    expect((await ada.back({ state, code })).status).toBe(302)
    expect(codeOf(await ada.back({ state, code }))).toBe('oidc_state')
    // Not even for whoever has copied the cookie: the provider takes a code once.
    for (const [name, value] of kept) ada.cookies.set(name, value)
    expect(codeOf(await ada.back({ state, code }))).toBe('oidc_failed')
  })

  test('has a button on the sign-in page, which remembers where one wanted to go', async () => {
    const ada = browser()
    const page = await ada.get('/login?next=/desk/exams/3')
    expect(page.body).toContain(
      'href="/auth/oidc/start?next=%2Fdesk%2Fexams%2F3">Sign in with Example School<',
    )
    const plain = await sharedService()
    expect((await plain.guest().get('/login')).body).not.toContain('/auth/oidc')
    const off = await plain.guest().get('/auth/oidc/start')
    expect([off.status, codeOf(off)]).toEqual([503, 'not_configured'])
  })
})

describe('a wrong ID token', () => {
  const other = makeSigner()
  const publicKey = () => issuer.signer.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const cases: [string, (claims: Record<string, unknown>) => string][] = [
    ['of another audience', (claims) => issuer.idToken({ ...claims, aud: 'somebody-else' })],
    [
      'of several audiences for another party',
      (claims) => issuer.idToken({ ...claims, aud: [CLIENT_ID, 'b'], azp: 'b' }),
    ],
    ['given to another party', (claims) => issuer.idToken({ ...claims, azp: 'b' })],
    ['of another issuer', (claims) => issuer.idToken({ ...claims, iss: 'https://evil.example' })],
    ['that is not signed', (claims) => issuer.idToken(claims, { alg: 'none' })],
    [
      'signed with the public key as a secret',
      (claims) => forge(issuer.idToken(claims, { alg: 'HS256' }), publicKey()),
    ],
    [
      'signed with the client’s secret',
      (claims) => forge(issuer.idToken(claims, { alg: 'HS256' }), CLIENT_SECRET),
    ],
    ['of an unknown key', (claims) => issuer.idToken(claims, { kid: other.kid }, other.privateKey)],
    ['of another key under a known name', (claims) => issuer.idToken(claims, {}, other.privateKey)],
    ['that has expired', (claims) => issuer.idToken({ ...claims, iat: 1_600_000_000, exp: 1_600_003_600 })],
    ['without an end', (claims) => issuer.idToken({ ...claims, exp: undefined })],
    ['with somebody else’s nonce', (claims) => issuer.idToken({ ...claims, nonce: randomUUID() })],
    ['without a nonce', (claims) => issuer.idToken({ ...claims, nonce: undefined })],
    ['without a subject', (claims) => issuer.idToken({ ...claims, sub: undefined })],
    ['with a subject that can’t be stored', (claims) => issuer.idToken({ ...claims, sub: 'a\u0000b' })],
    [
      'whose content was changed',
      (claims) => swapContent(issuer.idToken(claims), issuer.idToken({ ...claims, sub: 'admin' })),
    ],
    ['that is none', () => 'x.y.z'],
  ]

  test.each(cases)('%s is refused, and makes nothing', async (_name, make) => {
    const claims = somebody()
    const before = await service.sql`select count(*) from users`
    const ada = browser()
    const { state, nonce } = await ada.start()
    const page = await ada.back({ state, code: issuer.giveCode(make({ nonce, ...claims })) })
    expect([page.status, codeOf(page)]).toEqual([401, 'oidc_failed'])
    const body = appBody({})
    const forApp = { ...body, code: issuer.giveCode(make({ ...claims, nonce: body.nonce })) }
    const refused = await service.guest().post('/api/v01/auth/oidc', forApp, 401)
    expect(refused.body).toMatchObject({ status: 'error', code: 'oidc_failed' })
    expect(await service.sql`select count(*) from users`).toEqual(before)
  })

  function forge(token: string, secret: string): string {
    const signed = token.slice(0, token.lastIndexOf('.'))
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }

  function swapContent(token: string, other: string): string {
    const [header, , signature] = token.split('.')
    return [header, other.split('.')[1], signature].join('.')
  }
})

describe('an app’s sign-in', () => {
  test('answers tokens as a login does', async () => {
    const body = appBody(somebody())
    const { body: answer } = await service.guest().post('/api/v01/auth/oidc', body, 200)
    expect(answer).toEqual({
      status: 'success',
      data: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3_600,
        available_portals: ['user'],
        user: { id: expect.any(Number), username: expect.any(String), full_name: 'Ada Byron', role: 'user' },
      },
    })
    const asked = issuer.seen.findLast(({ path }) => path === '/token')?.body
    expect([asked?.get('redirect_uri'), asked?.get('code_verifier')]).toEqual([APP, body.code_verifier])
    await service.guest().post('/api/v01/auth/oidc', body, 401)
  })

  test('needs an address of the operator’s list', async () => {
    const body = { ...appBody(somebody()), redirect_uri: 'org.evil.app:/back' }
    const { body: refused } = await service.guest().post('/api/v01/auth/oidc', body, 400)
    expect(refused).toMatchObject({ code: 'validation_failed', errors: [{ path: '/redirect_uri' }] })
    await service.guest().post('/api/v01/auth/oidc', { code: 'x' } as never, 400)
  })
})

describe('whose account it is', () => {
  test('a new one, under a name that fits and is free', async () => {
    await service.person('popular')
    const names: [claims: object, username: RegExp, fullName: RegExp][] = [
      [{ preferred_username: 'popular' }, /^popular\.\d{6}$/, /^Ada Byron$/],
      [{ preferred_username: 'Jane.Doe@school.example' }, /^Jane\.Doe$/, /^Ada Byron$/],
      [{ preferred_username: '愛 ☃', name: ' \n ' }, /^user\.\d{6}$/, /^user\.\d{6}$/],
      [{ email: 'kim@school.example', name: undefined }, /^kim$/, /^kim$/],
    ]
    for (const [claims, username, fullName] of names) {
      const client = await signInApp(somebody(claims as Record<string, unknown>))
      const { data } = (await client.get('/api/v01/auth/me', 200)).body
      expect(data.username).toMatch(username)
      expect(data.full_name).toMatch(fullName)
    }
  })

  test('the same one later, even if the address has changed or is gone', async () => {
    const claims = somebody()
    const { id } = await signInApp(claims)
    expect((await signInApp({ ...claims, email: 'moved@example.org' })).id).toBe(id)
    expect((await signInApp({ ...claims, email: undefined, email_verified: undefined })).id).toBe(id)
  })

  test('one for 20 first sign-ins at once', async () => {
    const claims = somebody()
    const people = await Promise.all(Array.from({ length: 20 }, () => signInApp(claims)))
    expect(new Set(people.map(({ id }) => id)).size).toBe(1)
    const made = await service.sql`
      select summary from audit_entries where action = 'user.create' and subject_id = ${people[0]?.id ?? 0}`
    expect(made).toEqual([{ summary: 'Created as student, by the identity provider' }])
  })

  test('the one with a confirmed address, which keeps its password and sessions, not its mailed links', async () => {
    const person = await service.person()
    await service.sql`update users set email_verified = true where id = ${person.id}`
    const token = await storeReset(service, person.id, `${person.username}@example.org`)
    const signedIn = await signInApp(somebody({ email: `${person.username}@EXAMPLE.org` }))
    expect(signedIn.id).toBe(person.id)
    await person.get('/api/v01/auth/me', 200)
    await confirmReset(service, token, 400)
    await service.guest().login(person.username)
  })

  test('nobody’s who was just signing in when another one proved its address', async () => {
    const squatter = somebody()
    const { id } = await signInApp(squatter)
    const owner = somebody()
    await service.sql`update users set email = ${owner.email}, email_verified = false where id = ${id}`
    const token = await storeReset(service, id, owner.email)
    const asked: Promise<{ status: number }>[] = []
    await service.sql.begin(async (tx) => {
      await tx`select id from users where id = ${id} for update`
      asked.push(service.guest().request('POST', '/confirm_address', { token }))
      await expect.poll(service.lockWaits).toHaveLength(1)
      asked.push(service.guest().post('/api/v01/auth/oidc', appBody(squatter)))
      await expect.poll(service.lockWaits).toHaveLength(2)
    })
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 401])
    expect((await signInApp(owner)).id).toBe(id)
    expect((await signInApp(squatter)).id).not.toBe(id)
  })

  test('nobody’s while the address is not verified', async () => {
    const person = await service.person()
    const email = `${person.username}@example.org`
    for (const claims of [
      { email, email_verified: false },
      { email, email_verified: 'true' },
      { email, email_verified: undefined },
      { email: undefined },
      { email: 'a@example.org,b@example.org' },
      { email: 7 },
    ]) {
      const refused = await service.guest().post('/api/v01/auth/oidc', appBody(somebody(claims)), 403)
      expect(refused.body.code).toBe('email_unverified')
      const page = await browser().signIn(somebody(claims), issuer)
      expect([page.status, codeOf(page)]).toEqual([403, 'email_unverified'])
    }
    expect(await service.sql`select 1 from identities where user_id = ${person.id}`).toEqual([])
  })

  test('nobody’s any more after its deletion: the next sign-in begins anew', async () => {
    const claims = somebody()
    const first = await signInApp(claims)
    await first.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    expect((await signInApp(claims)).id).not.toBe(first.id)
    expect(await service.sql`select 1 from identities where user_id = ${first.id}`).toEqual([])
  })

  test('of a listed domain, where the provider doesn’t say whether addresses are verified', async () => {
    const school = await withService({ config: withProvider(issuer, { emailDomains: ['school.example'] }) })
    const email = `kim.${randomUUID()}@School.example`
    await signInApp(somebody({ email, email_verified: undefined }), school)
    for (const claims of [
      { email: `a.${email}`, email_verified: false },
      { email: 'b@notschool.example', email_verified: undefined },
    ])
      await school.guest().post('/api/v01/auth/oidc', appBody(somebody(claims)), 403)
  })

  test('by what the provider says beside the ID token, of the same person', async () => {
    const own = await withIssuer()
    own.metadata.userinfo_endpoint = `${own.url}/userinfo`
    const school = await withService({ config: withProvider(own) })
    const { sub, ...said } = somebody()
    own.userInfo = { sub, ...said }
    const ada = await signInApp({ sub }, school, own)
    expect((await ada.get('/api/v01/auth/me', 200)).body.data).toMatchObject({ email: said.email })
    own.userInfo = { ...said, sub: randomUUID() }
    await school.guest().post('/api/v01/auth/oidc', appBody({ sub }, own), 401)
    // What is said of one address says nothing of another one.
    const person = somebody()
    own.userInfo = { sub: person.sub, email: person.email, email_verified: true }
    const mixed = { sub: person.sub, email: 'victim@example.org' }
    await school.guest().post('/api/v01/auth/oidc', appBody(mixed, own), 403)
  })
})
