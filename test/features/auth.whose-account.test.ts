import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import {
  CLIENT_ID as GOOGLE_ID,
  type Provider as Google,
  startProvider as startGoogle,
} from '../support/outside/google.ts'
import { type Issuer, startIssuer } from '../support/outside/issuer.ts'
import { confirmReset, mailedTokens, mailsTo, storeReset } from '../support/password-resets.ts'
import {
  Browser,
  codeBody,
  codeOf,
  signInByApp,
  somebody,
  withProvider,
} from '../support/provider-sign-in.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const QUESTION = '/auth/oidc/account'
const RESET = '/api/v01/account/password-reset'

let issuer: Issuer
let google: Google
let service: TestService
let admin: Client
let later = 0
beforeAll(async () => {
  issuer = await startIssuer()
  google = await startGoogle()
  service = await startService({
    nodes: 2,
    config: { ...withProvider(issuer), googleClientIds: [GOOGLE_ID], googleCertsUrl: google.certsUrl },
    clock: () => Date.now() + later,
  })
  admin = await service.admin()
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await google.close()
})
afterEach(() => {
  later = 0
})

const emailOf = ({ username }: { username: string }) => `${username}@example.org`
const signIn = (claims: Record<string, unknown>) => signInByApp(claims, service, issuer)
/** An app's sign-in with an answer to the question. */
const answer = (claims: Record<string, unknown>, said: object, status?: number, node = 0) =>
  service.guest(node).post('/api/v01/auth/oidc', { ...codeBody(claims, issuer), ...said }, status as 200)
const refusalOf = ({ body }: { body: unknown }) => (body as { code?: string }).code
const byGoogle = (claims: Record<string, unknown>, said: object, status: number) =>
  service.guest().post('/api/v01/auth/google', { id_token: google.sign(claims), ...said }, status as 200)
async function rowOf(id: number) {
  const [row] = await service.sql`select email, email_verified from users where id = ${id}`
  return row as { email: string; email_verified: boolean }
}
/** Who contested the address of an account, by the audit log. */
const contestsOf = (id: number) => service.sql`
  select actor_id from audit_entries
   where action = 'user.contest_address' and subject_id = ${id} order by id`
/** A browser of somebody with this verified address, at the question. */
async function asked(email: string, at = service) {
  const browser = new Browser(at.guest())
  const back = await browser.signIn(somebody({ email }), issuer, '/desk/exams/3')
  expect([back.status, back.headers.get('location')]).toEqual([302, QUESTION])
  expect(browser.cookies.has('session')).toBe(false)
  return browser
}
/** Whose account a password leads into. */
async function loginAs(username: string) {
  const body = { username, password: PASSWORD }
  return (await service.guest().post('/api/v01/auth/login', body, 200)).body.data.user.id
}
const idIn = async (browser: Browser) => (await browser.exchange()).user.id

