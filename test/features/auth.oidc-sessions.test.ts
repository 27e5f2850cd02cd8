import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { closeOtherDoors } from '../../src/features/auth/provider-only.service.ts'
import { PASSWORD } from '../support/client.ts'
import { type Issuer, makeSigner, startIssuer, withIssuer } from '../support/outside/issuer.ts'
import {
  Browser,
  codeBody,
  codeOf,
  signInByApp,
  somebody,
  withProvider,
} from '../support/provider-sign-in.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const HOUR_MS = 3_600_000

let issuer: Issuer
/** Two nodes, whose provider says who is an administrator. */
let service: TestService
let later = 0
const clock = () => Date.now() + later
beforeAll(async () => {
  issuer = await startIssuer()
  const admins = { claim: 'groups', value: 'teachers' }
  service = await startService({ nodes: 2, config: withProvider(issuer, { admins }), clock })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})
afterEach(() => {
  later = 0
})

const TEACHERS = { groups: ['staff', 'teachers'] }
const browser = (at = service, node = 0) => new Browser(at.guest(node))
const signInApp = (claims: Record<string, unknown>, at = service) => signInByApp(claims, at, issuer)

function logOut(token: string, status: number, node = 0) {
  return service
    .guest(node)
    .request('POST', '/auth/oidc/logout', new URLSearchParams({ logout_token: token }).toString(), status, {
      'content-type': 'application/x-www-form-urlencoded',
    })
}

const roleOf = async (id: number, at = service) =>
  (await at.sql`select role from users where id = ${id}`)[0]?.role

describe('a provider that says who is an administrator', () => {
  test('is believed at each sign-in', async () => {
    await service.admin()
    const claims = somebody()
    const teacher = await signInApp({ ...claims, ...TEACHERS })
    expect(await roleOf(teacher.id)).toBe('user,admin')
    await teacher.get('/api/v01/admin/users/counts', 200)
    const former = await signInApp({ ...claims, groups: 'students' })
    expect([former.id, await roleOf(former.id)]).toEqual([teacher.id, 'user'])
    await expect.poll(async () => (await teacher.get('/api/v01/admin/users/counts')).status).toBe(401)
    await signInApp({ ...claims, groups: 'teachers' })
    expect(await roleOf(teacher.id)).toBe('user,admin')
    const rows = await service.sql`
      select action, actor_id, summary from audit_entries where subject_id = ${teacher.id} order by id`
    expect(rows).toEqual(
      [
        ['user.create', 'Created as student and administrator, by the identity provider'],
        ['user.change_role', 'From student and administrator to student, by the identity provider'],
        ['user.change_role', 'From student to student and administrator, by the identity provider'],
      ].map(([action, summary]) => ({ action, actor_id: teacher.id, summary })),
    )
  })

  test('says so by a text or a member of a list, and by nothing within', async () => {
    const hostile = { toString: 'x', valueOf: 7 }
    const claims = somebody()
    for (const groups of [[['teachers']], { 0: 'teachers' }, hostile, [hostile], [null], null, [[hostile]]])
      expect(await roleOf((await signInApp({ ...claims, groups })).id), JSON.stringify(groups)).toBe('user')
    expect(await roleOf((await signInApp({ ...claims, groups: [hostile, 'teachers'] })).id)).toBe(
      'user,admin',
    )
    await service.admin()
    await signInApp(claims)
  })

  test('takes the role neither from accounts made at the command line nor from the last administrator', async () => {
    const alone = await withService({
      config: withProvider(issuer, { admins: { claim: 'groups', value: 'teachers' } }),
    })
    const claims = somebody()
    const last = await signInApp({ ...claims, ...TEACHERS }, alone)
    await signInApp(claims, alone)
    expect(await roleOf(last.id, alone)).toBe('user,admin')
    const operators = await alone.admin()
    await alone.sql`update users set by_operator = true, email_verified = true where id = ${operators.id}`
    await signInApp(somebody({ email: `${operators.username}@example.org` }), alone)
    expect(await roleOf(operators.id, alone)).toBe('user,admin')
    await alone.guest().login(operators.username)
    // Now there is another one.
    await signInApp(claims, alone)
    expect(await roleOf(last.id, alone)).toBe('user')
  })

  test('keeps one of two administrators who lose the role at once', async () => {
    const alone = await withService({
      nodes: 2,
      config: withProvider(issuer, { admins: { claim: 'groups', value: 'teachers' } }),
    })
    const two = [somebody(), somebody()]
    for (const claims of two) await signInApp({ ...claims, ...TEACHERS }, alone)
    await Promise.all(two.map((claims) => signInApp(claims, alone)))
    const [row] = await alone.sql`select count(*)::int from users where role <> 'user' and id > 0`
    expect(row?.count).toBe(1)
  })

  test('decides nothing where the operator doesn’t say so', async () => {
    const other = await withService({ config: withProvider(issuer) })
    const claims = somebody(TEACHERS)
    const { id } = await signInApp(claims, other)
    expect(await roleOf(id, other)).toBe('user')
    await other.sql`update users set role = 'admin' where id = ${id}`
    await signInApp(claims, other)
    expect(await roleOf(id, other)).toBe('admin')
  })
})

