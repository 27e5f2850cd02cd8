import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const PATH = '/api/v01/admin/users'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ config: { timezone: 'Asia/Kolkata' } })
  admin = await service.admin('the.admin')
})
afterAll(() => service.close())

const list = async (query: Record<string, string>) =>
  (await admin.get(`${PATH}?${new URLSearchParams(query)}`, 200)).body
const names = async (query: Record<string, string>) =>
  (await list(query)).users.map(({ username }) => username)

describe('the list of users', () => {
  test('shows people with display dates in the service’s zone, and never the ghost', async () => {
    const person = await service.person('dated')
    await service.sql`
      update users set full_name = 'Dated Person', created_at = '2025-01-15T05:00:00Z', updated_at = '2025-12-31T18:35:00Z'
       where id = ${person.id}`
    const { users, ...page } = await list({ q: 'dated' })
    expect(page).toEqual({ success: true, total: 1, page: 1, per_page: 50, total_pages: 1 })
    expect(users).toEqual([
      {
        id: person.id,
        username: 'dated',
        email: 'dated@example.org',
        full_name: 'Dated Person',
        role: 'user',
        created_at: '15 January 2025 10:30 AM',
        updated_at: '1 January 2026 12:05 AM',
      },
    ])
    await service.sql`update users set created_at = '2025-03-09T06:35:00Z' where id = ${person.id}`
    expect((await list({ q: 'dated' })).users[0]?.created_at).toBe('9 March 2025 12:05 PM')
    expect(await names({ q: 'Deleted Account' })).toEqual([])
  })

  test('finds part of a username, an address or a name, in any case and without wildcards', async () => {
    const people: [string, string, string][] = [
      ['find_me', 'one@match.example', 'One'],
      ['findxme', 'two@other.example', '100% Two'],
      ['back.slash', 'three@other.example', 'back\\slash'],
    ]
    for (const [username, email, full_name] of people)
      await service
        .guest()
        .post('/api/v01/auth/register', { username, email, full_name, password: 'long enough' }, 201)
    expect(await names({ q: 'FIND_ME' })).toEqual(['find_me'])
    expect(await names({ q: 'find' })).toEqual(['findxme', 'find_me'])
    expect(await names({ q: '@Match.' })).toEqual(['find_me'])
    expect(await names({ q: '0% t' })).toEqual(['findxme'])
    expect(await names({ q: '%%' })).toEqual([])
    expect(await names({ q: '\\' })).toEqual(['back.slash'])
    expect(await names({ q: "'; drop table users; --" })).toEqual([])
  })

  test('filters by exact role and pages by 50', async () => {
    await service.sql`
      insert into users (username, email, full_name, role)
      select 'bulk' || n, 'bulk' || n || '@example.org', 'Bulk', case when n <= 60 then 'admin' else 'user,admin' end
        from generate_series(1, 61) n`
    const first = await list({ q: 'bulk', role: 'admin' })
    expect(first).toMatchObject({ total: 60, page: 1, per_page: 50, total_pages: 2 })
    expect(first.users).toHaveLength(50)
    const second = await list({ q: 'bulk', role: 'admin', page: '2' })
    expect(second.users).toHaveLength(10)
    expect(new Set([...first.users, ...second.users].map(({ id }) => id)).size).toBe(60)
    expect(await names({ q: 'bulk', role: 'both' })).toEqual(['bulk61'])
    expect(await names({ q: 'bulk', role: 'user' })).toEqual([])
    expect((await list({ page: '99' })).users).toEqual([])
    for (const query of ['page=0', 'page=x', 'role=boss', 'page=99999999999'])
      await admin.get(`${PATH}?${query}`, 400)
    await service.sql`delete from users where username like 'bulk%'`
  })

  test('is counted by role', async () => {
    const { body } = await admin.get(`${PATH}/counts`, 200)
    const [rows] = await service.sql`
      select count(*)::int as total_users, count(*) filter (where role = 'user')::int as user_role,
             count(*) filter (where role = 'admin')::int as admin_role,
             count(*) filter (where role = 'user,admin')::int as both_roles from users where id > 0`
    expect(body).toEqual({ success: true, ...rows })
  })

  test('is for administrators only, like changing roles', async () => {
    const person = await service.person()
    for (const path of [PATH, `${PATH}/counts`]) {
      await person.get(path, 403)
      await service.guest().get(path, 401)
    }
    for (const path of [`${PATH}/role`, `${PATH}/bulk-role`]) {
      await person.post(path, { user_id: person.id, new_role: 'admin' }, 403)
      await service.guest().post(path, {}, 401)
    }
  })
})