describe('an account that nobody has confirmed', () => {
  test('is its who knows the password, and nothing of it ends', async () => {
    const person = await service.person()
    const token = await storeReset(service, person.id, emailOf(person))
    const browser = await asked(emailOf(person).toUpperCase())
    const page = await browser.get(QUESTION)
    expect(page.status).toBe(200)
    expect(page.body).toContain('Example School')
    expect(page.body).toContain(emailOf(person).toUpperCase())
    const wrong = await browser.post(QUESTION, { answer: 'password', password: 'a wrong one' })
    expect([wrong.status, String(wrong.body).includes('2 attempts remaining')]).toEqual([401, true])
    const right = await browser.post(QUESTION, { answer: 'password', password: PASSWORD })
    expect([right.status, right.headers.get('location')]).toEqual([303, '/desk/exams/3'])
    expect(await idIn(browser)).toBe(person.id)
    expect(browser.cookies.has('oidc_identity')).toBe(false)
    expect((await rowOf(person.id)).email_verified).toBe(true)
    await person.get('/api/v01/auth/me', 200)
    await service.guest().login(person.username)
    await confirmReset(service, token, 400)
  })

  test('locks out who doesn’t, as a login does', async () => {
    const person = await service.person()
    const browser = await asked(emailOf(person))
    const send = (password: string) => browser.post(QUESTION, { answer: 'password', password })
    for (const password of ['one', 'two', 'three']) expect((await send(password)).status).toBe(401)
    const locked = await send(PASSWORD)
    expect([locked.status, Number(locked.headers.get('retry-after')) > 800]).toEqual([429, true])
    const credentials = { username: person.username, password: PASSWORD }
    await service.guest().post('/api/v01/auth/login', credentials, 429)
  })

  test('is its whose address it proves to be by a mailed link, after all that led into it has ended', async () => {
    const person = await service.person()
    const browser = await asked(emailOf(person))
    const sent = await browser.post(QUESTION, { answer: 'mail' })
    expect([sent.status, String(sent.body).includes('on its way')]).toEqual([200, true])
    const tokens = () => mailedTokens(service, emailOf(person), 'confirm_address')
    await expect.poll(tokens).toHaveLength(1)
    const [token = ''] = await tokens()
    // Whatever opens links in mails has not said anything yet.
    const elsewhere = new Browser(service.guest(1))
    expect((await elsewhere.get(`/confirm_address?token=${token}`)).body).toContain(token)
    expect((await browser.get(QUESTION)).status).toBe(200)
    await person.get('/api/v01/auth/me', 200)
    expect((await elsewhere.post('/confirm_address', { token })).status).toBe(200)
    expect((await elsewhere.post('/confirm_address', { token })).status).toBe(400)
    expect((await browser.get(QUESTION)).headers.get('location')).toBe('/desk/exams/3')
    expect(await idIn(browser)).toBe(person.id)
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    const credentials = { username: person.username, password: PASSWORD }
    await service.guest().post('/api/v01/auth/login', credentials, 401)
  })

  test('keeps all but its address where it is somebody else’s, who gets a new one', async () => {
    const person = await service.person()
    const token = await storeReset(service, person.id, emailOf(person))
    const browser = await asked(emailOf(person))
    expect((await browser.post(QUESTION, { answer: 'anew' })).status).toBe(303)
    const id = await idIn(browser)
    expect(id).not.toBe(person.id)
    expect(await rowOf(id)).toEqual({ email: emailOf(person), email_verified: true })
    await person.get('/api/v01/auth/me', 200)
    expect(await loginAs(person.username)).toBe(person.id)
    const byAddress = { username: emailOf(person), password: PASSWORD }
    await service.guest().post('/api/v01/auth/login', byAddress, 401)
    expect((await rowOf(person.id)).email).toMatch(/^[\w-]{36}@placeholder\.invalid$/)
    await confirmReset(service, token, 400)
    const log = await service.sql`
      select actor_id, summary from audit_entries where action = 'user.displace' and subject_id = ${person.id}`
    expect(log).toEqual([{ actor_id: id, summary: 'Its e-mail address went to somebody who proved it' }])
  })

  test('gives way neither as an administrator’s nor as one that is suspended', async () => {
    const suspended = await service.person()
    await admin.patch(
      `/api/v01/admin/users/${suspended.id}` as '/api/v01/admin/users/1',
      { suspended: true },
      200,
    )
    for (const account of [await service.admin(), suspended]) {
      const browser = await asked(emailOf(account))
      const page = await browser.post(QUESTION, { answer: 'anew' })
      expect([page.status, codeOf(page)]).toEqual([409, 'email_taken'])
      expect(page.body).toContain('Ask whoever runs this service')
      expect((await rowOf(account.id)).email).toBe(emailOf(account))
    }
  })

  test('is asked about in an app by a code, which comes again with the answer', async () => {
    const [one, other] = [await service.person(), await service.person()]
    const claims = somebody({ email: emailOf(one) })
    expect((await answer(claims, {}, 409)).body).toMatchObject({ status: 'error', code: 'account_exists' })
    expect((await answer(claims, { password: 'a wrong one' }, 401)).body).toMatchObject({
      code: 'invalid_credentials',
    })
    expect((await answer(claims, { password: PASSWORD }, 200)).body.data.user.id).toBe(one.id)
    const stranger = somebody({ email: emailOf(other) })
    const made = (await answer(stranger, { anew: true }, 200)).body.data.user.id
    expect(made).not.toBe(other.id)
    // Later nobody asks any more.
    expect((await answer(stranger, { anew: true }, 200)).body.data.user.id).toBe(made)
  })

  test('is its who knows the password where the provider is the only door, too', async () => {
    const only = await withService({ config: withProvider(issuer, { only: true }) })
    const other = await withService({ database: { url: only.databaseUrl, drop: async () => {} } })
    const person = await other.person()
    const browser = await asked(emailOf(person), only)
    expect((await browser.post(QUESTION, { answer: 'password', password: PASSWORD })).status).toBe(303)
    expect(await idIn(browser)).toBe(person.id)
  })

  test('is linked without a word if an administrator made it and nobody has signed in to it', async () => {
    const make = async () => {
      const username = `m${randomUUID().slice(0, 8)}`
      const body = { username, email: `${username}@example.org`, password: PASSWORD }
      return (await admin.post('/api/v01/admin/users', body, 201)).body.user
    }
    const [untouched, used] = [await make(), await make()]
    await service.guest(1).login(used.username)
    expect((await signIn(somebody({ email: untouched.email }))).id).toBe(untouched.id)
    expect(refusalOf(await answer(somebody({ email: used.email }), {}, 409))).toBe('account_exists')
  })
})