describe('a session that came by the provider', () => {
  test('ends after twelve hours, however often it is refreshed, and with it what its page got', async () => {
    const claims = somebody()
    const app = await signInApp(claims)
    const desk = browser()
    await desk.signIn(claims, issuer)
    const page = await desk.exchange()
    for (const hours of [2, 6, 11.5]) {
      later = hours * HOUR_MS
      for (const token of [app.refreshToken, page.refresh_token]) {
        const { body } = await app.post('/api/v01/auth/refresh', { refresh_token: token }, 200)
        expect(body.data.expires_in).toBeLessThanOrEqual(Math.min(3_600, (12 - hours) * 3_600))
        app.accessToken = body.data.access_token
      }
      await app.get('/api/v01/auth/me', 200)
    }
    const rotated = await app.post(
      '/api/v01/auth/refresh',
      { refresh_token: app.refreshToken, rotate: true },
      200,
    )
    later = 12 * HOUR_MS + 1_000
    await app.get('/api/v01/auth/me', 401)
    for (const token of [rotated.body.data.refresh_token ?? '', page.refresh_token])
      await app.post('/api/v01/auth/refresh', { refresh_token: token }, 401)
  })

  test('ends at the provider’s word on every node within a second: all of a person, or one session', async () => {
    const claims = somebody()
    const [sid, otherSid] = [randomUUID(), randomUUID()]
    const [one, other] = [browser(), browser()]
    await one.signIn({ ...claims, sid }, issuer)
    await other.signIn({ ...claims, sid: otherSid }, issuer)
    const page = await one.exchange()
    const app = await signInApp({ ...claims, sid: otherSid })
    const bystander = await signInApp(somebody({ sid: randomUUID() }))
    const me = (token: string, node: number) => {
      const client = service.guest(node)
      client.accessToken = token
      return async () => (await client.get('/api/v01/auth/me')).status
    }
    const [here, there] = [me(page.access_token, 0), me(page.access_token, 1)]
    expect([await here(), await there()]).toEqual([200, 200])
    await logOut(issuer.logoutToken({ sid }), 200)
    for (const isIn of [here, there]) await expect.poll(isIn, { timeout: 1_000 }).toBe(401)
    expect(await me(app.accessToken ?? '', 1)()).toBe(200)
    await other.exchange()
    await logOut(issuer.logoutToken({ sub: claims.sub }), 200, 1)
    for (const node of [0, 1])
      await expect.poll(me(app.accessToken ?? '', node), { timeout: 1_000 }).toBe(401)
    await other.exchange(401)
    expect(await me(bystander.accessToken ?? '', 0)()).toBe(200)
    // Once more changes nothing.
    await logOut(issuer.logoutToken({ sub: claims.sub }), 200)
  })

  test('doesn’t end by a logout token that isn’t one', async () => {
    const claims = somebody({ sid: randomUUID() })
    const app = await signInApp(claims)
    const { sub, sid } = claims as { sub: string; sid?: string }
    const foreign = makeSigner()
    const wrong = {
      'an ID token': issuer.idToken({ sub, nonce: 'x' }),
      'one with a nonce': issuer.logoutToken({ sub, nonce: 'x' }),
      'one without the event': issuer.logoutToken({ sub, events: {} }),
      'one whose event is a text': issuer.logoutToken({
        sub,
        events: { 'http://schemas.openid.net/event/backchannel-logout': 'yes' },
      }),
      'one for somebody else': issuer.logoutToken({ sub, aud: 'somebody-else' }),
      'one of another issuer': issuer.logoutToken({ sub, iss: 'https://evil.example' }),
      'one that has expired': issuer.logoutToken({ sub, iat: 1_600_000_000, exp: 1_600_000_100 }),
      'an old one without an end': issuer.logoutToken({ sub, iat: 1_600_000_000, exp: undefined }),
      'one that is not signed': issuer.logoutToken({ sub }, { alg: 'none' }),
      'one of an unknown key': issuer.logoutToken({ sub }, { kid: foreign.kid }),
      'one that names nobody': issuer.logoutToken({}),
      none: 'x',
    }
    for (const [name, token] of Object.entries(wrong)) {
      const { body } = await logOut(token, 400)
      expect(body, name).toMatchObject({ success: false, code: 'invalid_request' })
    }
    await logOut(issuer.logoutToken({ sid: randomUUID() }), 200)
    await logOut(issuer.logoutToken({ sub: randomUUID(), sid }), 200)
    await app.get('/api/v01/auth/me', 200)
  })

  test('leads to the provider’s page for signing out', async () => {
    const ada = browser()
    await ada.signIn(somebody(), issuer)
    const cookie = `session=${ada.cookies.get('session')}`
    const headers = { cookie, accept: 'application/json' }
    const { body } = await ada.client.request('POST', '/logout', {}, 200, headers)
    const address = new URL((body as { redirect_url: string }).redirect_url)
    expect(address.href).toMatch(`${issuer.url}/leave?`)
    expect(address.searchParams.get('post_logout_redirect_uri')).toBe(`${service.urls[0]}/login`)
    await ada.exchange(401)
    const person = await service.person()
    const local = service.guest()
    await local.loginOnWeb(person.username)
    const plain = await local.request('POST', '/logout', {}, 200, { accept: 'application/json' })
    expect(plain.body).toEqual({ success: true, message: 'Signed out' })
    // Where the cookie's session has ended before the desk's.
    const desk = await service
      .guest()
      .request('POST', '/logout', {}, 200, { ...headers, cookie: 'desk=provider' })
    expect(desk.body).toHaveProperty('redirect_url')
  })
})