describe('changing a role', () => {
  const change = (user_id: unknown, new_role: unknown, status: number, by = admin) =>
    by.post(`${PATH}/role`, { user_id, new_role }, status)

  test('sets each role', async () => {
    const person = await service.person()
    for (const role of ['admin', 'user,admin', 'user']) {
      expect((await change(person.id, role, 200)).body).toEqual({
        success: true,
        message: expect.any(String),
      })
      const [row] = await service.sql`select role from users where id = ${person.id}`
      expect(row?.role).toBe(role)
    }
  })

  test('to the same one ends no session', async () => {
    const person = await service.person()
    await change(person.id, 'user', 200)
    const rows = await service.sql`
      select r.session_id from revocations r join sessions s on s.id = r.session_id where s.user_id = ${person.id}`
    expect(rows).toHaveLength(0)
  })

  test('is refused for the ghost, for unknown people and to unknown roles', async () => {
    for (const role of ['user', 'admin', 'boss', 7, null, undefined, 'x'.repeat(101)]) {
      const { body } = await change(-1, role, 403)
      expect(body).toMatchObject({ success: false, code: 'ghost_account' })
    }
    expect((await change(999_999, 'admin', 404)).body.code).toBe('not_found')
    expect((await change(0, 'admin', 404)).body.code).toBe('not_found')
    const person = await service.person()
    for (const role of ['boss', 'Admin', 'admin,user', ' admin', '', 7, null, undefined])
      expect((await change(person.id, role, 400)).body.code).toBe('validation_failed')
    await change('1', 'admin', 400)
    await change(99_999_999_999, 'admin', 400)
  })

  test('in bulk names every invalid entry; a request about the ghost alone is 403', async () => {
    const person = await service.person()
    const bulk = (updates: unknown, status: number) => admin.post(`${PATH}/bulk-role`, { updates }, status)
    const odd = [
      null,
      7,
      'x',
      [],
      {},
      { user_id: 'x' },
      { user_id: null },
      { user_id: 1.5 },
      { user_id: 1e300 },
      { new_role: 'user' },
    ]
    const { body } = await bulk([...odd, { user_id: person.id, new_role: 'admin', note: 1 }], 200)
    expect(body.errors).toHaveLength(odd.length)
    expect(body.errors[0]).toMatch(/^Entry 1: /)
    expect(body.errors[5]).toMatch(/^User 'x': /)
    expect((await service.sql`select role from users where id = ${person.id}`)[0]?.role).toBe('admin')
    const ghost = { user_id: -1, new_role: 'user' }
    expect((await bulk([ghost, { user_id: -1 }], 403)).body.code).toBe('ghost_account')
    expect((await bulk([ghost, 7], 200)).body.errors).toHaveLength(2)
    for (const updates of [[], {}, 'x', null, undefined, Array(10_001).fill(ghost)]) await bulk(updates, 400)
  })

  test('in bulk takes 10,000 entries at once, of which a person’s last one counts', async () => {
    const ids = (
      await service.sql<{ id: number }[]>`
        insert into users (username, email, full_name, role)
        select 'tenk' || n, 'tenk' || n || '@example.org', 'Ten', 'user' from generate_series(1, 500) n returning id`
    ).map(({ id }) => id)
    const person = await service.person()
    const updates = [
      { user_id: person.id, new_role: 'admin' },
      ...Array.from({ length: 9_998 }, (_, at) => ({
        user_id: ids[at % ids.length],
        new_role: at < 9_000 ? 'admin' : 'user,admin',
      })),
      { user_id: person.id, new_role: 'user' },
    ]
    const { body } = await admin.post(`${PATH}/bulk-role`, { updates }, 200)
    expect(body).toMatchObject({ message: '10000 of 10000 roles were set', errors: null })
    const counts =
      await service.sql`select role, count(*)::int from users where id = any(${ids}) group by role`
    expect(counts).toEqual([{ role: 'user,admin', count: 500 }])
    expect((await service.sql`select role from users where id = ${person.id}`)[0]?.role).toBe('user')
    await service.sql`delete from users where username like 'tenk%'`
  })

  test('in bulk is committed for 500 people at a time', async () => {
    const { sql } = service
    const ids = (
      await sql<{ id: number }[]>`
        insert into users (username, email, full_name, role)
        select 'many' || n, 'many' || n || '@example.org', 'Many', 'user' from generate_series(1, 1000) n returning id`
    ).map(({ id }) => id)
    const changed = async () =>
      (await sql`select from users where id = any(${ids}) and role = 'admin'`).length
    const updates = ids.map((user_id) => ({ user_id, new_role: 'admin' }))
    let asked: Promise<{ body: { errors: unknown } }> | undefined
    await sql.begin(async (tx) => {
      await tx`select from users where id = ${ids[999] as number} for update`
      asked = admin.post(`${PATH}/bulk-role`, { updates }, 200)
      // They are changed, while the others' rows are waited for.
      await expect.poll(changed).toBe(500)
    })
    expect((await asked)?.body.errors).toBeNull()
    expect(await changed()).toBe(1_000)
    await sql`delete from users where username like 'many%'`
  })

  test('in bulk applies to each entry on its own', async () => {
    const [one, two] = [await service.person(), await service.person()]
    const { body } = await admin.post(
      `${PATH}/bulk-role`,
      {
        updates: [
          { user_id: one.id, new_role: 'admin' },
          { user_id: -1, new_role: 'admin' },
          { user_id: 999_999, new_role: 'admin' },
          { user_id: two.id, new_role: 'boss' },
          { user_id: two.id, new_role: 'user,admin' },
        ],
      },
      200,
    )
    expect(body).toEqual({
      success: true,
      message: '2 of 5 roles were set',
      errors: [
        expect.stringContaining('-1'),
        expect.stringContaining('999999'),
        expect.stringMatching(new RegExp(`${two.id}.*boss`)),
      ],
    })
    const fine = {
      updates: [
        { user_id: one.id, new_role: 'user' },
        { user_id: two.id, new_role: 'user' },
      ],
    }
    expect((await admin.post(`${PATH}/bulk-role`, fine, 200)).body.errors).toBeNull()
    const odd = [7, null, undefined, 'x'.repeat(101)].map((new_role) => ({ user_id: one.id, new_role }))
    const { errors } = (
      await admin.post(
        `${PATH}/bulk-role`,
        { updates: [...odd, { user_id: two.id, new_role: 'admin' }] },
        200,
      )
    ).body
    expect(errors).toEqual(odd.map(() => expect.stringMatching(new RegExp(`${one.id}: (7|that) is no role`))))
    await admin.post(`${PATH}/bulk-role`, { updates: [] }, 400)
    await admin.post(`${PATH}/bulk-role`, { updates: 'all' }, 400)
  })
})