describe('what the provider said meanwhile', () => {
  test('is sealed in a cookie of this browser for ten minutes', async () => {
    const person = await service.person()
    const browser = new Browser(service.guest())
    const back = await browser.signIn(somebody({ email: emailOf(person) }), issuer)
    const set = back.headers.getSetCookie().find((each) => each.startsWith('oidc_identity=')) ?? ''
    expect(set.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/auth/oidc',
      'SameSite=Lax',
    ])
    const sealed = browser.cookies.get('oidc_identity') ?? ''
    const parts = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString())
    expect(parts.join()).not.toContain(person.username)
    const stranger = new Browser(service.guest())
    expect(codeOf(await stranger.get(QUESTION))).toBe('oidc_state')
    stranger.cookies.set('oidc_identity', `${sealed.slice(0, -2)}xx`)
    expect(codeOf(await stranger.post(QUESTION, { answer: 'anew' }))).toBe('oidc_state')
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await browser.post(QUESTION, { answer: 'anew' }, foreign)).status).toBe(403)
    expect((await browser.post(QUESTION, { answer: 'other' })).status).toBe(400)
    // Any node can open it.
    const there = new Browser(service.guest(1))
    there.cookies.set('oidc_identity', sealed)
    expect((await there.get(QUESTION)).status).toBe(200)
    later = 601_000
    expect(codeOf(await browser.post(QUESTION, { answer: 'anew' }))).toBe('oidc_state')
  })
})

test('cookies of a sign-in fit into what browsers keep, without the wanted page if need be', async () => {
  const large = async (nextLength: number, sid: string) => {
    const person = await service.person()
    const browser = new Browser(service.guest())
    const claims = somebody({
      email: emailOf(person),
      name: '名'.repeat(200),
      preferred_username: '名'.repeat(200),
      sid,
    })
    const next = `/${'x'.repeat(nextLength)}`
    const back = await browser.signIn({ ...claims, sub: `${claims.sub}${'😀'.repeat(215)}` }, issuer, next)
    expect(back.headers.get('location')).toBe(QUESTION)
    for (const set of back.headers.getSetCookie()) expect(Buffer.byteLength(set)).toBeLessThan(4_096)
    const answered = await browser.post(QUESTION, { answer: 'password', password: PASSWORD })
    return [answered.headers.get('location'), next] as const
  }
  const [kept, wanted] = await large(400, 'short')
  expect(kept).toBe(wanted)
  const [left] = await large(499, '😀'.repeat(255))
  expect(left).toBe('/')
})

