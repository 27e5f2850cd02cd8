import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createNode, type ServiceNode } from '../../src/process/node.ts'
import { type Client, PASSWORD } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { addPage, createNotebook } from '../support/content/notes.ts'
import { connect, SECRET, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  // Without Redis, as during its outage, nodes hear of each other's revocations from the database alone.
  service = await startService({ nodes: 2, config: { redisUrl: undefined } })
})
afterAll(() => service.close())

const WITHIN_MS = 1_000

/** Milliseconds until this person's token is refused. */
async function untilRefused(client: Client): Promise<number> {
  const started = performance.now()
  while ((await client.get('/api/v01/auth/me')).status !== 401) {
    if (performance.now() - started > 5_000) throw new Error('the token is still accepted')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return performance.now() - started
}

/** A person, and a client and a socket of theirs on the second node. */
async function elsewhere() {
  const person = await service.person()
  const there = person.at(service.urls[1] as string)
  return { person, there, socket: await there.socket() }
}

describe('what ends a session ends its tokens and sockets on the other node within a second', () => {
  const ends: Record<string, (person: Client) => Promise<unknown>> = {
    'signing out': (person) =>
      person.post('/api/v01/auth/logout', { refresh_token: person.refreshToken }, 200),
    'ending it from the list': async (person) => {
      const { body } = await person.get('/api/v01/account/sessions', 200)
      await person.delete(`/api/v01/account/sessions/${body.sessions[0]?.id}`, 200)
    },
    'a password change on another device': async (person) => {
      const other = service.guest()
      await other.login(person.username)
      await other.patch(
        '/api/v01/account',
        { current_password: PASSWORD, new_password: 'another password' },
        200,
      )
      await other.get('/api/v01/auth/me', 200)
    },
    'a role change': async (person) => {
      const admin = await service.admin()
      await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'admin' }, 200)
    },
    'the deletion of the account': (person) => person.delete('/api/v01/account', 200, { confirm: 'DELETE' }),
  }
  test.each(Object.entries(ends))('%s', async (_, end) => {
    const { person, there, socket } = await elsewhere()
    await end(person)
    const [ms, { code }] = await Promise.all([untilRefused(there), socket.closure()])
    expect(code).toBe(4001)
    expect(ms).toBeLessThan(WITHIN_MS)
    await person.get('/api/v01/auth/me', 401)
  })
})

test('a node that starts later refuses tokens of sessions that ended before', async () => {
  const person = await service.person()
  await person.post('/api/v01/auth/logout', { refresh_token: person.refreshToken }, 200)
  const { databaseUrl, nodes } = service
  const { config, log } = (nodes[0] as ServiceNode).core
  const late = await createNode({ config, log, databaseUrl, jwtSecrets: [SECRET] })
  onTestFinished(() => late.close())
  const url = await late.app.listen({ host: '127.0.0.1', port: 0 })
  await person.at(url).get('/api/v01/auth/me', 401)
})

describe('a role change', () => {
  test('voids old tokens; the refresh token gives one with the new role; web sessions end', async () => {
    const [admin, person] = [await service.admin(), await service.person()]
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    await person.get('/api/v01/admin/users', 403)

    await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user,admin' }, 200)
    await untilRefused(person)
    await untilRefused(browser)
    const { body } = await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 200)
    person.accessToken = body.data.access_token
    await person.get('/api/v01/admin/users', 200)

    await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user' }, 200)
    await untilRefused(person)
    const again = await person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken }, 200)
    person.accessToken = again.body.data.access_token
    await person.get('/api/v01/admin/users', 403)
  })

  test('leaves no valid token with the old role, even if logins and refreshes run at the same time', async () => {
    const [admin, person] = [await service.admin(), await service.person()]
    await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user,admin' }, 200)
    const racing = async (index: number) => {
      if (index % 2)
        return service
          .guest(index % 4 < 2 ? 0 : 1)
          .post('/api/v01/auth/login', { username: person.username, password: PASSWORD })
      return person.post('/api/v01/auth/refresh', { refresh_token: person.refreshToken })
    }
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 24 }, (_, index) => racing(index))),
      admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user' }, 200),
    ])
    for (const { body } of answers) {
      person.accessToken = body.data.access_token
      for (const url of service.urls)
        await expect.poll(async () => (await person.at(url).get('/api/v01/admin/users')).status).not.toBe(200)
    }
  })
})

