import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { withProvider as withGoogle } from '../support/outside/google.ts'
import { startService, type TestService, withService } from '../support/service.ts'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  admin = await service.admin()
  await service.admin()
})
afterAll(() => service.close())

const USERS = '/api/v01/admin/users'
const newName = () => `n${randomUUID().slice(0, 8)}`
const actionsOn = async (id: number) =>
  (
    await service.sql`select action, actor_id, summary from audit_entries where subject_id = ${id} order by id`
  ).map(({ action, actor_id, summary }) => [action, actor_id, summary])

function importCsv(csv: string, query = '', status = 200) {
  const body = form({}, { field: 'file', name: 'people.csv', bytes: csv })
  return admin.request('POST', `${USERS}/import${query}` as `${typeof USERS}/import`, body, status)
}

describe('administrators', () => {
  test('make accounts, whose owners are mailed a link to choose a password', async () => {
    const username = newName()
    const made = await admin.post(USERS, { username, email: `${username}@example.org`, role: 'admin' }, 201)
    const { id } = made.body.user
    expect(made.body.user).toEqual({
      id: expect.any(Number),
      username,
      email: `${username}@example.org`,
      full_name: username,
      role: 'admin',
      suspended_at: null,
    })
    expect(await actionsOn(id)).toEqual([['user.create', admin.id, 'Created as administrator']])
    const mails = path.join(service.dataDir, 'mail')
    const mailed = async () => {
      const texts = await Promise.all(
        (await readdir(mails).catch(() => [])).map((name) => readFile(path.join(mails, name), 'utf8')),
      )
      return texts.find((text) => text.includes(`${username}@example.org`))
    }
    await expect.poll(mailed).toMatch(/reset_password\?token=/)
    const [, token = ''] =
      /token=3?D?([\w-]{40,})/.exec((await mailed())?.replaceAll('=\r\n', '') ?? '') ?? []
    await service
      .guest()
      .post('/api/v01/account/password-reset/confirm', { token, new_password: PASSWORD }, 200)
    await service.guest().login(username)
    for (const [taken, code] of [
      [{ username, email: 'other@example.org' }, 'username_taken'],
      [{ username: newName(), email: `${username}@EXAMPLE.org` }, 'email_taken'],
    ] as const)
      expect((await admin.post(USERS, taken, 409)).body.code).toBe(code)
    const other = newName()
    await admin.post(USERS, { username: other, email: `${other}@example.org`, password: PASSWORD }, 201)
    await service.guest().login(other)
  })

  test('import them from a CSV, after a dry run that changes nothing', async () => {
    const [one, two] = [newName(), newName()]
    const csv = [
      'email,full_name,role,username',
      `${one}@example.org,Ada Byron,,`,
      `${two}@example.org,,admin,${two}.x`,
      'nobody,,,',
      `three@example.org,,teacher,`,
      `four@example.org,,,a b`,
      `${admin.username}@example.org,,,`,
      `${one}@EXAMPLE.org,,,another-${one}`,
    ].join('\n')
    const errors = [
      'Row 4: email must be an e-mail address',
      'Row 5: role must be user, admin or user,admin',
      'Row 6: username must be 3 to 32 letters from a to z, digits, dots, hyphens and underscores',
      'Row 7: the username or e-mail address is taken',
      'Row 8: the username or e-mail address is taken',
    ]
    const before = await service.sql`select count(*) from users`
    const tried = await importCsv(csv, '?dry_run=true')
    expect(tried.body).toEqual({ success: true, created: 2, errors, dry_run: true })
    const sayingSo = form({ dry_run: 'true' }, { field: 'file', name: 'people.csv', bytes: csv })
    expect((await admin.request('POST', `${USERS}/import`, sayingSo, 200)).body).toEqual(tried.body)
    expect(await service.sql`select count(*) from users`).toEqual(before)
    expect((await importCsv(csv)).body).toEqual({ success: true, created: 2, errors, dry_run: false })
    const made = await service.sql`
      select username, full_name, role, password_hash from users where email like ${`%${one}%`} or email like ${`%${two}%`} order by id`
    expect(made).toEqual([
      { username: one, full_name: 'Ada Byron', role: 'user', password_hash: null },
      { username: `${two}.x`, full_name: `${two}.x`, role: 'admin', password_hash: null },
    ])
    expect((await importCsv(csv)).body).toMatchObject({ created: 0 })
    expect((await importCsv('username\nx', '', 400)).body).toMatchObject({ code: 'missing_columns' })
    const many = Array.from({ length: 1_200 }, (_, n) => `${one}.${n}@example.org`)
    expect((await importCsv(['email', ...many].join('\n'), '?dry_run=true')).body).toMatchObject({
      created: 1_200,
    })
    const toomany = Array.from({ length: 10_001 }, (_, n) => `p${n}@example.org`)
    expect((await importCsv(['email', ...toomany].join('\n'), '', 400)).body).toMatchObject({
      code: 'invalid_csv',
    })
  })

  test('suspend people, who are out on every node at once and can’t come in, and let them in again', async () => {
    const person = await service.person()
    const there = person.at(service.urls[1] ?? '')
    await there.get('/api/v01/auth/me', 200)
    const suspended = await admin.patch(`${USERS}/${person.id}`, { suspended: true }, 200)
    expect(suspended.body.user.suspended_at).toMatch(/Z$/)
    await expect.poll(async () => (await there.get('/api/v01/auth/me')).status, { timeout: 1_000 }).toBe(401)
    await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 401)
    const credentials = { username: person.username, password: PASSWORD }
    for (const way of ['/api/v01/auth/login', '/login'] as const)
      expect((await service.guest().post(way, credentials, 403)).body.code).toBe('account_suspended')
    const wrong = await service.guest().post('/api/v01/auth/login', { ...credentials, password: 'x' }, 401)
    expect(wrong.body.code).toBe('invalid_credentials')
    const { body } = await admin.get(`${USERS}?q=${person.username}`, 200)
    expect(body.users).toMatchObject([{ id: person.id, suspended: true }])
    // Once more changes nothing.
    await admin.patch(`${USERS}/${person.id}`, { suspended: true }, 200)
    await admin.patch(`${USERS}/${person.id}`, { suspended: false }, 200)
    await service.guest().login(person.username)
    expect((await actionsOn(person.id)).map(([action]) => action)).toEqual(['user.suspend', 'user.restore'])
    await admin.patch(`${USERS}/2147483647`, { suspended: true }, 404)
    await admin.patch(`${USERS}/-1`, { suspended: true })
  })

  test('change the name of people, once or with a suspension', async () => {
    const person = await service.person()
    const address = `${USERS}/${person.id}` as `${typeof USERS}/1`
    const named = await admin.patch(address, { full_name: 'Ada Lovelace' }, 200)
    expect(named.body.user).toMatchObject({ full_name: 'Ada Lovelace', suspended_at: null })
    await admin.patch(address, { full_name: 'Ada Lovelace' }, 200)
    await admin.patch(address, { full_name: 'Ada King', suspended: true }, 200)
    expect((await actionsOn(person.id)).map(([action]) => action)).toEqual([
      'user.rename',
      'user.rename',
      'user.suspend',
    ])
    for (const body of [{}, { full_name: '' }, { full_name: 'a\nb' }, { full_name: 'x'.repeat(201) }])
      await admin.patch(address, body, 400)
    await person.patch(address, { full_name: 'Somebody else' }, 401)
  })

  test('make a link by which somebody who gets no mail chooses a password, once and for a day', async () => {
    const person = await service.person()
    const other = await service.admin()
    const address = (id: number) => `${USERS}/${id}/password-link` as `${typeof USERS}/1/password-link`
    const make = async () => {
      const { url, ends_at } = (await admin.post(address(person.id), {}, 200)).body
      expect(Date.parse(ends_at) - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
      return new URL(url).searchParams.get('token') ?? ''
    }
    const choose = (token: string, status: number, new_password = 'chosen by its owner') =>
      service.guest().post('/api/v01/account/password-reset/confirm', { token, new_password }, status)
    const first = await make()
    const token = await make()
    await choose(first, 400)
    const [before] = await service.sql`select email_verified from users where id = ${person.id}`
    const answers = await Promise.all(
      [0, 1].map((node) =>
        service
          .guest(node)
          .post('/api/v01/account/password-reset/confirm', { token, new_password: 'chosen by its owner' }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    await service.guest().login(person.username, 'chosen by its owner')
    // Who handed the link over says nothing of the address.
    expect(await service.sql`select email_verified from users where id = ${person.id}`).toEqual([before])
    expect(JSON.stringify(await service.sql`select * from password_links`)).not.toContain(token)

    const late = await make()
    await service.sql`update password_links set ends_at = now() where user_id = ${person.id}`
    await choose(late, 400)
    const risen = await make()
    await service.sql`update users set role = 'user,admin' where id = ${person.id}`
    await choose(risen, 400)
    await admin.post(address(other.id), {}, 403)
    await admin.post(address(admin.id), {}, 403)
    await admin.post(address(2_147_483_647), {}, 404)
    expect((await actionsOn(person.id)).map(([action]) => action)).toEqual(
      Array.from({ length: 4 }, () => 'user.password_link'),
    )
  })

  test('delete an account with their own password, as its owner could', async () => {
    const person = await service.person()
    const address = `${USERS}/${person.id}` as `${typeof USERS}/1`
    const confirm = 'DELETE'
    expect((await admin.delete(address, 400, {})).body.code).toBe('confirmation_required')
    await admin.delete(address, 400, { confirm })
    const wrong = { confirm, current_password: 'x' }
    expect((await admin.delete(address, 403, wrong)).body.code).toBe('wrong_password')
    await person.get('/api/v01/auth/me', 200)
    const { examId } = await createExam(service.sql, { duration_minutes: 60 })
    await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
    const right = { confirm, current_password: PASSWORD }
    expect((await admin.delete(address, 409, right)).body.code).toBe('attempt_active')
    await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await admin.delete(address, 200, right)
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    await admin.delete(address, 404, right)
    expect(await actionsOn(person.id)).toEqual([
      ['account.delete', admin.id, 'An administrator deleted the account'],
    ])
  })

  test('always leave one who may sign in, however many act at once', async () => {
    const alone = await withService({ nodes: 2 })
    const two = [await alone.admin(), await alone.admin(undefined, 1)] as const
    const [one, other] = two
    const answers = await Promise.all([
      one.patch(`${USERS}/${other.id}`, { suspended: true }),
      other.patch(`${USERS}/${one.id}`, { suspended: true }),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const [left] =
      await alone.sql`select id from users where role <> 'user' and id > 0 and suspended_at is null`
    const last = alone.guest()
    await last.login(two.find(({ id }) => id === left?.id)?.username ?? '')
    for (const refused of [
      await last.patch(`${USERS}/${last.id}`, { suspended: true }, 409),
      await last.delete(`${USERS}/${last.id}`, 409, { confirm: 'DELETE', current_password: PASSWORD }),
      await last.post(`${USERS}/role`, { user_id: last.id, new_role: 'user' }, 409),
    ])
      expect(refused.body.code).toBe('last_admin')
  })

  test('alone do so', async () => {
    const person = await service.person()
    for (const [method, address] of [
      ['POST', USERS],
      ['POST', `${USERS}/import`],
      ['PATCH', `${USERS}/${admin.id}`],
      ['DELETE', `${USERS}/${admin.id}`],
    ] as const) {
      await person.request(method, address, {}, 403)
      await service.guest().request(method, address, {}, 401)
    }
  })
})

describe('registration', () => {
  const newcomer = (email: string) => ({ username: newName(), email, password: PASSWORD })

  test('can be closed, to Google’s newcomers too; administrators go on making accounts', async () => {
    const provider = await withGoogle()
    const google = {
      googleClientIds: ['our-app.apps.googleusercontent.com'],
      googleCertsUrl: provider.certsUrl,
    }
    const closed = await withService({ config: { registration: 'closed', ...google } })
    const guest = closed.guest()
    for (const way of ['/api/v01/auth/register', '/create_account'] as const)
      expect((await guest.post(way, newcomer('new@example.org'), 403)).body.code).toBe('registration_closed')
    const token = { id_token: provider.sign({ sub: randomUUID(), email: 'new@example.org' }) }
    expect((await guest.post('/api/v01/auth/google', token, 403)).body.code).toBe('registration_closed')
    const page = await guest.get('/create_account', 403)
    expect(page.body).toContain('(registration_closed)')
    expect(String((await guest.get('/login', 200)).body)).not.toContain('/create_account')
  })

  test('can be for addresses of some domains', async () => {
    const limited = await withService({ config: { registration: { domains: ['school.example'] } } })
    await limited.guest().post('/api/v01/auth/register', newcomer('ada@School.example'), 201)
    for (const email of ['ada@example.org', 'ada@notschool.example', 'ada@school.example.org']) {
      const { body } = await limited.guest().post('/api/v01/auth/register', newcomer(email), 403)
      expect(body).toMatchObject({
        code: 'registration_closed',
        message: 'Accounts here are for addresses of school.example',
      })
    }
    const { body: page } = await limited.guest().get('/create_account', 200)
    expect(page).toContain('Accounts here are for addresses of school.example.')
  })
})