describe('a later sign-in', () => {
  test('brings a verified address that is free, and proves the one that is there', async () => {
    const claims = somebody()
    const { id } = await signIn(claims)
    const token = await storeReset(service, id, claims.email)
    const moved = `moved.${claims.email}`
    await signIn({ ...claims, email: moved, email_verified: false })
    expect((await rowOf(id)).email).toBe(claims.email)
    await signIn({ ...claims, email: moved })
    expect(await rowOf(id)).toEqual({ email: moved, email_verified: true })
    await confirmReset(service, token, 400)
    await service.sql`update users set email_verified = false where id = ${id}`
    await signIn({ ...claims, email: moved })
    expect((await rowOf(id)).email_verified).toBe(true)
    // Whoever has the former address now can come.
    expect((await signIn(somebody({ email: claims.email }))).id).not.toBe(id)
  })

  test('takes it from an account that nobody has confirmed, and leaves it on any other one', async () => {
    const claims = somebody()
    const { id } = await signIn(claims)
    const [guess, proved, staff] = [await service.person(), await service.person(), await service.admin()]
    await service.sql`update users set email_verified = true where id = ${proved.id}`
    for (const other of [proved, staff]) {
      expect((await signIn({ ...claims, email: emailOf(other) })).id).toBe(id)
      expect((await rowOf(id)).email).toBe(claims.email)
      expect((await rowOf(other.id)).email).toBe(emailOf(other))
    }
    expect((await signIn({ ...claims, email: emailOf(guess) })).id).toBe(id)
    expect(await rowOf(id)).toEqual({ email: emailOf(guess), email_verified: true })
    await guess.get('/api/v01/auth/me', 200)
    expect(await loginAs(guess.username)).toBe(guess.id)
  })
})

describe('another person with the address of an account of the provider', () => {
  test('is refused, and it counts as unproved, until an administrator frees it', async () => {
    const first = somebody()
    const { id } = await signIn(first)
    const token = await storeReset(service, id, first.email)
    const second = somebody({ email: first.email })
    for (const said of [{}, { anew: true }, { password: PASSWORD }, {}]) {
      if ('password' in said) {
        await answer(second, said, 401)
        continue
      }
      const { body } = await answer(second, said, 409)
      expect(body).toMatchObject({ code: 'email_taken', message: expect.stringContaining('ask whoever') })
      expect(await rowOf(id)).toEqual({ email: first.email, email_verified: false })
    }
    await confirmReset(service, token, 400)
    expect(await contestsOf(id)).toEqual([{ actor_id: null }])
    expect((await signIn(first)).id).toBe(id)
    expect((await rowOf(id)).email_verified).toBe(true)
    const mover = somebody()
    const moved = await signIn(mover)
    await signIn({ ...mover, email: first.email })
    expect(await contestsOf(id)).toEqual([{ actor_id: null }, { actor_id: moved.id }])
    expect((await signIn(first)).id).toBe(id)

    const freed = await admin.post(
      `/api/v01/admin/users/${id}/free-address` as '/api/v01/admin/users/1/free-address',
      undefined,
      200,
    )
    expect(freed.body.user.email).toMatch(/@placeholder\.invalid$/)
    await admin.post('/api/v01/admin/users/999999999/free-address', undefined, 404)
    const newcomer = await signIn(second)
    expect(newcomer.id).not.toBe(id)
    expect((await signIn(first)).id).toBe(id)
    expect((await rowOf(newcomer.id)).email).toBe(first.email)
    const log = await service.sql`
      select actor_id from audit_entries where action = 'user.displace' and subject_id = ${id}`
    expect(log).toEqual([{ actor_id: admin.id }])
  })

  test('is not kept away by who has only moved there', async () => {
    const mover = somebody()
    const account = await signIn(mover)
    const victim = somebody()
    await account.patch('/api/v01/account', { email: victim.email }, 200)
    expect(refusalOf(await answer(victim, {}, 409))).toBe('account_exists')
    expect((await answer(victim, { anew: true }, 200)).body.data.user.id).not.toBe(account.id)
    expect((await signIn(mover)).id).toBe(account.id)
    expect((await rowOf(account.id)).email).toBe(mover.email)
  })

  test('gets no link into it: a mail names the provider', async () => {
    const claims = somebody()
    const { id } = await signIn(claims)
    await service.guest().post(RESET, { email: claims.email }, 200)
    await expect.poll(() => mailsTo(service.dataDir, claims.email)).toHaveLength(1)
    const [mail = ''] = await mailsTo(service.dataDir, claims.email)
    expect(mail).toContain('Sign in with Example School')
    expect(mail).not.toContain('token')
    expect(await service.sql`select 1 from password_resets where user_id = ${id}`).toEqual([])
  })

  test('doesn’t come into it by Google either, without its password', async () => {
    const claims = somebody()
    const account = await signIn(claims)
    const google = { sub: randomUUID(), email: claims.email }
    expect((await byGoogle(google, {}, 409)).body).toMatchObject({ code: 'email_taken' })
    await account.patch('/api/v01/account', { new_password: PASSWORD }, 200)
    const { body } = await byGoogle(google, { password: PASSWORD }, 409)
    // It is contested until its owner comes again.
    expect(body).toMatchObject({ code: 'email_taken' })
    await signIn(claims)
    expect((await byGoogle(google, { password: PASSWORD }, 200)).body.data.user.id).toBe(account.id)
  })
})

