import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Client, PASSWORD } from '../support/client.ts'
import { startService, type TestService, withService } from '../support/service.ts'
import { refusedUpgrade } from '../support/socket.ts'

const TRUSTED_ORIGIN = 'https://app.example.org'
const FOREIGN_ORIGIN = 'https://evil.example'

let service: TestService
beforeAll(async () => {
  service = await startService({ config: { corsOrigins: [TRUSTED_ORIGIN] } })
})
afterAll(() => service.close())

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }

function submit(client: Client, path: string, fields: Record<string, string>, headers = {}): Promise<Answer> {
  return client.request('POST', path, new URLSearchParams(fields).toString(), undefined, {
    ...FORM,
    ...headers,
  })
}

async function browser(username?: string): Promise<Client> {
  const client = service.guest()
  await client.loginOnWeb(username ?? (await service.person()).username)
  return client
}

describe('signing in on the web', () => {
  test('as JSON sets a cookie for three hours that scripts can’t read', async () => {
    const person = await service.person()
    const guest = service.guest()
    const answer = await guest.post('/login', { username: person.username, password: PASSWORD }, 200)
    expect(answer.body).toEqual({
      success: true,
      user: { id: person.id, username: person.username, full_name: person.username, role: 'user' },
      available_portals: ['user'],
      redirect_url: '/',
    })
    const [cookie = '', ...others] = answer.headers.getSetCookie()
    expect(others).toEqual([])
    expect(
      cookie
        .replace(/=[^;]+/, '=…')
        .split('; ')
        .sort(),
    ).toEqual(['HttpOnly', 'Max-Age=10800', 'Path=/', 'SameSite=Lax', 'session=…'])
  })

  test('sets a Secure cookie in production', async () => {
    const production = await withService({ config: { production: true } })
    const { username } = await production.person()
    const { headers } = await production.guest().post('/login', { username, password: PASSWORD }, 200)
    expect(headers.getSetCookie()[0]).toContain('; Secure')
  })

  test('as a form redirects to the start page, which shows the username', async () => {
    const person = await service.person()
    const guest = service.guest()
    const answer = await submit(guest, '/login', { username: person.username, password: PASSWORD })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    guest.cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
    for (const path of ['/', '/exam/17']) {
      const page = await guest.get(path, 200)
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      expect(page.body).toContain(person.username)
    }
  })

  test('with a wrong password shows the form again, with the reason and the username but not the password', async () => {
    const typed = '"><script>alert(1)</script>'
    const answer = await submit(service.guest(), '/login', { username: typed, password: 'hunter2hunter2' })
    expect(answer.status).toBe(401)
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(answer.body).toContain('Invalid credentials. 2 attempts remaining.')
    expect(answer.body).toContain('value="&quot;&gt;&lt;script&gt;')
    expect(answer.body).not.toContain('<script')
    expect(answer.body).not.toContain('hunter2')
    const missing = await submit(service.guest(), '/login', { username: 'x', password: '' })
    expect(missing.status).toBe(400)
    expect(missing.body).toContain('Password: is required')
  })

  test('at the administrators’ login is for administrators alone', async () => {
    const [person, admin] = [await service.person(), await service.admin()]
    const refused = await service
      .guest()
      .post('/admin/login', { username: person.username, password: PASSWORD }, 403)
    expect(refused.body).toMatchObject({ status: 'error', success: false, code: 'admin_required' })
    expect(refused.headers.getSetCookie()).toEqual([])
    const shown = await submit(service.guest(), '/admin/login', {
      username: person.username,
      password: PASSWORD,
    })
    expect(shown.status).toBe(403)
    expect(shown.body).toContain('Admin access required')
    const guest = service.guest()
    const { body } = await guest.loginOnWeb(admin.username, { path: '/admin/login' })
    expect(body).toMatchObject({ available_portals: ['user', 'admin'], redirect_url: '/admin' })
    expect((await guest.get('/admin', 200)).body).toContain(admin.username)
  })

  test('creating an account signs in', async () => {
    const guest = service.guest()
    const made = await guest.post(
      '/create_account',
      { username: 'web.one', email: 'web.one@example.org', password: PASSWORD },
      201,
    )
    expect(made.body).toMatchObject({ success: true, user: { username: 'web.one', full_name: 'web.one' } })
    guest.cookie = made.headers.getSetCookie()[0]?.split(';')[0]
    await guest.get('/api/v01/auth/me', 200)
    const fields = { username: 'web.two', email: 'web.two@example.org', full_name: '', password: PASSWORD }
    const form = await submit(service.guest(), '/create_account', fields)
    expect([form.status, form.headers.get('location')]).toEqual([303, '/'])
    const taken = await submit(service.guest(), '/create_account', fields)
    expect(taken.status).toBe(409)
    expect(taken.body).toContain('That username is taken')
    expect(taken.body).toContain('value="web.two@example.org"')
  })

  test('GET /logout asks; POST ends the session, clears the cookie and leads to /login', async () => {
    const client = await browser()
    const accept = { accept: 'text/html' }
    const asked = await client.request('GET', '/logout', undefined, 200, accept)
    expect(asked.body).toContain('<form method="post" action="/logout">')
    expect(asked.headers.getSetCookie()).toEqual([])
    const before = await client.get('/api/v01/auth/me', 200)
    expect(before.body.data.id).toBe(client.id)
    const answer = await client.request('POST', '/logout', undefined, 303, accept)
    expect(answer.headers.get('location')).toBe('/login')
    expect(answer.headers.getSetCookie()[0]).toMatch(/^session=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/)
    await expect.poll(async () => (await client.get('/api/v01/auth/me')).status).toBe(401)
    for (const method of ['GET', 'POST'])
      expect((await client.request(method, '/logout', undefined, 303, accept)).headers.get('location')).toBe(
        '/login',
      )
  })

  test('once the web session has ended, /logout leads to the desk where that goes on, and not to a sign-in', async () => {
    let now = Date.now()
    const other = await withService({ clock: () => now })
    const person = await other.person()
    const client = other.guest()
    await client.loginOnWeb(person.username)
    const given = await client.post('/api/v01/auth/exchange', {}, 200)
    const [desk = ''] = given.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
    now += 3 * 3_600_000 + 1
    client.cookie = `${client.cookie}; ${desk}`
    for (const method of ['GET', 'POST']) {
      const { headers } = await client.request(method, '/logout', undefined, 303, { accept: 'text/html' })
      expect([headers.get('location'), headers.getSetCookie()]).toEqual(['/desk/account', []])
    }
    // The desk has ended its own session by then.
    const { headers } = await client.post('/logout', {}, 200)
    expect(headers.getSetCookie().some((cookie) => cookie.startsWith('desk=;'))).toBe(true)
  })

  test.each([
    [{ publicUrl: 'https://exam.example.org' }, true],
    [{ publicUrl: 'http://exam.example.org' }, false],
    [{ production: true }, true],
    [{}, false],
  ])('cookies are Secure where browsers come by https: %o %s', async (config, isSecure) => {
    const other = await withService({ config })
    const person = await other.person()
    const { headers } = await other.guest().loginOnWeb(person.username)
    expect(/; Secure/.test(headers.getSetCookie()[0] ?? '')).toBe(isSecure)
  })

  test('a program signs out in JSON', async () => {
    const client = await browser()
    expect((await client.post('/logout', {}, 200)).body).toMatchObject({ success: true })
  })
})

