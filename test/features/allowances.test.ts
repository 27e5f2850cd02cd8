import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const ATTEMPTS = '/api/v01/admin/attempts'
let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())

const modify = (student: Client, examId: number, action: string, amount?: number, status = 200, by = admin) =>
  by.post(`${ATTEMPTS}/modify`, { student_id: student.id, exam_id: examId, action, amount }, status)
const list = async (query: string) => (await admin.get(`${ATTEMPTS}?${query}`, 200)).body
const rowOf = async (student: Client, examId: number) =>
  (await list(`exam_id=${examId}&q=${student.username}`)).rows[0]

async function take(student: Client, examId: number): Promise<void> {
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
}

/** A student and an exam, as the tests find them by themselves. */
interface Pair {
  row: string
  used: number
  most: number | null
}
const IS_OF_STATUS: Record<string, (pair: Pair) => boolean> = {
  '': () => true,
  unlimited: ({ most }) => most === null,
  exhausted: ({ most, used }) => most !== null && most <= used,
  available: ({ most, used }) => most !== null && most > used,
}

test('increase uses attempts up, decrease gives the newest back, reset all of them', async () => {
  const { examId } = await createExam(service.sql, { name: 'Capped', max_attempts: 3 })
  const alice = await service.person()
  const row = {
    student_id: alice.id,
    username: alice.username,
    exam_id: examId,
    exam_name: 'Capped',
    max_attempts: '3',
  }
  expect(await rowOf(alice, examId)).toEqual({
    ...row,
    attempts_used: 0,
    remaining: 3,
    status: 'available',
  })
  await take(alice, examId)
  expect((await modify(alice, examId, 'increase')).body).toEqual({ success: true })
  expect(await rowOf(alice, examId)).toMatchObject({ attempts_used: 2, remaining: 1, status: 'available' })
  await modify(alice, examId, 'increase', 5)
  expect(await rowOf(alice, examId)).toEqual({
    ...row,
    attempts_used: 7,
    remaining: 0,
    status: 'exhausted',
  })
  await alice.post(`/api/v01/exams/${examId}/start`, {}, 403)

  await modify(alice, examId, 'decrease', 6)
  expect((await alice.get('/api/v01/attempts', 200)).body.total).toBe(1)
  await take(alice, examId)
  await modify(alice, examId, 'decrease')
  expect((await alice.get('/api/v01/attempts', 200)).body.total).toBe(1)
  await modify(alice, examId, 'reset')
  expect(await rowOf(alice, examId)).toMatchObject({ attempts_used: 0, remaining: 3 })
  expect((await alice.get('/api/v01/attempts', 200)).body.total).toBe(0)
  await modify(alice, examId, 'decrease', 10)
})

test('rows are every student × every exam that is capped or attempted, filtered and paged', async () => {
  const capped = await createExam(service.sql, { name: 'Listed', max_attempts: 1 })
  const open = await createExam(service.sql, { name: 'Open' })
  const [alice, bob] = [await service.person('listed_alice'), await service.person('listed_bob')]
  const pure = await service.person('listed_admin')
  await service.sql`update users set role = 'admin' where id = ${pure.id}`
  await service.sql`update users set full_name = 'Robert 100% Listed' where id = ${bob.id}`
  await take(alice, capped.examId)
  await take(alice, open.examId)

  const mine = await list('q=LISTED_')
  expect(
    mine.rows
      .filter(({ exam_id }) => [capped.examId, open.examId].includes(exam_id))
      .map(({ username, exam_name, max_attempts, attempts_used, remaining, status }) => [
        username,
        exam_name,
        max_attempts,
        attempts_used,
        remaining,
        status,
      ]),
  ).toEqual([
    ['listed_alice', 'Listed', '1', 1, 0, 'exhausted'],
    ['listed_alice', 'Open', '∞', 1, '∞', 'unlimited'],
    ['listed_bob', 'Listed', '1', 0, 1, 'available'],
  ])
  const names = async (query: string) => (await list(query)).rows.map(({ username }) => username)
  expect(await names(`exam_id=${capped.examId}&status=exhausted`)).toEqual(['listed_alice'])
  expect(await names(`exam_id=${open.examId}&status=unlimited`)).toEqual(['listed_alice'])
  expect(await names(`exam_id=${capped.examId}&q=robert 100%25`)).toEqual(['listed_bob'])
  expect(await names(`exam_id=${capped.examId}&q=100_`)).toEqual([])
  expect(await names(`exam_id=${capped.examId}&status=available`)).toContain('listed_bob')
  for (const filter of ['q=listed_', `q=listed_&exam_id=${open.examId}`])
    for (const status of ['', 'unlimited', 'available', 'exhausted']) {
      const { total, rows } = await list(status ? `${filter}&status=${status}` : filter)
      expect(total, `${filter} ${status}`).toBe(rows.length)
    }
  await admin.get(`${ATTEMPTS}?status=some`, 400)
  await admin.get(`${ATTEMPTS}?page=0`, 400)

  await service.sql`
    insert into users (username, email, full_name, role)
    select 'paged_' || n, 'paged_' || n || '@example.org', 'Paged', 'user' from generate_series(101, 160) n`
  const first = await list(`exam_id=${capped.examId}&q=paged_`)
  expect(first).toMatchObject({ total: 60, page: 1, per_page: 50, total_pages: 2 })
  const second = await list(`exam_id=${capped.examId}&q=paged_&page=2`)
  expect([...first.rows, ...second.rows].map(({ username }) => username)).toEqual(
    Array.from({ length: 60 }, (_, n) => `paged_${n + 101}`),
  )
})