describe('a password change', () => {
  test('ends sessions that were opened with the old password at the same time', async () => {
    const person = await service.person()
    const [logins] = await Promise.all([
      Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          service
            .guest(index % 2)
            .post('/api/v01/auth/login', { username: person.username, password: PASSWORD }),
        ),
      ),
      person.patch('/api/v01/account', { current_password: PASSWORD, new_password: 'another password' }, 200),
    ])
    for (const { body } of logins.filter(({ status }) => status === 200)) {
      const guest = service.guest()
      guest.accessToken = body.data.access_token
      await untilRefused(guest)
    }
    await person.get('/api/v01/auth/me', 200)
    const [left] = await service.sql`select count(*)::int from sessions where user_id = ${person.id}`
    expect(left?.count).toBe(1)
  })
})

describe('a body that is still on its way', () => {
  const ROSTER = 'email,username,role\nback@example.org,back-again,"user,admin"\n'
  const FORM = `--b\r\ncontent-disposition: form-data; name="file"; filename="u.csv"\r\n\r\n${ROSTER}\r\n--b--\r\n`
  const JSON_BODY = '{"username":"back-again","email":"back@example.org","role":"user,admin"}'

  /** Sends the end of a body once `meanwhile` is over. */
  async function sendSlowly(
    person: Client,
    path: string,
    type: string,
    body: string,
    meanwhile: () => unknown,
  ) {
    const head = body.length - 10
    const chunks = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(body.slice(0, head)))
        await meanwhile()
        controller.enqueue(Buffer.from(body.slice(head)))
        controller.close()
      },
    })
    return (await person.fetch('POST', path, { body: chunks, headers: { 'content-type': type } })).status
  }

  test.each([
    ['a form', '/api/v01/admin/users/import', 'multipart/form-data; boundary=b', FORM],
    ['JSON', '/api/v01/admin/users', 'application/json', JSON_BODY],
  ])('of %s changes nothing once its sender is no administrator any more', async (_, path, type, body) => {
    const [admin, person] = [await service.admin(), await service.admin()]
    const status = await sendSlowly(person, path, type, body, async () => {
      await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user' }, 200)
      await untilRefused(person)
    })
    expect(status).toBe(401)
    expect(await service.sql`select id from users where username = 'back-again'`).toHaveLength(0)
  })

  test('of a teacher changes nothing once they are none any more', async () => {
    const [admin, teacher] = [await service.admin(), await service.person()]
    const classId = await createClass(service.sql, { teachers: [teacher] })
    const made = await teacher.post('/api/v01/admin/exams', { name: 'Quiz', class_ids: [classId] }, 201)
    const path = `/api/v01/admin/exams/${made.body.exam.id}/import`
    const body = FORM.replace(ROSTER, '::x:: 1+1? {=2 ~3}')
    const status = await sendSlowly(teacher, path, 'multipart/form-data; boundary=b', body, () =>
      admin.delete(`/api/v01/classes/${classId}/members/${teacher.id}`, 200),
    )
    expect(status).toBe(403)
    const imported = await service.sql`select id from questions where exam_id = ${made.body.exam.id}`
    expect(imported).toHaveLength(0)
  })
})

/** Reads the beginning of a download; the answer reads the rest. */
async function begin(person: Client, path: string, headers = {}): Promise<() => Promise<void>> {
  const response = await person.fetch('GET', path, { headers: { 'accept-encoding': 'identity', ...headers } })
  expect(response.status).toBe(200)
  const body = response.body?.getReader()
  await body?.read()
  return async () => {
    while (!(await body?.read())?.done);
  }
}

async function demote(person: Client): Promise<void> {
  const admin = await service.admin()
  await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user' }, 200)
  await untilRefused(person)
}

async function signOut(person: Client): Promise<void> {
  await person.post('/api/v01/auth/logout', { refresh_token: person.refreshToken }, 200)
  await untilRefused(person)
}

/** An exam whose questions are more than is sent ahead of a reader, and can't be compressed much. */
async function longExam(): Promise<number> {
  const { examId } = await createExam(service.sql)
  await service.sql`
    insert into questions (exam_id, question_text, option_a, option_b, correct_answer)
    select ${examId}, (select string_agg(md5(n || ' ' || m), '') from generate_series(1, 500) m), 'a', 'b', 'A'
      from generate_series(1, 2000) n`
  return examId
}