describe('a provider', () => {
  test('that is away keeps nobody from starting the service, and is asked again', async () => {
    const own = await withIssuer()
    own.status = 503
    const waiting = await withService({ config: withProvider(own) })
    const down = async () => {
      const page = await browser(waiting).get('/auth/oidc/start')
      expect([page.status, codeOf(page)]).toEqual([503, 'identity_provider_down'])
      expect(page.headers.get('retry-after')).toBe('5')
      const { body } = await waiting.guest().post('/api/v01/auth/oidc', codeBody(somebody(), own), 503)
      expect(body.code).toBe('identity_provider_down')
    }
    await down()
    // Its own people come in as ever.
    await waiting.person()
    own.status = 302
    await down()
    expect(own.seen.map(({ path }) => path)).not.toContain('/elsewhere')
    own.status = undefined
    expect((await browser(waiting).signIn(somebody(), own)).status).toBe(302)
    own.metadata.issuer = 'https://evil.example'
    const wrong = await withService({ config: withProvider(own) })
    expect((await browser(wrong).get('/auth/oidc/start')).status).toBe(503)
  })

  test('that sends browsers or us where others read along is none', async () => {
    for (const name of ['authorization_endpoint', 'token_endpoint', 'end_session_endpoint', 'jwks_uri']) {
      const own = await withIssuer()
      const other = await withService({ config: withProvider(own) })
      own.metadata[name] = 'http://192.0.2.1/x'
      const { status } = await other.guest().post('/api/v01/auth/oidc', codeBody(somebody(), own))
      expect(status, name).toBe(503)
    }
  })

  test('that hangs is given ten seconds', async () => {
    const own = await withIssuer()
    const hanging = await withService({ config: withProvider(own) })
    const ada = browser(hanging)
    const { state, nonce } = await ada.start()
    own.silent = true
    const begun = performance.now()
    const page = await ada.back({ state, code: own.giveCode(own.idToken({ nonce, ...somebody() })) })
    expect([page.status, codeOf(page)]).toEqual([503, 'identity_provider_down'])
    expect(performance.now() - begun).toBeGreaterThan(9_000)
    expect(performance.now() - begun).toBeLessThan(14_000)
  })

  test('that replaces its keys is believed after a minute', async () => {
    const own = await withIssuer()
    const rotating = await withService({ config: withProvider(own), clock })
    const sub = (await signInByApp(somebody({ sub: 'one' }), rotating, own)) && 'one'
    own.signer = makeSigner()
    own.published = [own.signer]
    await rotating.guest().post('/api/v01/auth/oidc', codeBody({ sub }, own), 401)
    later = 61_000
    await signInByApp({ sub }, rotating, own)
    // Under the same name too.
    own.signer = { ...makeSigner(), kid: own.signer.kid }
    own.published = [own.signer]
    later = 122_000
    await signInByApp({ sub }, rotating, own)
  })
})