test('the pages of each status hold every row once, whatever exams a student may take or has taken', async () => {
  await service.sql`
    insert into users (username, email, full_name, role)
    select 'every_' || n, 'every_' || n || '@example.org', 'Every', 'user' from generate_series(100, 139) n`
  await service.sql`
    insert into exams (name, published, max_attempts)
    select 'Every ' || n, true, case when n % 2 = 0 then 2 end from generate_series(1, 8) n`
  const members = await service.sql<{ id: number }[]>`select id from users where username like 'every\\_1_0'`
  const classId = await createClass(service.sql, { students: members })
  const [ofClass] = await service.sql<
    [{ id: number }]
  >`select max(id) as id from exams where name like 'Every %'`
  await admin.patch(`/api/v01/admin/exams/${ofClass.id}`, { class_ids: [classId] }, 200)
  await service.sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at)
    select users.id, exams.id, number, 'manual', now()
      from users, exams, generate_series(1, 3) number
     where username like 'every%' and exams.name like 'Every %' and number <= (users.id * 7 + exams.id * 3) % 11 - 7`

  const rows = await service.sql<Pair[]>`
    select username || '/' || exams.id as row, used::int, max_attempts as most
      from users cross join exams cross join lateral (
        select count(*) as used from attempts where user_id = users.id and exam_id = exams.id) taken
     where role <> 'admin' and users.id > 0
       and (used > 0 or max_attempts is not null and (not for_classes or role <> 'user' or exists (
              select from exam_classes join class_members using (class_id) join classes on classes.id = class_id
               where not archived and exam_classes.exam_id = exams.id and user_id = users.id)))
     order by lower(username collate "C"), exams.id`
  for (const [status, isOf] of Object.entries(IS_OF_STATUS)) {
    const query = status ? `status=${status}&` : ''
    const read: string[] = []
    const { total_pages: pages, total } = await list(query)
    for (let page = 1; page <= pages; page++) {
      const body = await list(`${query}page=${page}`)
      read.push(...body.rows.map((row) => `${row.username}/${row.exam_id}`))
      expect(body.total).toBe(total)
    }
    const expected = rows.filter(isOf).map(({ row }) => row)
    expect(expected.length, status).toBeGreaterThan(20)
    expect(read, status).toEqual(expected)
    expect(await list(`${query}page=${pages + 1}`)).toMatchObject({ rows: [], total })
  }
})

test('those of a class are its students at its exams, which an archived one has for nobody new', async () => {
  await service.sql`
    insert into users (username, email, full_name, role)
    select 'pupil_' || n, 'pupil_' || n || '@example.org', 'Pupil', case n when 10 then 'admin' when 11 then 'user,admin' else 'user' end
      from generate_series(10, 24) n`
  const exams = await service.sql<{ id: number }[]>`
    insert into exams (name, published, max_attempts)
    select 'Pupils ' || n, true, case when n % 2 = 0 then 2 end from generate_series(1, 6) n returning id`
  const pupils = await service.sql<{ id: number }[]>`
    select id from users where username like 'pupil\\_%' order by id`
  const [teacher, ...students] = pupils.slice(0, 14)
  const classId = await createClass(service.sql, { students, teachers: teacher ? [teacher] : [] })
  const otherId = await createClass(service.sql, { students: students.slice(0, 5) })
  for (const [index, exam] of exams.slice(1).entries())
    await admin.patch(
      `/api/v01/admin/exams/${exam.id}`,
      { class_ids: index === 0 ? [classId, otherId] : [classId] },
      200,
    )
  await service.sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at)
    select users.id, exams.id, number, 'manual', now() from users, exams, generate_series(1, 3) number
     where username like 'pupil%' and exams.name like 'Pupils %' and number <= (users.id * 7 + exams.id * 3) % 11 - 7`
  await service.sql`update class_members set left_at = now() where user_id = ${students[3]?.id ?? 0}`

  for (const archived of [false, true]) {
    await service.sql`update classes set archived = ${archived} where id = ${classId}`
    const rows = await service.sql<Pair[]>`
      select username || '/' || exams.id as row, used::int, max_attempts as most
        from class_members member join users on users.id = user_id and users.role <> 'admin'
        join exam_classes using (class_id) join exams on exams.id = exam_id cross join lateral (
          select count(*) as used from attempts where user_id = users.id and exam_id = exams.id) taken
       where class_id = ${classId} and member.role = 'student' and left_at is null
         and (used > 0 or max_attempts is not null and (users.role <> 'user' or exists (
                select from exam_classes there join classes on classes.id = there.class_id and not archived
                  join class_members own on own.class_id = classes.id and own.left_at is null
                 where there.exam_id = exams.id and own.user_id = users.id)))
       order by lower(username collate "C"), exams.id`
    for (const [status, isOf] of Object.entries(IS_OF_STATUS))
      for (const part of ['', 'pupil_1']) {
        const query = `class_id=${classId}&q=${part}${status ? `&status=${status}` : ''}`
        const { rows: read, total } = await list(query)
        const expected = rows.filter((row) => row.row.startsWith(part) && isOf(row)).map(({ row }) => row)
        expect(
          read.map((row) => `${row.username}/${row.exam_id}`),
          query,
        ).toEqual(expected)
        expect(total, query).toBe(expected.length)
      }
  }
})

