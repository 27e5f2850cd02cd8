import { getTableName, SQL } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { PgColumn } from 'drizzle-orm/pg-core'
import Schemas from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fieldsOf } from '../../src/features/account/account-export.store.ts'
import { AREAS, LEFT_OUT } from '../../src/features/account/account-export-areas.store.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { readZip } from '../support/content/zip.ts'
import { connect, startService, type TestService } from '../support/service.ts'

let service: TestService
let alice: Client
let bob: Client
/** In every text of Alice, wherever somebody can write. */
const MARK = 'of Alice'
const OTHERS = 'of Bob'
/** Of a material that is no longer there. */
const GONE_SOURCE = { n: 1, material_id: 2_000_000_000, title: 'Script', page: 3, quote: 'So it is.' }
let image: Uint8Array
let examId: number
let hiddenExam: number
let assetId: number

function ask(client: Client, signal?: AbortSignal) {
  return client.fetch('GET', '/api/v01/account/export', { signal })
}

async function take(client: Client) {
  const response = await ask(client)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/zip')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const files = await readZip(new Uint8Array(await response.arrayBuffer()))
  const json = new Map(
    [...files]
      .filter(([name]) => name.endsWith('.json'))
      .map(([name, bytes]) => [name, JSON.parse(bytes.toString())]),
  )
  return { files, read: (name: string) => json.get(`${name}.json`)?.[name], json }
}

