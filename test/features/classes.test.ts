import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR_MS = 3_600_000
let now = Date.UTC(2026, 10, 20, 10)
let service: TestService
let admin: Client
let teacher: Client
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  ;[admin, teacher] = await Promise.all([service.admin(), service.person()])
})
afterAll(() => service.close())
// The tests set the clock past the end of tokens.
beforeEach(async () => {
  await Promise.all([admin, teacher].map((person) => person.login(person.username)))
})

const elsewhere = (person: Client) => person.at(service.urls[1] as string)
const addressOf = (person: Client) => `${person.username}@example.org`
const confirm = (person: Client) =>
  service.sql`update users set email_verified = true where id = ${person.id}`

async function newClass(): Promise<number> {
  const { body } = await admin.post(
    '/api/v01/admin/classes',
    { name: 'Physics', teacher_ids: [teacher.id] },
    201,
  )
  return body.class.id
}

async function newCode(classId: number, ends_at: string | null = null): Promise<string> {
  const { body } = await teacher.post(`/api/v01/classes/${classId}/code`, { ends_at }, 200)
  return body.code as string
}

const members = async (classId: number) =>
  (await teacher.get(`/api/v01/classes/${classId}`, 200)).body.members.map(({ user_id }) => user_id)

/** The code of the link in the newest mail to somebody. */
async function mailedCode(email: string): Promise<string | undefined> {
  const folder = path.join(service.dataDir, 'mail')
  const files = await readdir(folder).catch(() => [])
  for (const file of files.sort().reverse()) {
    const text = (await readFile(path.join(folder, file), 'utf8'))
      .replaceAll('=\r\n', '')
      .replaceAll('=\n', '')
    if (text.includes(email)) return /join\?code=(?:3D)?([\w-]+)/.exec(text)?.[1]
  }
  return undefined
}