describe('pages', () => {
  test.each(['/login', '/admin/login', '/create_account', '/forgot_password', '/reset_password'] as const)(
    '%s is a form that works without scripts',
    async (path) => {
      const { body, headers } = await service.guest().get(path, 200)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(body).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/)
      expect(body).toContain(`<form method="post" action="${path}">`)
      expect(body).not.toContain('<script')
      for (const [, id] of body.matchAll(/<label for="([^"]+)"/g)) expect(body).toContain(`<input id="${id}"`)
    },
  )

  test('redirect to the login without a session', async () => {
    const guest = service.guest()
    for (const [path, way] of [
      ['/', '/login'],
      ['/exam/17', '/login'],
      ['/admin', '/admin/login'],
      ['/admin/some/page', '/admin/login'],
    ]) {
      const { headers } = await guest.request('GET', path as string, undefined, 303, { accept: 'text/html' })
      expect(headers.get('location')).toBe(way)
    }
    const person = await browser()
    const { headers } = await person.request('GET', '/admin', undefined, 303, { accept: 'text/html' })
    expect(headers.get('location')).toBe('/admin/login')
    expect((await guest.get('/admin/some/page', 404)).body.code).toBe('not_found')
  })
})

describe('requests that another site makes a browser send', () => {
  const change = (client: Client, headers: Record<string, string>) =>
    client.request('PATCH', '/api/v01/account', { full_name: 'New' }, undefined, headers)

  test('are refused if the cookie would authorise them, and only then', async () => {
    const client = await browser()
    const own = client.url
    const cases: [Record<string, string>, number][] = [
      [{}, 200],
      [{ origin: own }, 200],
      [{ origin: own, 'sec-fetch-site': 'same-origin' }, 200],
      [{ origin: TRUSTED_ORIGIN, 'sec-fetch-site': 'cross-site' }, 200],
      [{ origin: FOREIGN_ORIGIN }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: `${own}.evil.example` }, 403],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'none' }, 200],
      ...[
        'Basic eDp5',
        'Bearer-x',
        'Bearer-x y',
        'Bearer,x',
        'Bearer=x',
        'Bearer.x',
        'Bearer/x',
        'x Bearer y',
      ].map((authorization): [Record<string, string>, number] => [
        { origin: FOREIGN_ORIGIN, authorization },
        403,
      ]),
    ]
    for (const [headers, status] of cases) {
      const answer = await change(client, headers)
      expect([headers, answer.status]).toEqual([headers, status])
      if (status === 403)
        expect(answer.body).toMatchObject({ status: 'error', success: false, code: 'cross_site_request' })
    }
    await client.request('GET', '/api/v01/auth/me', undefined, 200, { origin: FOREIGN_ORIGIN })
    const person = await service.person()
    expect((await change(person, { origin: FOREIGN_ORIGIN })).status).toBe(200)
  })

  test('can neither act for somebody nor sign them in as somebody else, as forms or text/plain', async () => {
    const client = await browser()
    const text = { 'content-type': 'text/plain', origin: FOREIGN_ORIGIN }
    const body = JSON.stringify({ confirm: 'DELETE' })
    expect((await client.request('POST', '/logout', body, undefined, text)).status).toBe(403)
    const person = await service.person()
    const fields = { username: person.username, password: PASSWORD }
    for (const path of ['/login', '/admin/login', '/create_account', '/logout']) {
      const answer = await submit(service.guest(), path, fields, { origin: FOREIGN_ORIGIN })
      expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 403, []])
    }
    for (const type of [
      'APPLICATION/X-WWW-FORM-URLENCODED',
      'Application/x-www-form-urlencoded;charset=UTF-8',
      ' application/x-www-form-urlencoded ',
      'multipart/form-data; boundary=b',
      'text/plain; application/json',
    ])
      for (const path of ['/login', '/create_account']) {
        const headers = { 'content-type': type, origin: FOREIGN_ORIGIN }
        const answer = await service
          .guest()
          .request('POST', path, new URLSearchParams(fields).toString(), 403, headers)
        expect([type, answer.headers.getSetCookie()]).toEqual([type, []])
      }
    const upper = { 'content-type': 'APPLICATION/X-WWW-FORM-URLENCODED', accept: 'text/html' }
    await service.guest().request('POST', '/login', new URLSearchParams(fields).toString(), 303, upper)
    const plain = { 'content-type': 'text/plain' }
    const refused = await service.guest().request('POST', '/login', JSON.stringify(fields), 415, plain)
    expect(refused.body.code).toBe('unsupported_media_type')
    const form = { 'content-type': FORM['content-type'] }
    await service
      .guest()
      .request('POST', '/api/v01/auth/login', new URLSearchParams(fields).toString(), 415, form)
    await client.get('/api/v01/auth/me', 200)
  })

  test('may be made from the trusted origins, with every method and the cookie', async () => {
    const preflight = (origin: string) =>
      service.guest().request('OPTIONS', '/api/v01/account', undefined, undefined, {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'content-type',
      })
    const { headers } = await preflight(TRUSTED_ORIGIN)
    expect(headers.get('access-control-allow-origin')).toBe(TRUSTED_ORIGIN)
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect(headers.get('access-control-allow-methods')).toMatch(/\bPATCH, DELETE\b/)
    expect((await preflight(FOREIGN_ORIGIN)).headers.get('access-control-allow-origin')).toBeNull()
    const read = await service.guest().request('GET', '/healthz', undefined, 200, { origin: TRUSTED_ORIGIN })
    const shown = read.headers.get('access-control-expose-headers')?.split(', ')
    expect(shown).toEqual(
      expect.arrayContaining(['etag', 'retry-after', 'x-left-out', 'content-disposition']),
    )
  })

  test('open no socket by cookie, except from the service’s own pages and trusted origins', async () => {
    const client = await browser()
    const headers = (origin?: string) => ({ cookie: client.cookie as string, ...(origin ? { origin } : {}) })
    for (const origin of [client.url, TRUSTED_ORIGIN]) {
      const socket = await client.socket({ headers: headers(origin) })
      expect(socket.of('ready')[0]?.user_id).toBe(client.id)
      await socket.close()
    }
    for (const origin of [FOREIGN_ORIGIN, 'null']) {
      const refused = await refusedUpgrade({ url: client.url, headers: headers(origin) })
      expect(refused).toMatchObject({ status: 403, body: { code: 'cross_site_request' } })
    }
    for (const nobody of [headers(), { cookie: 'session=x', origin: FOREIGN_ORIGIN }])
      expect(await refusedUpgrade({ url: client.url, headers: nobody })).toMatchObject({
        status: 401,
        body: { code: 'authentication_required' },
      })
    const wrongBearer = { ...headers(client.url), authorization: 'Bearer nonsense' }
    expect(await refusedUpgrade({ url: client.url, headers: wrongBearer })).toMatchObject({
      status: 401,
      body: { code: 'token_expired_or_invalid' },
    })
  })
})