beforeAll(async () => {
  service = await startService()
  ;[alice, bob] = [await service.admin(), await service.person()]
  const { sql } = service
  image = await makeImage('png')

  const exam = await createExam(sql, { questions: [{}, {}] })
  const hidden = await createExam(sql, { result_mode: 'on_release' })
  ;[examId, hiddenExam] = [exam.examId, hidden.examId]
  const [questionId] = exam.questionIds as [number]
  for (const client of [alice, bob])
    for (const id of [examId, hiddenExam]) {
      const { body } = await client.post(`/api/v01/exams/${id}/start`, {}, 201)
      await client.post(`/api/v01/exams/${id}/submit`, { answers: { [questionId]: 'B' } }, 200)
      if (id !== examId) continue
      const message = `Challenge ${client === alice ? MARK : OTHERS}`
      await client.post(
        `/api/v01/attempts/${body.attempt_id}/challenges`,
        { question_id: questionId, message },
        201,
      )
    }
  await alice.put(
    `/api/v01/admin/exams/${examId}/accommodations/${alice.id}`,
    { extra_time_percent: 25 },
    200,
  )

  const conversationId = await connect(alice, bob)
  const sent = await bob.send(conversationId, `A message ${OTHERS}`, undefined, 201)
  await alice.send(conversationId, `A message ${MARK}`, undefined, 201)
  await alice.post(
    `/api/v01/chat/messages/${sent.body.message.id}/report`,
    { reason: `A reason ${MARK}` },
    201,
  )
  const reactions = `/api/v01/chat/conversations/${conversationId}/messages/${sent.body.message.id}/reactions`
  await alice.put(`${reactions}/${encodeURIComponent('👍')}`, {}, 200)
  await bob.put(`${reactions}/${encodeURIComponent('🎉')}`, {}, 200)
  for (const client of [alice, bob]) {
    const path = `/api/v01/chat/conversations/${conversationId}/attachments` as const
    const name = client === alice ? `${MARK}.txt` : `${OTHERS}.txt`
    await client.request('POST', path, form({}, { field: 'file', name, bytes: 'a file' }), 201)
  }
  const carol = await service.person()
  await alice.put(`/api/v01/chat/blocks/${carol.id}`, {}, 200)
  await bob.post('/api/v01/chat/groups', { name: 'A group', member_ids: [alice.id] }, 201)
  for (const client of [alice, bob]) {
    const whose = client === alice ? MARK : OTHERS
    await client.post(`/api/v01/discussions/${questionId}`, { message: `A comment ${whose}` }, 201)
    const notebook = await client.post(
      '/api/v01/notebooks',
      { title: `Notes ${whose}`, is_public: true },
      201,
    )
    const { id } = notebook.body.notebook
    const page = (await client.post(`/api/v01/notebooks/${id}/pages`, { title: `A page ${whose}` }, 201)).body
      .page
    const objects = Array.from({ length: 250 }, (_, n) => ({ id: `o${n}`, text: `Object ${n} ${whose}` }))
    await client.post(
      `/api/v01/pages/${page.id}/sync`,
      { objects: [...objects].reverse(), deleted_ids: [], start_index: 0 },
      200,
    )
    const upload = form({}, { field: 'image', name: 'a.png', bytes: image })
    const asset = await client.request('POST', `/api/v01/pages/${page.id}/assets`, upload, 201)
    if (client === alice) assetId = asset.body.asset.id
    else await alice.post(`/api/v01/library/${id}/interactions`, { kind: 'like' }, 200)
  }
  await bob.post('/api/v01/account/password-reset', { email: `${bob.username}@example.org` }, 200)

  // Rows that would take a model, a mail or another role.
  for (const client of [alice, bob]) {
    const whose = client === alice ? MARK : OTHERS
    const [row] = await sql`
      insert into assistant_conversations (user_id, title, message_count) values (${client.id}, ${whose}, 2) returning id`
    await sql`
      insert into assistant_messages (conversation_id, user_id, is_user, text, sources)
      values (${row?.id}, ${client.id}, true, ${`Why ${whose}`}, null),
             (${row?.id}, ${client.id}, false, 'Because【1】', ${sql.json([GONE_SOURCE])})`
    await sql`
      insert into assistant_questions (user_id, conversation_id, asked_at, model) values (${client.id}, ${row?.id}, now(), 'a model')`
    const [noted] = await sql`insert into classes (name) values ('Noted') returning id`
    await sql`
      insert into class_comments (class_id, user_id, text) values (${noted?.id}, ${client.id}, ${`Noted ${whose}`})`
    await sql`
      insert into class_excused (class_id, user_id, exam_id)
      select ${noted?.id}, ${client.id}, id from exams order by id limit 1`
    await sql`
      insert into attempt_messages (attempt_id, author_id, text, sent_at)
      select id, user_id, ${`Told ${whose}`}, now() from attempts where user_id = ${client.id} limit 1`
    await sql`
      insert into notices (user_id, kind, subject_id, minutes, at) values (${client.id}, 'more_time', 1, 5, now())`
    await sql`
      insert into access_requests (user_id, current_access, requested_access, user_reason)
      values (${client.id}, 'user', 'admin', ${`Please ${whose}`})`
    await sql`
      insert into generation_jobs (user_id, exam_id, request, message, last_event, total_batches)
      values (${client.id}, ${examId}, ${sql.json({ topic: `A topic ${whose}` })}, '', '', 1)`
    await sql`insert into push_settings (user_id) values (${client.id})`
    await sql`
      insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
      select user_id, id, ${`https://push.example.org/${whose}`}, 'key of a device', 'secret of a device' from sessions
       where user_id = ${client.id} limit 1`
    await sql`insert into practice_settings values (${client.id}, now(), 10, 0.85)`
    await sql`
      insert into practice_cards (user_id, question_id, exam_id, state, stability, difficulty, learning_steps, reps, lapses)
      values (${client.id}, ${questionId}, ${examId}, 'new', 0, 0, 0, 0, 0)`
    await sql`
      insert into practice_reviews (user_id, client_id, question_id, exam_id, paper_id, answered_at, outcome, rating, scheduler, stored)
      values (${client.id}, gen_random_uuid(), ${questionId}, ${examId}, 1, now(), 'wrong', 1, '5', '"key of an exam"')`
    const classId = await createClass(sql, { students: [client] })
    await sql`insert into class_news (class_id, author_id, text, created_at) values (${classId}, ${client.id}, ${`News of ${whose}`}, now())`
    await sql`
      insert into materials (class_id, giver_id, title, type, size, file_key)
      values (${classId}, ${client.id}, ${`Script of ${whose}`}, 'text', 1, 'Attachments/none')`
    await sql`update users set email_verified = true where id = ${client.id}`
    await sql`
      insert into class_invitations (class_id, email, role, invited_at)
      select ${classId}, email, 'student', now() from users where id = ${client.id}`
    await sql`
      insert into identities (user_id, issuer, subject)
      values (${client.id}, 'https://id.example.org', ${`Somebody ${whose}`})`
    await sql`
      insert into password_resets (user_id, requested_at) values (${client.id}, now())
      on conflict (user_id) do nothing`
  }
})
afterAll(() => service.close())

test('an export holds everything of one’s own, by its schemas, and nothing of anybody else’s', async () => {
  const { files, read, json } = await take(alice)
  for (const [name, { title }] of Object.entries(AREAS)) {
    const schema = json.get(`${name}.schema.json`)
    expect(schema, name).toMatchObject({ type: 'object', title })
    const document = json.get(`${name}.json`)
    expect(document.$schema).toBe(`./${name}.schema.json`)
    expect(Schemas.Compile(schema).Errors(document)[1], name).toEqual([])
    expect(Object.keys(read(name)).length, `${name} has rows`).toBeGreaterThan(0)
    expect(files.get('README.txt')?.toString(), name).toContain(`${name}.json: ${title}`)
  }
  expect(read('profile')).toMatchObject({
    id: alice.id,
    username: alice.username,
    email: `${alice.username}@example.org`,
    role: 'user,admin',
    has_password: true,
    put_into_groups: { count: 1 },
    password_reset_requested_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
  })
  expect(read('attempts')).toMatchObject([
    { exam_id: examId, answers: expect.any(Object), result: { incorrect: 1 } },
    { exam_id: hiddenExam, result: null },
  ])
  expect(read('note_pages')[0].objects.map(({ id }: { id: string }) => id)).toEqual(
    Array.from({ length: 250 }, (_, n) => `o${249 - n}`),
  )
  expect(read('note_images')).toMatchObject([{ id: assetId, file: `note_images/${assetId}.png` }])
  expect(files.get(`note_images/${assetId}.png`)).toEqual(Buffer.from(image))

  expect(read('tutor_messages')).toMatchObject([
    { sources: null },
    { sources: [{ ...GONE_SOURCE, material_id: null }] },
  ])

  const texts = [...json.values()].map((document) => JSON.stringify(document))
  for (const written of [
    'Challenge',
    'A message',
    'A reason',
    'A comment',
    'Notes',
    'A page',
    'Why',
    'Please',
    'A topic',
    'Somebody',
  ])
    expect(
      texts.some((each) => each.includes(`${written} ${MARK}`)),
      written,
    ).toBe(true)
  // Bob's mark appears once: in the title of the public notebook that she liked.
  expect(texts.join().split(OTHERS)).toHaveLength(2)
  const [row] = await service.sql`select password_hash from users where id = ${alice.id}`
  const tokens = [alice.accessToken, alice.refreshToken]
  for (const secret of [row?.password_hash, ...tokens, 'key of a', 'secret of a'])
    expect(texts.join()).not.toContain(secret)
})

/** Columns by their names in the database, as `sessions.user_id`, that a field or a condition is made of. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'function') return namesIn(value(1))
  if (value instanceof SQL) return value.queryChunks.flatMap(namesIn)
  return value instanceof PgColumn ? [`${getTableName(value.table)}.${casing.getColumnCasing(value)}`] : []
}
const casing = new CasingCache('snake_case')

test('every table, and every column of a person’s rows, is exported or left out with a reason', async () => {
  const columns = await service.sql<{ table: string; name: string; refers: boolean; belongs: boolean }[]>`
    select relname as table, relname || '.' || attname as name,
           coalesce(bool_or(attnum = any (f.conkey)), false) as refers,
           coalesce(bool_or(f.confdeltype = 'c'), false) as belongs
      from pg_class c
      join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
      left join pg_constraint f on f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'users'::regclass
     where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
     group by relname, attname`
  const fields = Object.values(AREAS).flatMap((area) => Object.values(fieldsOf(area)))
  const exported = new Set([
    ...Object.values(AREAS).flatMap(({ owner }) => namesIn(owner)),
    ...fields.flatMap(({ value }) => namesIn(value)),
    // Read piece by piece when a page is written.
    'page_objects.data',
  ])
  const exportedTables = new Set([...exported].map((name) => name.split('.')[0]))
  const leftOut = Object.entries(LEFT_OUT).flatMap(([table, why]) =>
    typeof why === 'string'
      ? []
      : Object.keys(why).flatMap((names) => names.split(' ').map((name) => `${table}.${name}`)),
  )
  expect(columns.filter(({ refers }) => refers).length).toBeGreaterThan(20)

  const undecided = columns.filter(({ table, name, refers, belongs }) =>
    refers || belongs || exportedTables.has(table)
      ? !exported.has(name) && !leftOut.includes(name)
      : !(table in LEFT_OUT),
  )
  expect(undecided.map(({ name }) => name)).toEqual([])

  // What is left out exists, and is in no file; a column with somebody else may be, as whom one blocked.
  const ordinary = columns.filter(({ refers }) => !refers).map(({ name }) => name)
  expect(ordinary.filter((name) => exported.has(name) && leftOut.includes(name))).toEqual([])
  expect(leftOut.filter((left) => !columns.some(({ name }) => name === left))).toEqual([])
  expect(Object.keys(LEFT_OUT).filter((left) => !columns.some(({ table }) => table === left))).toEqual([])
})

test('a new account gets the same files, with empty lists', async () => {
  const dave = await service.person()
  const { read, json } = await take(dave)
  expect(read('profile')).toMatchObject({ id: dave.id, put_into_groups: null })
  for (const name of Object.keys(AREAS).filter((each) => each !== 'profile' && each !== 'sessions'))
    expect(json.get(`${name}.json`), name).toEqual({ $schema: `./${name}.schema.json`, [name]: [] })
})

test('an image whose file is lost is listed without it, and everything else is exported', async () => {
  const [row] = await service.sql`select file_key from assets where id <> ${assetId}`
  const [node] = service.nodes
  await node?.core.files.delete(row?.file_key)
  const { read, files } = await take(bob)
  expect(read('note_images')).toMatchObject([{ file: null }])
  expect([...files.keys()].filter((name) => name.endsWith('.png'))).toEqual([])
})

describe('an export of 20,000 messages', () => {
  let reader: Client
  beforeAll(async () => {
    reader = await service.person()
    const conversationId = await connect(reader, bob)
    await service.sql`
      insert into messages (conversation_id, seq, version, sender_id, client_id, message, created_at)
      select ${conversationId}, n, n, ${reader.id}, gen_random_uuid(),
             (select string_agg(md5(n || ' ' || m), '') from generate_series(1, 60) m), now() + n * interval '1 ms'
        from generate_series(1000, 20999) n`
  })

  test('ends when its reader hangs up, and makes nobody else wait', async () => {
    const hangUp = new AbortController()
    const response = await ask(reader, hangUp.signal)
    const body = response.body?.getReader()
    await body?.read()
    expect((await ask(bob)).status).toBe(200)
    hangUp.abort()
    // A person has one export at a time: this one begins when the first has ended.
    const whole = await take(reader)
    expect(whole.read('messages')).toHaveLength(20_000)
  })

  test('is cut off by the start of an exam that locks help', async () => {
    const { examId: locking } = await createExam(service.sql, { lock_help: true })
    const response = await ask(reader)
    const body = response.body?.getReader()
    await body?.read()
    await reader.post(`/api/v01/exams/${locking}/start`, {}, 201)
    await expect(
      (async () => {
        while (!(await body?.read())?.done);
      })(),
    ).rejects.toThrow()
    expect((await ask(reader)).status).toBe(403)
    await reader.post(`/api/v01/exams/${locking}/submit`, {}, 200)
    expect((await take(reader)).read('messages')).toHaveLength(20_000)
  })
})

test('an export needs a session', async () => {
  expect((await service.guest().get('/api/v01/account/export', 401)).body.code).toBe(
    'authentication_required',
  )
  expect((await service.guest().get('/api/account/export')).status).toBe(404)
})