describe('the provider alone', () => {
  test('closes all other doors, but for accounts made at the command line', async () => {
    const only = await withService({ config: { ...withProvider(issuer, { only: true }), demo: true } })
    const other = await withService({ database: { url: only.databaseUrl, drop: async () => {} } })
    const [person, operators] = [await other.person(), await other.admin()]
    await other.sql`update users set by_operator = true where id = ${operators.id}`
    const email = `${person.username}@example.org`
    const guest = only.guest()
    const closed = async (path: string, body: object, status = 403) => {
      const answer = await guest.request('POST', path, body, status)
      expect((answer.body as { code: string }).code, path).toBe('oidc_only')
    }
    const credentials = { username: person.username, password: PASSWORD }
    await closed('/api/v01/auth/login', credentials)
    await closed('/api/v01/auth/login', { username: 'nobody', password: PASSWORD })
    await closed('/api/auth/login', credentials)
    await closed('/login', credentials)
    await closed('/admin/login', credentials)
    const fresh = { username: 'newcomer', email: 'newcomer@example.org', password: PASSWORD }
    await closed('/api/v01/auth/register', fresh)
    await closed('/create_account', fresh)
    await closed('/api/v01/auth/google', { id_token: 'x' })
    for (const address of [email, 'nobody@example.org', `${operators.username}@example.org`])
      await closed('/api/v01/account/password-reset', { email: address })
    await closed('/api/v01/account/password-reset/confirm', { token: 'x', new_password: PASSWORD })
    await closed('/forgot_password', { email })

    await only.guest().login(operators.username)
    await guest.post('/api/v01/auth/login', { username: operators.username, password: 'wrong one' }, 401)
    const ada = await signInByApp(somebody(), only, issuer)
    const change = { new_password: 'another password' }
    expect((await ada.patch('/api/v01/account', change, 403)).body.code).toBe('oidc_only')

    const page = String((await guest.get('/login')).body)
    expect(page).toContain('Sign in with Example School')
    expect(page).not.toContain('/create_account')
    expect(page).not.toContain('/forgot_password')
    expect(page).not.toContain('Just looking?')
  })

  test('ends other people’s older sessions at the start, and needs an administrator of the operator’s', async () => {
    const before = await withService({ config: withProvider(issuer) })
    const [person, operators, ada] = [
      await before.person(),
      await before.admin(),
      await signInByApp(somebody(), before, issuer),
    ]
    const [node] = before.nodes
    if (!node) throw new Error('there is no node')
    const core = { ...node.core, config: { ...node.core.config, ...withProvider(issuer, { only: true }) } }
    await expect(closeOtherDoors(core)).rejects.toThrow('OIDC_ONLY: needs an administrator')
    await person.get('/api/v01/auth/me', 200)
    await before.sql`update users set by_operator = true where id = ${operators.id}`
    await closeOtherDoors(core)
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 401)
    for (const stays of [operators, ada]) await stays.get('/api/v01/auth/me', 200)
  })
})