describe('administrators', () => {
  test('make, change, archive and delete classes', async () => {
    const other = await service.person()
    const { body } = await admin.post('/api/v01/admin/classes', { name: ' 10 b ' }, 201)
    const at = `/api/v01/admin/classes/${body.class.id}` as const
    expect(body.class).toMatchObject({
      name: '10 b',
      archived: false,
      students: 0,
      teachers: [{ user_id: admin.id }],
    })
    const bare = await admin.post('/api/v01/admin/classes', { name: '10 d', teacher_ids: [] }, 201)
    expect(bare.body.class.teachers).toEqual([])
    await admin.post('/api/v01/admin/classes', { name: 'x', teacher_ids: [999_999] }, 400)
    const changed = await admin.patch(at, { name: '10 c', teacher_ids: [teacher.id, other.id] }, 200)
    expect(changed.body.class).toMatchObject({
      name: '10 c',
      teachers: [{ user_id: teacher.id }, { user_id: other.id }],
    })
    await admin.patch(at, { teacher_ids: [other.id] }, 200)
    await teacher.get(`/api/v01/classes/${body.class.id}`, 404)
    expect((await admin.get('/api/v01/admin/classes?q=0%20C', 200)).body).toMatchObject({
      classes: [{ id: body.class.id }],
      total: 1,
    })
    await admin.patch(at, {}, 400)
    await admin.patch(at, { archived: true }, 200)
    expect((await other.get('/api/v01/classes', 200)).body.classes).toEqual([])
    expect((await other.get('/api/v01/classes?archived=true', 200)).body.classes).toMatchObject([
      { id: body.class.id, role: 'teacher', archived: true },
    ])
    expect((await admin.get('/api/v01/admin/classes?q=0%20C', 200)).body.total).toBe(0)
    expect((await other.post(`/api/v01/classes/${body.class.id}/code`, {}, 409)).body.code).toBe(
      'class_archived',
    )
    for (const change of [{ name: 'x' }, { archived: true, name: 'x' }, { archived: true, teacher_ids: [] }])
      expect((await admin.patch(at, change, 409)).body.code).toBe('class_archived')
    await (await service.person()).post(`/api/v01/classes/${body.class.id}/accept`, {}, 404)
    await admin.patch(at, { archived: false }, 200)
    await other.post(`/api/v01/classes/${body.class.id}/code`, {}, 200)

    const { body: exam } = await admin.post(
      '/api/v01/admin/exams',
      { name: 'E', class_ids: [body.class.id] },
      201,
    )
    expect((await admin.delete(at, 409)).body.code).toBe('class_in_use')
    await admin.patch(`/api/v01/admin/exams/${exam.exam.id}`, { class_ids: [await newClass()] }, 200)
    await admin.delete(at, 200)
    await admin.delete(at, 404)
    await other.post('/api/v01/admin/classes', { name: 'x' }, 403)
    const log = (await admin.get(`/api/v01/admin/audit?class_id=${body.class.id}`, 200)).body.entries
    expect(log.map(({ action }) => action).reverse()).toEqual([
      'class.create',
      ...Array(4).fill('class.change'),
      'class.code',
      'class.delete',
    ])
  })

  test('delete the last two classes of an exam at once: one of them stays', async () => {
    const [one, two] = [await newClass(), await newClass()]
    await admin.post('/api/v01/admin/exams', { name: 'E', class_ids: [one, two] }, 201)
    const statuses = await Promise.all([
      admin.delete(`/api/v01/admin/classes/${one}`),
      elsewhere(admin).delete(`/api/v01/admin/classes/${two}`),
    ])
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('a code', () => {
  test('joins in any case, once, on two nodes at the same time, until it ends', async () => {
    const classId = await newClass()
    const student = await service.person()
    const code = await newCode(classId)
    expect(code).toMatch(/^[A-HJKMNP-Z]{8}$/)
    const join = (client: Client, given = code) => client.post('/api/v01/classes/join', { code: given })
    const answers = await Promise.all([join(student), join(elsewhere(student), code.toLowerCase())])
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ class: { id: classId, name: 'Physics', role: 'student', students: 1 } })
    }
    expect((await student.get('/api/v01/classes', 200)).body.classes).toMatchObject([{ id: classId }])
    expect(await members(classId)).toEqual([teacher.id, student.id])

    const late = await service.person()
    const next = await newCode(classId, new Date(now + HOUR_MS).toISOString())
    expect((await join(late)).status).toBe(404)
    await teacher.post(`/api/v01/classes/${classId}/code`, { ends_at: '2001-01-01' }, 400)
    now += HOUR_MS
    await Promise.all([late, teacher].map((person) => person.login(person.username)))
    expect((await join(late, next)).status).toBe(404)
    const last = await newCode(classId)
    expect((await teacher.delete(`/api/v01/classes/${classId}/code`, 200)).body).toMatchObject({ code: null })
    expect((await join(late, last)).status).toBe(404)
  })

  test('is tried ten times an hour, however many ask at once', async () => {
    const classId = await newClass()
    const student = await service.person()
    const code = await newCode(classId)
    const tries = await Promise.all(
      Array.from({ length: 14 }, (_, n) =>
        (n % 2 ? elsewhere(student) : student).post('/api/v01/classes/join', { code: `wrong ${n}` }),
      ),
    )
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(10).fill(404), ...Array(4).fill(429)])
    const refused = await student.post('/api/v01/classes/join', { code }, 429)
    expect(refused.body).toMatchObject({ code: 'rate_limited', retry_after: HOUR_MS / 1_000 })
    now += HOUR_MS
    await student.login(student.username)
    await student.post('/api/v01/classes/join', { code }, 200)
  })

  test('joins somebody who leaves again and again at the pace of what others are told of', async () => {
    const classId = await newClass()
    const code = await newCode(classId)
    const ann = await service.person()
    const began = performance.now()
    for (let n = 0; n < 10; n++) {
      await ann.post('/api/v01/classes/join', { code }, 200)
      await ann.delete(`/api/v01/classes/${classId}/membership`, 200)
    }
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test('brings back who left, but nobody who was removed', async () => {
    const classId = await newClass()
    const student = await service.person()
    const code = await newCode(classId)
    const join = () => student.post('/api/v01/classes/join', { code })
    await join()
    await student.delete(`/api/v01/classes/${classId}/membership`, 200)
    await student.delete(`/api/v01/classes/${classId}/membership`, 404)
    await student.get(`/api/v01/classes/${classId}`, 404)
    expect((await join()).status).toBe(200)
    await student.get(`/api/v01/classes/${classId}`, 200)
    await teacher.delete(`/api/v01/classes/${classId}/members/${teacher.id}`, 403)
    await teacher.delete(`/api/v01/classes/${classId}/members/${student.id}`, 200)
    await teacher.delete(`/api/v01/classes/${classId}/members/${student.id}`, 404)
    expect((await join()).status).toBe(404)
    const added = await admin.post(`/api/v01/classes/${classId}/members`, { user_ids: [student.id] }, 200)
    expect(added.body).toMatchObject({ added: 1, invited: 0, errors: null })
    expect((await join()).status).toBe(200)
  })

  test('brings nobody back who left before they were removed', async () => {
    const classId = await newClass()
    const [student, stranger] = [await service.person(), await service.person()]
    const code = await newCode(classId)
    const join = () => student.post('/api/v01/classes/join', { code })
    await join()
    await student.delete(`/api/v01/classes/${classId}/membership`, 200)
    const left = async () =>
      (
        await service.sql`select left_at from class_members where class_id = ${classId} and user_id = ${student.id}`
      )[0]?.left_at
    const before = await left()
    now += 60_000
    await teacher.post(`/api/v01/classes/${classId}/members`, { emails: [`new.${addressOf(student)}`] }, 200)
    now += 60_000
    await stranger.delete(`/api/v01/classes/${classId}/members/${student.id}`, 404)
    await teacher.delete(`/api/v01/classes/${classId}/members/${stranger.id}`, 404)
    await teacher.delete(`/api/v01/classes/${classId}/members/${student.id}`, 200)
    await teacher.delete(`/api/v01/classes/${classId}/members/${student.id}`, 404)
    expect((await join()).status).toBe(404)
    // What they did until they left stays theirs.
    expect(await left()).toEqual(before)
    // Nor by what another address of theirs was asked before.
    await student.patch(
      '/api/v01/account',
      { email: `new.${addressOf(student)}`, current_password: PASSWORD },
      200,
    )
    await confirm(student)
    await student.post(`/api/v01/classes/${classId}/accept`, {}, 404)
    await admin.post(`/api/v01/classes/${classId}/members`, { user_ids: [student.id] }, 200)
    expect((await join()).status).toBe(200)
  })
})

describe('invitations', () => {
  test('are the same for addresses with and without an account', async () => {
    const classId = await newClass()
    const [known, unconfirmed] = await Promise.all([service.person(), service.person()])
    await confirm(known)
    const emails = [addressOf(known), addressOf(unconfirmed), 'nobody.here@example.org', 'no address']
    const at = `/api/v01/classes/${classId}/members` as const
    await teacher.post(at, { user_ids: [known.id] }, 403)
    const { body } = await teacher.post(at, { emails }, 200)
    expect(body).toEqual({
      success: true,
      added: 0,
      invited: 3,
      errors: ['no address: is no e-mail address'],
    })
    const shown = (await teacher.get(`/api/v01/classes/${classId}`, 200)).body
    expect(shown.invited?.map(({ email }) => email).sort()).toEqual(emails.slice(0, 3).sort())
    expect(shown.members).toHaveLength(1)

    expect((await known.get('/api/v01/classes', 200)).body.invitations).toMatchObject([
      { id: classId, name: 'Physics', role: 'student' },
    ])
    expect((await unconfirmed.get('/api/v01/classes', 200)).body.invitations).toEqual([])
    await unconfirmed.post(`/api/v01/classes/${classId}/accept`, {}, 404)
    const accepted = await known.post(`/api/v01/classes/${classId}/accept`, {}, 200)
    expect(accepted.body.class).toMatchObject({ id: classId, role: 'student' })
    const repeated = await known.post(`/api/v01/classes/${classId}/accept`, {}, 200)
    expect(repeated.body).toEqual(accepted.body)
    expect((await known.get('/api/v01/classes', 200)).body.invitations).toEqual([])

    // The mailed link is for its address alone, and confirms that.
    await expect.poll(() => mailedCode(addressOf(unconfirmed))).toEqual(expect.any(String))
    const code = (await mailedCode(addressOf(unconfirmed))) as string
    await known.post('/api/v01/classes/join', { code }, 404)
    // In two tabs at once, and again: joining twice is joining once.
    const tabs = [unconfirmed, elsewhere(unconfirmed)]
    await Promise.all(tabs.map((tab) => tab.post('/api/v01/classes/join', { code }, 200)))
    const again = await unconfirmed.post('/api/v01/classes/join', { code }, 200)
    expect(again.body.class).toMatchObject({ id: classId, role: 'student', students: 2 })
    await unconfirmed.get('/api/v01/classes', 200)
    const [row] = await service.sql`select email_verified from users where id = ${unconfirmed.id}`
    expect(row).toEqual({ email_verified: true })
    const log = (await admin.get(`/api/v01/admin/audit?class_id=${classId}`, 200)).body.entries
    expect(log.map(({ action }) => action)).toEqual([
      'class.join',
      'class.join',
      'class.invite',
      'class.create',
    ])
    for (const { summary } of log) expect(summary).not.toContain('@')
  })

  test('are declined, withdrawn, and over after 14 days', async () => {
    const classId = await newClass()
    const known = await service.person()
    await confirm(known)
    const ask = () =>
      teacher.post(`/api/v01/classes/${classId}/members`, { emails: [addressOf(known).toUpperCase()] }, 200)
    const invitations = async () => (await known.get('/api/v01/classes', 200)).body.invitations.length
    await ask()
    expect(await invitations()).toBe(1)
    await known.delete(`/api/v01/classes/${classId}/invitation`, 200)
    await known.delete(`/api/v01/classes/${classId}/invitation`, 404)
    const [newest] = (await admin.get(`/api/v01/admin/audit?class_id=${classId}`, 200)).body.entries
    expect(newest).toMatchObject({ action: 'class.decline', actor_id: known.id })
    await ask()
    const [invited] = (await teacher.get(`/api/v01/classes/${classId}`, 200)).body.invited ?? []
    const at = `/api/v01/classes/${classId}/invitations/${invited?.id}` as const
    await known.delete(at, 404)
    await teacher.delete(at, 200)
    await teacher.delete(at, 404)
    expect(await invitations()).toBe(0)
    await ask()
    now += 14 * 24 * HOUR_MS
    await Promise.all([known, teacher].map((person) => person.login(person.username)))
    expect(await invitations()).toBe(0)
    await known.post(`/api/v01/classes/${classId}/accept`, {}, 404)
  })

  test('are 2,000 a class and day, and one an hour for each address', async () => {
    const classId = await newClass()
    const ask = (from: number, count: number) => {
      const rows = Array.from({ length: count }, (_, n) => `s${from + n}@school.example,Student ${n},`)
      const file = { field: 'file', name: 'roster.csv', bytes: ['email,full_name,role', ...rows].join('\n') }
      return teacher.request('POST', `/api/v01/classes/${classId}/roster`, form({}, file), 200)
    }
    expect((await ask(0, 1_500)).body).toMatchObject({ invited: 1_500, errors: null })
    expect((await ask(0, 1_500)).body).toMatchObject({ invited: 1_500, errors: null })
    const { body } = await ask(1_000, 1_001)
    expect(body).toMatchObject({ invited: 1_000 })
    expect(body.errors).toEqual(['Row 1002: a class sends at most 2000 invitations a day'])
    now += 24 * HOUR_MS
    await teacher.login(teacher.username)
    expect((await ask(2_000, 1)).body).toMatchObject({ invited: 1, errors: null })
  })

  test('mail an address once an hour, whether or not they are withdrawn meanwhile, and then know the newest role', {
    meta: { costly: 'sends hundreds of mails' },
  }, async () => {
    const classId = await newClass()
    const person = await service.person()
    const email = addressOf(person)
    const ask = (by: Client, role: string) => {
      const file = { field: 'file', name: 'a.csv', bytes: `email,full_name,role\n${email},,${role}` }
      return by.request('POST', `/api/v01/classes/${classId}/roster`, form({}, file), 200)
    }
    const invited = async () => (await teacher.get(`/api/v01/classes/${classId}`, 200)).body.invited ?? []
    const withdraw = async () =>
      teacher.delete(`/api/v01/classes/${classId}/invitations/${(await invited())[0]?.id as number}`, 200)
    await ask(admin, 'teacher')
    await expect.poll(() => mailedCode(email)).toEqual(expect.any(String))
    const code = (await mailedCode(email)) as string
    await withdraw()
    expect(await invited()).toEqual([])
    await person.post('/api/v01/classes/join', { code }, 404)
    for (let time = 0; time < 5; time++) {
      expect((await ask(teacher, 'student')).body).toMatchObject({ invited: 1, errors: null })
      if (time < 4) await withdraw()
    }
    // Its own mail comes after all that would have been due for the other address.
    const later = 'after.all@school.example'
    await teacher.post(`/api/v01/classes/${classId}/members`, { emails: [later] }, 200)
    await expect.poll(() => mailedCode(later)).toEqual(expect.any(String))
    expect(await mailedCode(email)).toBe(code)
    expect(await invited()).toMatchObject([{ email: later }, { email, role: 'student' }])
    const joined = await person.post('/api/v01/classes/join', { code }, 200)
    expect(joined.body.class.role).toBe('student')
  })

  test('end for who becomes a teacher, and wait while the class is archived', async () => {
    const classId = await newClass()
    const [known, asked] = await Promise.all([service.person(), service.person()])
    await Promise.all([known, asked].map(confirm))
    const emails = [known, asked].map(addressOf)
    await teacher.post(`/api/v01/classes/${classId}/members`, { emails }, 200)
    const at = `/api/v01/admin/classes/${classId}` as const
    await admin.patch(at, { teacher_ids: [teacher.id, known.id] }, 200)
    const { invited = [] } = (await teacher.get(`/api/v01/classes/${classId}`, 200)).body
    expect(invited.map(({ email }) => email)).toEqual([addressOf(asked)])
    await admin.patch(at, { archived: true }, 200)
    const refused = await asked.post(`/api/v01/classes/${classId}/accept`, {}, 409)
    expect(refused.body.code).toBe('class_archived')
    await admin.patch(at, { archived: false }, 200)
    await asked.post(`/api/v01/classes/${classId}/accept`, {}, 200)
  })

  test('bring nobody back who was removed since', async () => {
    const classId = await newClass()
    const person = await service.person()
    const ask = () =>
      teacher.post(`/api/v01/classes/${classId}/members`, { emails: [addressOf(person)] }, 200)
    await ask()
    await expect.poll(() => mailedCode(addressOf(person))).toEqual(expect.any(String))
    const link = (await mailedCode(addressOf(person))) as string
    // The code leaves the invitation of an address that isn't confirmed.
    await person.post('/api/v01/classes/join', { code: await newCode(classId) }, 200)
    await teacher.delete(`/api/v01/classes/${classId}/members/${person.id}`, 200)
    await confirm(person)
    await person.post('/api/v01/classes/join', { code: link }, 404)
    await person.post(`/api/v01/classes/${classId}/accept`, {}, 404)
    expect((await person.get('/api/v01/classes', 200)).body).toMatchObject({ classes: [], invitations: [] })
    await ask()
    await person.post(`/api/v01/classes/${classId}/accept`, {}, 200)
  })

  test('nor who had another address while they were removed', async () => {
    const classId = await newClass()
    const person = await service.person()
    const email = addressOf(person)
    const ask = () => teacher.post(`/api/v01/classes/${classId}/members`, { emails: [email] }, 200)
    const move = (to: string) =>
      person.patch('/api/v01/account', { email: to, current_password: PASSWORD }, 200)
    await ask()
    await expect.poll(() => mailedCode(email)).toEqual(expect.any(String))
    const link = (await mailedCode(email)) as string
    await person.post('/api/v01/classes/join', { code: await newCode(classId) }, 200)
    await move(`not.${email}`)
    now += 60_000
    await teacher.delete(`/api/v01/classes/${classId}/members/${person.id}`, 200)
    await move(email)
    await person.post('/api/v01/classes/join', { code: link }, 404)
    await confirm(person)
    expect((await person.get('/api/v01/classes', 200)).body).toMatchObject({ classes: [], invitations: [] })
    await person.post(`/api/v01/classes/${classId}/accept`, {}, 404)
    // The mail of the same hour stands for a new invitation.
    const { invited = [] } = (await teacher.get(`/api/v01/classes/${classId}`, 200)).body
    await teacher.delete(`/api/v01/classes/${classId}/invitations/${invited[0]?.id as number}`, 200)
    await ask()
    await person.post('/api/v01/classes/join', { code: link }, 200)
  })

  test('go with the account of a confirmed address', async () => {
    const classId = await newClass()
    const known = await service.person()
    await confirm(known)
    await teacher.post(`/api/v01/classes/${classId}/members`, { emails: [addressOf(known)] }, 200)
    await known.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    expect((await teacher.get(`/api/v01/classes/${classId}`, 200)).body.invited).toEqual([])
  })
})

describe('a teacher who is removed while they act', () => {
  test('changes nothing any more', async () => {
    const classId = await newClass()
    const at = `/api/v01/classes/${classId}`
    const acts: [path: string, body: unknown][] = [
      ['code', {}],
      ['members', { emails: ['late@school.example'] }],
      ['conversation', {}],
    ]
    const waiting = await service.sql.begin(async (tx) => {
      // As a removal holds it.
      await tx`select from classes where id = ${classId} for no key update`
      const answers = acts.map(([path, body]) => teacher.request('POST', `${at}/${path}`, body, 404))
      await expect
        .poll(async () => {
          const [row] = await service.sql`
            select count(*)::int as waiting from pg_locks where not granted and locktype in ('tuple', 'transactionid')
               and pid in (select pid from pg_stat_activity where datname = current_database())`
          return row?.waiting
        })
        .toBeGreaterThanOrEqual(acts.length)
      await tx`update class_members set left_at = now(), removed = true where class_id = ${classId}`
      return answers
    })
    await Promise.all(waiting)
    const { body } = await admin.get(`${at}` as const, 200)
    expect(body).toMatchObject({
      join_code: null,
      members: [],
      invited: [],
      class: { conversation_id: null },
    })
  })
})

describe('a roster', () => {
  test('of thousands adds those who have confirmed, and their invitations end', async () => {
    const classId = await newClass()
    await service.sql`
      insert into users (username, email, full_name, role, email_verified)
      select 'roll' || n, 'roll' || n || '@example.org', 'Roll', 'user', n % 2 = 0 from generate_series(1, 3000) n`
    await teacher.post(`/api/v01/classes/${classId}/members`, { emails: ['Roll2@example.org'] }, 200)
    const bytes = `email\n${Array.from({ length: 3_000 }, (_, n) => `roll${n + 1}@example.org`).join('\n')}`
    const send = (node: number) =>
      admin
        .at(service.urls[node] as string)
        .request(
          'POST',
          `/api/v01/classes/${classId}/roster`,
          form({}, { field: 'file', name: 'roster.csv', bytes }),
          200,
        )
    // Two at once: everybody is added once, and asked once.
    const [one, other] = (await Promise.all([send(0), send(1)])).map(({ body }) => body)
    expect([one?.added, other?.added].sort()).toEqual([0, 1_500])
    expect([one?.invited, other?.invited]).toEqual([1_500, 1_500])
    const { body } = await admin.get(`/api/v01/classes/${classId}`, 200)
    expect([body.class.students, body.invited_total]).toEqual([1_500, 1_500])
    const [mails] = await service.sql`select count from class_mails where class_id = ${classId}`
    expect(mails?.count).toBe(1_501)
  })

  test('is tried without a change, and names its rows', async () => {
    const classId = await newClass()
    const known = await service.person()
    await confirm(known)
    const rows = [
      'Role,Full_Name,Email',
      `student,Ann,${addressOf(known)}`,
      'teacher,Bo,bo@school.example',
      'head,Cy,cy@school.example',
      ',Di,di@@school.example',
      `,Again,${addressOf(known)}`,
    ]
    const send = (person: Client, query = '') =>
      person.request(
        'POST',
        `/api/v01/classes/${classId}/roster${query}`,
        form({}, { field: 'file', name: 'roster.csv', bytes: rows.join('\r\n') }),
        200,
      )
    const errors = [
      'Row 4: role is neither student nor teacher',
      'Row 5: is no e-mail address',
      'Row 6: is the address of Row 2 again',
    ]
    const byTeacher = {
      added: 0,
      invited: 1,
      errors: ['Row 3: only administrators add teachers', ...errors],
    }
    expect((await send(teacher, '?dry_run=true')).body).toMatchObject(byTeacher)
    expect((await teacher.get(`/api/v01/classes/${classId}`, 200)).body.invited).toEqual([])
    const byAdmin = { added: 1, invited: 1, errors }
    expect((await send(admin, '?dry_run=true')).body).toMatchObject(byAdmin)
    const sayingSo = form({ dry_run: 'true' }, { field: 'file', name: 'roster.csv', bytes: rows.join('\n') })
    const sayingSoLast = form({}, { field: 'file', name: 'roster.csv', bytes: rows.join('\n') })
    sayingSoLast.append('dry_run', 'true')
    for (const body of [sayingSo, sayingSoLast])
      expect(
        (await admin.request('POST', `/api/v01/classes/${classId}/roster`, body, 200)).body,
      ).toMatchObject(byAdmin)
    sayingSoLast.set('dry_run', 'perhaps')
    await admin.request('POST', `/api/v01/classes/${classId}/roster`, sayingSoLast, 400)
    expect(await members(classId)).toEqual([teacher.id])
    expect((await send(admin)).body).toMatchObject(byAdmin)
    expect(await members(classId)).toEqual([teacher.id, known.id])
    const { invited = [] } = (await teacher.get(`/api/v01/classes/${classId}`, 200)).body
    expect(invited).toMatchObject([{ email: 'bo@school.example', full_name: 'Bo', role: 'teacher' }])
    const bare = form({}, { field: 'file', name: 'roster.csv', bytes: 'name\nAnn' })
    await teacher.request('POST', `/api/v01/classes/${classId}/roster`, bare, 400)
  })
})

describe('the conversation of a class', () => {
  test('has the members of the class, and belongs to its teachers', async () => {
    const classId = await newClass()
    const [ann, ben] = await Promise.all([service.person(), service.person()])
    await admin.post(`/api/v01/classes/${classId}/members`, { user_ids: [ann.id] }, 200)
    const at = `/api/v01/classes/${classId}/conversation` as const
    const made = await Promise.all([teacher.post(at, {}), elsewhere(teacher).post(at, {})])
    expect(made.map(({ status }) => status).sort()).toEqual([200, 201])
    const id = made[0].body.conv_id as number
    expect(made[1].body.conv_id).toBe(id)
    const inside = async () => {
      const { body } = await teacher.get(`/api/v01/chat/conversations/${id}`, 200)
      return body.conversation.members.map((member: { id: number }) => member.id)
    }
    expect(await inside()).toEqual([teacher.id, ann.id])
    await newCode(classId)
    await ben.post('/api/v01/classes/join', { code: await newCode(classId) }, 200)
    expect(await inside()).toEqual([teacher.id, ann.id, ben.id])
    expect((await ann.delete(`/api/v01/chat/groups/${id}/members/${ann.id}`, 403)).body.code).toBe(
      'class_group',
    )
    await ann.patch(`/api/v01/chat/groups/${id}`, { name: 'Ours' }, 403)
    await teacher.patch(`/api/v01/chat/groups/${id}`, { name: 'Physics 1' }, 200)
    await teacher.delete(`/api/v01/classes/${classId}/members/${ann.id}`, 200)
    expect(await inside()).toEqual([teacher.id, ben.id])
    await ann.get(`/api/v01/chat/conversations/${id}`, 404)
  })

  test('is for up to 256 people; of a class that grows beyond that the first ones stay', async () => {
    const classId = await newClass()
    await service.sql`
      with made as (
        insert into users (username, email, full_name, role)
        select 'crowd' || n, 'crowd' || n || '@example.org', 'Crowd', 'user' from generate_series(1, 256) n returning id)
      insert into class_members (class_id, user_id, role, joined_at)
      select ${classId}, id, 'student', ${new Date(now)}::timestamptz from made`
    const at = `/api/v01/classes/${classId}/conversation` as const
    expect((await teacher.post(at, {}, 409)).body.code).toBe('too_many')
    const [last] = await service.sql<
      [{ id: number }]
    >`select max(id) as id from users where username like 'crowd%'`
    await teacher.delete(`/api/v01/classes/${classId}/members/${last.id}`, 200)
    const { conv_id: id } = (await teacher.post(at, {}, 201)).body
    const late = await service.person()
    await late.post('/api/v01/classes/join', { code: await newCode(classId) }, 200)
    const [group] = await service.sql`
      select count(*)::int as size from conversation_members where conversation_id = ${id}`
    expect(group?.size).toBe(256)
    await late.get(`/api/v01/chat/conversations/${id}`, 404)
  })
})
