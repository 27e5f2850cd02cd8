import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const OWN = '/api/v01/account/access-requests'
const ADMIN = '/api/v01/admin/access-requests'

let now = Date.parse('2025-01-15T10:30:00Z')
let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ clock: () => now })
  admin = await service.admin('reviewer')
})
afterAll(() => service.close())

const identityOf = ({ username }: Client) => ({ username, email: `${username}@example.org` })
const requestOf = (person: Client) => ({
  ...identityOf(person),
  current_access: 'user' as const,
  requested_access: 'admin' as const,
  user_reason: 'I teach here',
})
const submit = async (person: Client) =>
  (await person.post(OWN, requestOf(person), 201)).body.request_id as number

describe('asking for another role', () => {
  test('what an account can ask for follows from its role', async () => {
    const person = await service.person()
    for (const [role, available] of [
      ['user', ['admin', 'user,admin']],
      ['admin', ['user,admin']],
      ['user,admin', []],
    ] as const) {
      await service.sql`update users set role = ${role} where id = ${person.id}`
      const { body } = await person.post(`${OWN}/eligibility`, identityOf(person), 200)
      expect(body).toEqual({
        success: true,
        user: { username: person.username, current_access: role },
        available_requests: available,
        has_pending_request: false,
        can_request: available.length > 0,
      })
    }
  })

  test('with a session, name and address must be one’s own', async () => {
    const [one, other] = [await service.person(), await service.person()]
    const mixed = { username: one.username, email: identityOf(other).email }
    const bodies = []
    for (const [client, identity] of [
      [one, mixed],
      [other, mixed],
      [one, { username: 'nobody.here', email: 'nobody@example.org' }],
      [other, identityOf(one)],
    ] as const) {
      bodies.push((await client.post(`${OWN}/eligibility`, identity, 404)).body)
      await client.post(OWN, { ...requestOf(one), ...identity }, 404)
    }
    for (const body of bodies)
      expect(body).toEqual({ success: false, code: 'not_found', message: 'Not found' })
    const shouted = { username: one.username.toUpperCase(), email: identityOf(one).email.toUpperCase() }
    await one.post(`${OWN}/eligibility`, shouted, 200)
    one.accessToken = 'nonsense'
    await one.post(`${OWN}/eligibility`, identityOf(one), 401)
    await one.post(OWN, requestOf(one), 401)
  })

  test('is refused if the current role is not the account’s, or the requested one is not available', async () => {
    const person = await service.person()
    for (const [requested_access, current_access, path] of [
      ['admin', 'admin', '/current_access'],
      ['user', 'user', '/requested_access'],
      ['boss', 'user', '/requested_access'],
      ['admin,user', 'user', '/requested_access'],
    ]) {
      const wrong = { ...requestOf(person), requested_access, current_access }
      const { body } = await person.post(OWN, wrong, 400)
      expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path }] })
    }
    const both = { ...requestOf(person), current_access: 'admin', requested_access: 'user' }
    expect((await person.post(OWN, both, 400)).body.errors).toMatchObject([
      { path: '/current_access' },
      { path: '/requested_access' },
    ])
    await person.post(OWN, { ...requestOf(person), user_reason: '  ' }, 400)
  })

  test('of ten requests at once one is stored; while it is pending another is refused', async () => {
    const person = await service.person()
    const answers = await Promise.all(Array.from({ length: 10 }, () => person.post(OWN, requestOf(person))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(
      answers.filter(({ status, body }) => status === 409 && body.code === 'request_pending'),
    ).toHaveLength(9)
    const { body } = await person.post(`${OWN}/eligibility`, identityOf(person), 200)
    expect(body).toMatchObject({ has_pending_request: true, can_request: false })
    await service.sql`delete from access_requests`
  })
})