describe('an export of questions', () => {
  let path: `/api/v01/admin/exams/${number}/export`
  let examId: number
  beforeAll(async () => {
    examId = await longExam()
    path = `/api/v01/admin/exams/${examId}/export`
  })

  test.each(['csv', 'gift', 'moodle_xml', 'qti', 'qti3'])(
    'as %s breaks off once whoever reads it is no administrator any more',
    async (format) => {
      const person = await service.admin()
      const readOn = await begin(person, `${path}?format=${format}`)
      await demote(person)
      await expect(readOn()).rejects.toThrow()
    },
  )

  test('breaks off for a teacher who is none any more', async () => {
    const [admin, teacher] = [await service.admin(), await service.person()]
    const classId = await createClass(service.sql, { teachers: [teacher] })
    await service.sql`update exams set created_by = ${teacher.id} where id = ${examId}`
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
    const readOn = await begin(teacher, `${path}?format=gift`)
    await admin.delete(`/api/v01/classes/${classId}/members/${teacher.id}`, 200)
    await expect(readOn()).rejects.toThrow()
  })
})

test('the gradebook of a class breaks off for a teacher who is none any more', async () => {
  const [admin, teacher] = [await service.admin(), await service.person()]
  const classId = await createClass(service.sql, { teachers: [teacher] })
  const name = 'x'.repeat(200)
  await service.sql`
    with made as (
      insert into exams (name, for_classes) select ${name}, true from generate_series(1, 20) returning id)
    insert into exam_classes (class_id, exam_id) select ${classId}, id from made`
  await service.sql`
    with made as (
      insert into users (username, email, full_name, role)
      select 'gradebook' || n, 'gradebook' || n || '@example.org', repeat('name ', 39), 'user'
        from generate_series(1, 20000) n returning id)
    insert into class_members (class_id, user_id, role) select ${classId}, id, 'student' from made`
  const readOn = await begin(teacher, `/api/v01/classes/${classId}/gradebook.csv`)
  await admin.delete(`/api/v01/classes/${classId}/members/${teacher.id}`, 200)
  await expect(readOn()).rejects.toThrow()
})

test('the print list of one’s own notebook breaks off with the session', async () => {
  const person = await service.person()
  const notebookId = await createNotebook(person)
  for (let page = 0; page < 24; page++) {
    const pageId = await addPage(person, notebookId)
    const rows = await service.sql<{ id: number }[]>`
      insert into page_objects (page_id, object_id, data)
      select ${pageId}, n::text, json_build_object('id', n::text, 'text', repeat('x', 60000))::text
        from generate_series(1, 15) n returning id`
    const stack = Buffer.from(Int32Array.from(rows.map(({ id }) => id)).buffer)
    await service.sql`update pages set stack = ${stack}, object_count = 15 where id = ${pageId}`
  }
  const readOn = await begin(person, `/api/v01/notebooks/${notebookId}/print`)
  await signOut(person)
  await expect(readOn()).rejects.toThrow()
})

test('a personal export breaks off with the session', async () => {
  const [person, other] = [await service.person(), await service.person()]
  const conversationId = await connect(person, other)
  await service.sql`
    insert into messages (conversation_id, seq, version, sender_id, client_id, message, created_at)
    select ${conversationId}, n, n, ${person.id}, gen_random_uuid(),
           (select string_agg(md5(n || ' ' || m), '') from generate_series(1, 60) m), now() + n * interval '1 ms'
      from generate_series(1000, 20999) n`
  const readOn = await begin(person, '/api/v01/account/export')
  await signOut(person)
  await expect(readOn()).rejects.toThrow()
})

test('a download breaks off once whoever reads it is no administrator any more', {
  meta: { costly: 'reads large downloads' },
}, async () => {
  const [admin, person] = [await service.admin(), await service.admin()]
  const { examId } = await createExam(service.sql, { name: 'Exam '.repeat(40) })
  // More than is sent ahead of a reader.
  await service.sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score, percentage,
                          correct, incorrect, unattempted)
    select ${admin.id}, ${examId}, n, 'submitted', now(), now(), 1, 1, 100, 1, 0, 0 from generate_series(1, 40000) n`
  const readOn = await begin(person, '/api/v01/admin/analytics', { accept: 'text/csv' })
  await demote(person)
  await expect(readOn()).rejects.toThrow()
})