describe('the last administrator', () => {
  test('can neither lose the role nor delete the account', async () => {
    const small = await withService()
    const last = await small.admin()
    for (const body of [
      (await last.post(`${PATH}/role`, { user_id: last.id, new_role: 'user' }, 409)).body,
      (await last.delete('/api/v01/account', 409, { confirm: 'DELETE', current_password: PASSWORD })).body,
    ])
      expect(body).toMatchObject({ success: false, code: 'last_admin' })
    await last.post(`${PATH}/role`, { user_id: last.id, new_role: 'admin' }, 200)
  })

  test('is not replaced by somebody who is suspended, in whatever order many roles are changed', async () => {
    const small = await withService()
    const [last, suspended] = [await small.admin(), await small.person()]
    await last.patch(`${PATH}/${suspended.id}`, { suspended: true }, 200)
    const updates = [
      { user_id: suspended.id, new_role: 'admin' },
      { user_id: last.id, new_role: 'user' },
    ]
    const { errors } = (await last.post(`${PATH}/bulk-role`, { updates }, 200)).body
    expect(errors).toEqual([expect.stringContaining(String(last.id))])
    await last.login(last.username)
    await last.get(PATH, 200)
  })

  test('is left, however many administrators demote one another at once', async () => {
    const small = await withService()
    const admins = await Promise.all(Array.from({ length: 6 }, () => small.admin()))
    const answers = await Promise.all(
      admins.map((each, index) =>
        index % 3 === 0
          ? each.delete('/api/v01/account', undefined, { confirm: 'DELETE', current_password: PASSWORD })
          : each.post(`${PATH}/role`, { user_id: admins[(index + 1) % 6]?.id, new_role: 'user' }),
      ),
    )
    for (const { status } of answers) expect([200, 401, 403, 404, 409]).toContain(status)
    const last = (await small.sql`select id from users where role <> 'user'`).map(({ id }) => id as number)
    for (const { id } of admins)
      await small.sql`update users set role = 'user' where id = ${id} and id <> ${last[0] ?? 0}`
    expect(last.length).toBeGreaterThanOrEqual(1)

    const pair = await Promise.all([small.admin(), small.admin()])
    await small.sql`update users set role = 'user' where id <> all(${pair.map(({ id }) => id)})`
    const [one, other] = pair as [Client, Client]
    const both = await Promise.all([
      one.post(`${PATH}/role`, { user_id: other.id, new_role: 'user' }),
      other.post(`${PATH}/role`, { user_id: one.id, new_role: 'user' }),
    ])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    const [left] = await small.sql`select count(*)::int from users where role <> 'user'`
    expect(left?.count).toBe(1)
  })
})