describe('asking without a session', () => {
  test('takes the name and the address of one account, and administrators see that', async () => {
    const [one, other] = [await service.person(), await service.person()]
    const guest = service.guest()
    const { body } = await guest.post(`${OWN}/eligibility`, identityOf(one), 200)
    expect(body).toEqual({
      success: true,
      user: { username: one.username, current_access: 'user' },
      available_requests: ['admin', 'user,admin'],
      has_pending_request: false,
      can_request: true,
    })
    const ids = [(await guest.post(OWN, requestOf(one), 201)).body.request_id, await submit(other)]
    await guest.post(OWN, requestOf(one), 409)
    const { requests } = (await admin.get(ADMIN, 200)).body
    const signedIn = ids.map((id) => requests.find((each) => each.request_id === id)?.signed_in)
    expect(signedIn).toEqual([false, true])
    await service.sql`delete from access_requests`
  })

  test('any wrong pair is the same 404', async () => {
    const [one, other] = [await service.person(), await service.person()]
    for (const identity of [
      { username: one.username, email: identityOf(other).email },
      { username: one.username, email: 'nobody@example.org' },
      { username: 'nobody.here', email: identityOf(one).email },
      { username: 'nobody.here', email: 'nobody@example.org' },
    ]) {
      const answers = [
        await service.guest().post(`${OWN}/eligibility`, identity, 404),
        await service.guest().post(OWN, { ...requestOf(one), ...identity }, 404),
      ]
      for (const { body } of answers)
        expect(body).toEqual({ success: false, code: 'not_found', message: 'Not found' })
    }
  })

  test('of a hundred guesses at once from a network, on two nodes, thirty are answered, then nobody there for an hour', async () => {
    let time = now
    const two = await withService({ nodes: 2, clock: () => time, config: { trustProxy: true } })
    const person = await two.person()
    const askFrom = (
      ip: string,
      email: string,
      client = two.guest(),
      path: '' | '/eligibility' = '/eligibility',
    ) => {
      const body = { ...requestOf(person), email }
      return client.request(
        'POST',
        `${OWN}${path}`,
        path ? { username: person.username, email } : body,
        undefined,
        {
          'x-forwarded-for': ip,
        },
      )
    }
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        // Addresses of one IPv6 network count as one.
        askFrom(`2001:db8:1:2::${n}`, 'nobody@example.org', two.guest(n % 2), n % 3 ? '/eligibility' : ''),
      ),
    )
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(30)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(70)
    expect(refused[0]?.body).toMatchObject({ code: 'rate_limited', retry_after: 3_600 })
    // A right pair says nothing there either, but does elsewhere, to who is signed in, and after the hour.
    const { email } = identityOf(person)
    const statusFrom = async (ip: string, client?: Client) => (await askFrom(ip, email, client)).status
    expect(await statusFrom('2001:db8:1:2::ffff')).toBe(429)
    expect(await statusFrom('2001:db8:1:3::1')).toBe(200)
    expect(await statusFrom('2001:db8:1:2::1', person)).toBe(200)
    time += 3_600_000
    expect(await statusFrom('2001:db8:1:2::1')).toBe(200)
  })

  test('right pairs aren’t counted: a school behind one address isn’t locked out by its own people', async () => {
    const identity = identityOf(await service.person())
    await Promise.all(
      Array.from({ length: 40 }, () => service.guest().post(`${OWN}/eligibility`, identity, 200)),
    )
  })
})