describe('by Google', () => {
  test('an address that another subject had meanwhile is proved anew by the first one', async () => {
    const first = { sub: randomUUID(), email: `${randomUUID()}@example.org` }
    const { id } = (await byGoogle(first, {}, 200)).body.data.user
    await byGoogle({ sub: randomUUID(), email: first.email }, {}, 409)
    expect(await contestsOf(id)).toEqual([{ actor_id: null }])
    await byGoogle({ ...first, email: `elsewhere.${first.email}` }, {}, 200)
    expect((await rowOf(id)).email_verified).toBe(false)
    await byGoogle({ ...first, email: first.email.toUpperCase() }, {}, 200)
    const [row] = await service.sql`select email, email_verified, email_contested from users where id = ${id}`
    expect(row).toEqual({ email: first.email, email_verified: true, email_contested: false })
  })

  test('a mail proves the address, and the next call links', async () => {
    const person = await service.person()
    const claims = { sub: randomUUID(), email: emailOf(person) }
    const { body } = await byGoogle(claims, {}, 409)
    expect(body).toMatchObject({ status: 'error', code: 'account_exists', mailed: true })
    const tokens = () => mailedTokens(service, emailOf(person), 'confirm_address')
    await expect.poll(tokens).toHaveLength(1)
    await byGoogle(claims, {}, 409)
    const [token = ''] = await tokens()
    await service.guest().request('POST', '/confirm_address', { token }, 200)
    expect((await byGoogle(claims, {}, 200)).body.data).toMatchObject({
      is_new_user: false,
      user: { id: person.id },
    })
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
  })

  test('or the call has the answer', async () => {
    const [one, other] = [await service.person(), await service.person()]
    const claims = { sub: randomUUID(), email: emailOf(one) }
    await byGoogle(claims, { password: 'a wrong one' }, 401)
    expect((await byGoogle(claims, { password: PASSWORD }, 200)).body.data.user.id).toBe(one.id)
    await one.get('/api/v01/auth/me', 200)
    const anew = await byGoogle({ sub: randomUUID(), email: emailOf(other) }, { anew: true }, 200)
    expect(anew.body.data.is_new_user).toBe(true)
    await other.get('/api/v01/auth/me', 200)
    expect(await loginAs(other.username)).toBe(other.id)
  })
})