test('an unknown student, exam or action is refused', async () => {
  const { examId } = await createExam(service.sql)
  const alice = await service.person()
  for (const action of ['increase', 'decrease', 'reset']) {
    await modify(alice, 999_999, action, 1, 404)
    const body = { student_id: 999_999, exam_id: examId, action }
    await admin.post(`${ATTEMPTS}/modify`, body, 404)
  }
  await modify(alice, examId, 'double', 1, 400)
  await modify(alice, examId, 'increase', 0, 400)
  await modify(alice, examId, 'increase', 1_001, 400)
  await alice.post(`${ATTEMPTS}/modify`, { student_id: alice.id, exam_id: examId, action: 'reset' }, 403)
})

test('at most 1,000 attempts count as used, or as many as the exam allows, also at once on two nodes', async () => {
  const nodes = await withService({ nodes: 2 })
  const by = await nodes.admin()
  const other = by.at(nodes.urls[1] ?? '')
  const [alice, bob] = [await nodes.person(), await nodes.person()]
  const { examId } = await createExam(nodes.sql)
  const allowing = await createExam(nodes.sql, { max_attempts: 1_500 })
  await take(alice, examId)
  const refused = { status: 409, body: { code: 'too_many' } }
  const increase = (student: Client, exam_id: number, amount: number, asked = by) =>
    asked.post(`${ATTEMPTS}/modify`, { student_id: student.id, exam_id, action: 'increase', amount })
  expect(await increase(alice, examId, 1_000)).toMatchObject(refused)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => increase(alice, examId, 333, n % 2 ? by : other)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409, 409, 409])
  expect(await increase(alice, examId, 1)).toMatchObject(refused)
  const [row] = await nodes.sql`
    select count(*)::int from attempts where user_id = ${alice.id} and exam_id = ${examId}`
  expect(row).toEqual({ count: 1_000 })
  const items = [alice, bob].map(({ id }) => ({ student_id: id, exam_id: examId }))
  const bulk = await by.post(`${ATTEMPTS}/bulk-modify`, { items, action: 'increase' }, 200)
  const errors = [`Student ${alice.id}, exam ${examId}: too many attempts`]
  expect(bulk.body).toMatchObject({ processed: 1, errors })

  expect((await increase(alice, allowing.examId, 1_000)).status).toBe(200)
  expect((await increase(alice, allowing.examId, 500)).status).toBe(200)
  expect(await increase(alice, allowing.examId, 1)).toMatchObject(refused)
})

test('a bulk change treats each item on its own', async () => {
  const { examId } = await createExam(service.sql, { max_attempts: 5 })
  const [alice, bob] = [await service.person(), await service.person()]
  const items = [alice.id, 999_999, bob.id].map((student_id) => ({ student_id, exam_id: examId }))
  const body = { items, action: 'increase', amount: 2 } as const
  expect((await admin.post(`${ATTEMPTS}/bulk-modify`, body, 200)).body).toEqual({
    success: true,
    processed: 2,
    errors: [`Student 999999, exam ${examId}: not found`],
  })
  expect(await rowOf(bob, examId)).toMatchObject({ attempts_used: 2, remaining: 3 })
  const reset = { items: items.slice(0, 1), action: 'reset' } as const
  expect((await admin.post(`${ATTEMPTS}/bulk-modify`, reset, 200)).body).toMatchObject({
    processed: 1,
    errors: null,
  })
  expect(await rowOf(alice, examId)).toMatchObject({ attempts_used: 0 })
})

test('changes of one allowance by two administrators at once are all kept', async () => {
  const { examId } = await createExam(service.sql, { max_attempts: 100 })
  const alice = await service.person()
  const other = await service.admin()
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => modify(alice, examId, 'increase', 2, 200, n % 2 ? admin : other)),
  )
  expect(await rowOf(alice, examId)).toMatchObject({ attempts_used: 40 })
  await Promise.all([
    ...Array.from({ length: 10 }, () => modify(alice, examId, 'decrease', 3, 200, other)),
    ...Array.from({ length: 10 }, () => modify(alice, examId, 'increase', 1)),
  ])
  expect(await rowOf(alice, examId)).toMatchObject({ attempts_used: 20, remaining: 80 })
})