describe('deciding on requests', () => {
  const list = async (query: '' | `?${string}` = '') => (await admin.get(`${ADMIN}${query}`, 200)).body

  test('approving gives the role at once', async () => {
    const person = await service.person()
    const id = await submit(person)
    const row = {
      request_id: id,
      username: person.username,
      email: identityOf(person).email,
      current_access: 'user',
      requested_access: 'admin',
      request_date: '15 January 2025 10:30 AM',
      reason: '[USER REQUEST] I teach here',
      signed_in: true,
    }
    const listOwn = async (query: '' | `?${string}` = '') =>
      (await list(query)).requests.filter(({ request_id }) => request_id === id)
    expect(await listOwn()).toEqual([{ ...row, status: 'pending', processed_by: '', processed_date: null }])
    now += 15 * 60_000
    const { body } = await admin.post(`${ADMIN}/${id}/approve`, { approved_access: 'user,admin' }, 200)
    expect(body).toEqual({ success: true, message: expect.any(String) })
    expect(await listOwn('?status=completed')).toEqual([
      {
        ...row,
        status: 'completed',
        processed_by: 'reviewer',
        processed_date: '15 January 2025 10:45 AM',
      },
    ])
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    await person.login(person.username)
    await person.get(ADMIN, 200)
  })

  test('a denial says why, and another request may follow', async () => {
    const person = await service.person()
    const id = await submit(person)
    await admin.post(`${ADMIN}/${id}/deny`, { reason: 'not yet' }, 200)
    const { requests } = await list('?status=denied')
    expect(requests[0]).toMatchObject({
      request_id: id,
      status: 'denied',
      reason: '[USER REQUEST] I teach here\n[ADMIN] not yet',
      processed_by: 'reviewer',
    })
    await person.get('/api/v01/auth/me', 200)
    await submit(person)
  })

  test('of decisions at once one holds, the others are refused as already processed', async () => {
    const person = await service.person()
    const id = await submit(person)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        n % 2
          ? admin.post(`${ADMIN}/${id}/approve`, { approved_access: 'admin' })
          : admin.post(`${ADMIN}/${id}/deny`, { reason: 'no' }),
      ),
    )
    const made = answers.findIndex(({ status }) => status === 200)
    const refused = answers.filter(({ status, body }) => status === 409 && body.code === 'already_processed')
    expect(refused).toHaveLength(9)
    const [row] = await service.sql`select role from users where id = ${person.id}`
    expect(row?.role).toBe(made % 2 ? 'admin' : 'user')
  })

  test('is refused for unknown requests, without a role or a reason, and to everybody but administrators', async () => {
    const id = await submit(await service.person())
    await admin.post(`${ADMIN}/999999/approve`, { approved_access: 'admin' }, 404)
    await admin.post(`${ADMIN}/999999/deny`, { reason: 'no' }, 404)
    await admin.post(`${ADMIN}/${id}/approve`, { approved_access: 'boss' }, 400)
    await admin.post(`${ADMIN}/${id}/approve`, {}, 400)
    await admin.post(`${ADMIN}/${id}/deny`, { reason: '' }, 400)
    await admin.post(`${ADMIN}/x/deny`, { reason: 'no' }, 400)
    const person = await service.person()
    for (const path of [ADMIN, `${ADMIN}/counts`]) await person.get(path, 403)
    for (const path of [`${ADMIN}/${id}/approve`, `${ADMIN}/${id}/deny`]) {
      await person.post(path, { approved_access: 'admin', reason: 'x' }, 403)
      await service.guest().post(path, {}, 401)
    }
  })

  test('requests are listed in pages of 25, pending ones unless asked for the decided ones, and counted', async () => {
    await service.sql`delete from access_requests`
    for (const [status, count] of [
      ['pending', 30],
      ['completed', 20],
      ['denied', 10],
    ] as const)
      await service.sql`
        with people as (
          insert into users (username, email, full_name, role)
          select ${status}::text || n, ${status}::text || n || '@example.org', 'P', 'user' from generate_series(1, ${count}::int) n
          returning id
        )
        insert into access_requests (user_id, current_access, requested_access, user_reason, status, processed_by)
        select id, 'user', 'admin', 'why not', ${status}, null from people`
    expect((await admin.get(`${ADMIN}/counts`, 200)).body).toEqual({
      success: true,
      pending: 30,
      completed: 20,
      denied: 10,
      total: 60,
    })
    const first = await list()
    expect(first).toMatchObject({ total: 30, page: 1, per_page: 25, total_pages: 2 })
    expect(first.requests).toHaveLength(25)
    expect((await list('?page=2')).requests).toHaveLength(5)
    for (const status of ['completed', 'denied', 'all', 'anything']) {
      const { total, requests } = await list(`?status=${status}`)
      expect(total).toBe(30)
      expect(new Set(requests.map((each) => each.status))).toEqual(new Set(['completed', 'denied']))
    }
    await admin.get(`${ADMIN}?page=0`, 400)
  })

  test('the decision of a deleted administrator is the ghost’s', async () => {
    const other = await service.admin()
    const id = await submit(await service.person())
    await other.post(`${ADMIN}/${id}/deny`, { reason: 'no' }, 200)
    await other.delete('/api/v01/account', 200, { confirm: 'DELETE', current_password: PASSWORD })
    // The account is gone at once, its rows follow within moments.
    const processedBy = async () =>
      (await list('?status=denied')).requests.find((each) => each.request_id === id)?.processed_by
    await expect.poll(processedBy).toBe('Deleted Account')
  })
})