describe('at once, on two nodes', () => {
  test('one of many who say that an account isn’t theirs gets its address, the others are refused', async () => {
    const person = await service.person()
    const subjects = [1, 2, 3].map(() => somebody({ email: emailOf(person) }))
    const answers = await Promise.all(
      subjects.flatMap((claims) =>
        [0, 1, 0, 1].map((node) => answer(claims, { anew: true }, undefined, node)),
      ),
    )
    const codes = answers.map((each) => (each.status === 200 ? 'in' : refusalOf(each)))
    expect(codes.filter((code) => code === 'in')).toHaveLength(4)
    expect(codes.filter((code) => code === 'email_taken')).toHaveLength(8)
    const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body.data.user.id] : []))
    expect(new Set(ids).size).toBe(1)
    expect(ids).not.toContain(person.id)
    const holders = await service.sql`select id from users where email = ${emailOf(person)}`
    expect(holders).toEqual([{ id: ids[0] }])
    await person.get('/api/v01/auth/me', 200)
  })

  test('one of two who claim an account has it: by its password, or as not theirs', async () => {
    for (let round = 0; round < 4; round++) {
      const person = await service.person()
      const [owner, other] = [somebody({ email: emailOf(person) }), somebody({ email: emailOf(person) })]
      const [first, second] = await Promise.all([
        answer(owner, { password: PASSWORD }, undefined, 0),
        answer(other, { anew: true }, undefined, 1),
      ])
      const links = await service.sql`select subject from identities where user_id = ${person.id}`
      if (first.status === 200) {
        expect([first.body.data.user.id, second.status]).toEqual([person.id, 409])
        expect(links).toEqual([{ subject: owner.sub }])
      } else {
        // The address went to the other one: theirs is a proved account by now, that leads to them.
        expect([first.status, second.status]).toEqual([409, 200])
        expect(second.body.data.user.id).not.toBe(person.id)
        expect(links).toEqual([])
      }
      await service.guest().login(person.username)
    }
  })

  test('who is displaced while signing in comes into their own account', async () => {
    const person = await service.person()
    const asked: Promise<{ status: number; body: unknown }>[] = []
    await service.sql.begin(async (tx) => {
      await tx`select id from users where id = ${person.id} for update`
      asked.push(answer(somebody({ email: emailOf(person) }), { anew: true }, undefined, 1))
      await expect.poll(service.lockWaits).toHaveLength(1)
      const credentials = { username: emailOf(person), password: PASSWORD }
      asked.push(service.guest().post('/api/v01/auth/login', credentials))
      await expect.poll(service.lockWaits).toHaveLength(2)
    })
    const [newcomer, owner] = await Promise.all(asked)
    expect([newcomer?.status, owner?.status]).toEqual([200, 200])
    const [newId, ownId] = [newcomer, owner].map(
      (each) => (each?.body as { data: { user: { id: number } } } | undefined)?.data.user.id,
    )
    expect(ownId).toBe(person.id)
    expect(newId).not.toBe(person.id)
  })

  test('a link that is mailed while the account is linked leads nowhere', async () => {
    const person = await service.person()
    await service.sql`update users set email_verified = true where id = ${person.id}`
    const signing = await service.sql.begin(async (tx) => {
      await tx`select id from users where id = ${person.id} for update`
      const linking = answer(somebody({ email: emailOf(person) }), {}, undefined, 1)
      await expect.poll(service.lockWaits).toHaveLength(1)
      await service.guest().post(RESET, { email: emailOf(person) }, 200)
      await expect.poll(service.lockWaits).toHaveLength(2)
      return { linking }
    })
    expect((await signing.linking).status).toBe(200)
    await expect.poll(() => mailsTo(service.dataDir, emailOf(person))).toHaveLength(1)
    expect(await mailedTokens(service, emailOf(person))).toEqual([])
  })
})
