import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeOverdue } from '../../src/features/attempts/closing.service.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type ExamFields } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** How long a timed attempt takes syncs after its end. */
const GRACE_MS = 30_000
let now = Date.UTC(2026, 10, 20, 10)
const at = (minutes: number) => new Date(now + minutes * MINUTE_MS).toISOString()

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  admin = await service.admin()
})
afterAll(() => service.close())
// The tests set the clock past the end of tokens.
beforeEach(() => admin.login(admin.username))

const elsewhere = (client: Client) => client.at(service.urls[1] as string)
const core = (node = 0) => (service.nodes[node] as (typeof service.nodes)[number]).core

const createTimed = (fields: ExamFields = {}) =>
  createExam(service.sql, { duration_minutes: 60, result_mode: 'on_release', ...fields })
const release = (examId: number, released: boolean) =>
  admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released }, 200)

interface Extension {
  minutes: number
  user_ids?: number[]
  key?: string
}
const extend = async (examId: number, body: Extension, client = admin) =>
  (await client.post(`/api/v01/admin/exams/${examId}/extend`, body, 200)).body

async function start(person: Client, examId: number): Promise<number> {
  return (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body.attempt_id
}

/** Lets the time of an hour's attempts go by, and closes them. */
async function letTimePass(): Promise<void> {
  now += HOUR_MS + GRACE_MS + 1
  await closeOverdue(core())
  await admin.login(admin.username)
}

/** Somebody whose time has closed an attempt with one answer. */
async function expired(examId: number, questionId: number): Promise<[Client, number]> {
  const person = await service.person()
  const attemptId = await start(person, examId)
  await person.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionId]: 'A' }, revision: 7 }, 200)
  await letTimePass()
  await person.login(person.username)
  return [person, attemptId]
}

const statusOf = async (attemptId: number) =>
  (await service.sql`select status from attempts where id = ${attemptId}`)[0]?.status

describe('an attempt that its time has closed', () => {
  test('goes on with its answers when its person is named, for as many minutes from then', async () => {
    const { examId, questionIds } = await createTimed({ lock_help: true })
    const questionId = questionIds[0] as number
    const [alice, attemptId] = await expired(examId, questionId)
    await alice.get('/api/v01/practice', 200)
    const sockets = [await alice.socket(), await elsewhere(alice).socket()]
    now += 7 * MINUTE_MS + 123
    // Not by more time for all, nor by times of one's own.
    expect(await extend(examId, { minutes: 10 })).toEqual({ success: true, extended: 0, reopened: 0 })
    const own = `/api/v01/admin/exams/${examId}/accommodations/${alice.id}` as const
    await admin.put(own, { extra_time_percent: 300 }, 200)
    await admin.delete(own, 200)
    expect(await statusOf(attemptId)).toBe('expired')

    const key = randomUUID()
    const named = { minutes: 10, user_ids: [alice.id], key }
    const answer = { success: true, extended: 0, reopened: 1 }
    expect(await extend(examId, named, elsewhere(admin))).toEqual(answer)
    const endsAt = at(10)
    for (const socket of sockets) {
      expect(await socket.until(() => socket.of('attempt_time')[0], 1_000)).toEqual({
        type: 'attempt_time',
        exam_id: examId,
        attempt_id: attemptId,
        ends_at: endsAt,
      })
      await socket.until(() => socket.of('help_locked')[0], 2_000)
    }
    await alice.get('/api/v01/practice', 403)
    expect((await alice.get(`/api/v01/exams/${examId}/paper`, 200)).body).toMatchObject({
      attempt_id: attemptId,
      answers: { [questionId]: 'A' },
      revision: 7,
      ends_at: endsAt,
    })
    now += MINUTE_MS
    // The same key again changes nothing; another one gives more time to what is under way now.
    expect(await extend(examId, named)).toEqual(answer)
    expect(await extend(examId, { minutes: 5, user_ids: [alice.id] })).toEqual({
      success: true,
      extended: 1,
      reopened: 0,
    })
    const endOf = async () => (await alice.get(`/api/v01/exams/${examId}/attempt-status`, 200)).body.ends_at
    expect(await endOf()).toBe(at(14))
    // A change of the exam's times counts as before, and takes nothing away.
    await admin.patch(`/api/v01/admin/exams/${examId}`, { duration_minutes: 65 }, 200)
    expect(await endOf()).toBe(at(19))

    await alice.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionId]: 'B' }, revision: 8 }, 200)
    now += 19 * MINUTE_MS + GRACE_MS + 1
    await closeOverdue(core(1))
    await release(examId, true)
    expect((await alice.get(`/api/v01/attempts/${attemptId}`, 200)).body).toMatchObject({
      status: 'expired',
      attempt_number: 1,
      result: { incorrect: 1 },
    })
    const { entries } = (await admin.get(`/api/v01/admin/audit?subject=exam:${examId}`, 200)).body
    expect(entries.filter(({ action }) => action === 'exam.extend').map(({ summary }) => summary)).toEqual([
      '1 attempts under way got 5 more minutes',
      '0 attempts under way got 10 more minutes, and 1 that were over were opened again',
      '0 attempts under way got 10 more minutes',
    ])
  })

  test('stays closed after a day, once its result could be seen, and where another one began', async () => {
    const { examId, questionIds } = await createTimed()
    const questionId = questionIds[0] as number
    const [alice, attemptId] = await expired(examId, questionId)
    const isRefused = async (exam = examId, person = alice) =>
      expect(await extend(exam, { minutes: 10, user_ids: [person.id] })).toMatchObject({ reopened: 0 })

    await release(examId, true)
    await isRefused()
    await release(examId, false)
    await isRefused()

    const instant = await createTimed({ result_mode: 'instant' })
    const [bob, ofBob] = await expired(instant.examId, instant.questionIds[0] as number)
    await isRefused(instant.examId, bob)
    await admin.patch(`/api/v01/admin/exams/${instant.examId}`, { result_mode: 'on_release' }, 200)
    await isRefused(instant.examId, bob)

    const again = await createTimed()
    const [carol, first] = await expired(again.examId, again.questionIds[0] as number)
    await start(carol, again.examId)
    expect(await extend(again.examId, { minutes: 10, user_ids: [carol.id] })).toMatchObject({
      extended: 1,
      reopened: 0,
    })
    await carol.post(`/api/v01/exams/${again.examId}/submit`, {}, 200)
    // Neither what came before what was handed in, nor that itself.
    await isRefused(again.examId, carol)

    const old = await createTimed()
    const [dora, ofDora] = await expired(old.examId, old.questionIds[0] as number)
    now += 24 * HOUR_MS - GRACE_MS - 2
    await admin.login(admin.username)
    expect(await extend(old.examId, { minutes: 1, user_ids: [dora.id] })).toMatchObject({ reopened: 1 })
    now += MINUTE_MS + GRACE_MS + 1
    await closeOverdue(core())
    now += 24 * HOUR_MS - GRACE_MS - 1
    await admin.login(admin.username)
    await isRefused(old.examId, dora)
    expect(await Promise.all([attemptId, ofBob, first, ofDora].map(statusOf))).toEqual(
      Array(4).fill('expired'),
    )
  })

  test('is opened again by teachers of its person’s class alone, and after results of earlier attempts were shown', async () => {
    const { examId, questionIds } = await createTimed()
    await release(examId, true)
    await release(examId, false)
    const [alice, attemptId] = await expired(examId, questionIds[0] as number)
    const [bob, ofBob] = await expired(examId, questionIds[0] as number)
    await alice.login(alice.username)
    const teacher = await service.person()
    const classId = await createClass(service.sql, { students: [alice], teachers: [teacher] })
    await service.sql`update exams set for_classes = true where id = ${examId}`
    await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
    const path = `/api/v01/classes/${classId}/exams/${examId}/extend` as const
    const both = { minutes: 3, user_ids: [alice.id, bob.id] }
    expect((await teacher.post(path, both, 200)).body).toEqual({ success: true, extended: 0, reopened: 1 })
    expect(await Promise.all([attemptId, ofBob].map(statusOf))).toEqual(['active', 'expired'])
    await alice.post(path, both, 403)
    const counted = async () =>
      (await service.sql`select sum(amount)::int as results from counts where what = 'results'`)[0]?.results
    const finished = async () =>
      (await service.sql`select count(*)::int as n from attempts where submitted_at is not null`)[0]?.n
    expect(await counted()).toBe(await finished())
  })
})

test('no attempt is opened again while nodes of different versions run', async () => {
  const { examId, questionIds } = await createTimed()
  const [alice, attemptId] = await expired(examId, questionIds[0] as number)
  const bob = await service.person()
  await start(bob, examId)
  const both = { minutes: 10, user_ids: [alice.id, bob.id] }
  const path = `/api/v01/admin/exams/${examId}/extend` as const
  const readEnds = async () => [
    ...(await service.sql`select ends_at from attempts where exam_id = ${examId}`),
  ]
  const isRefused = async () => {
    const before = await readEnds()
    expect((await admin.post(path, both, 409)).body.code).toBe('nodes_differ')
    expect(await readEnds()).toEqual(before)
    expect(await statusOf(attemptId)).toBe('expired')
  }

  const [own] = await service.sql<{ version: string }[]>`select version from nodes limit 1`
  await service.sql`update nodes set version = '1.0.1' where id = (select id from nodes limit 1)`
  await isRefused()
  // Whoever has time left gets more of it.
  expect(await extend(examId, { minutes: 1 })).toMatchObject({ extended: 1, reopened: 0 })
  await service.sql`update nodes set version = ${own?.version as string}`

  const ofFirstRelease = postgres(service.databaseUrl, {
    max: 1,
    connection: { application_name: 'exam-practice' },
  })
  await ofFirstRelease`select 1`
  await isRefused()
  await ofFirstRelease.end()
  await service.sql`
    insert into nodes (id, name, version, secrets, seen_at)
    values (gen_random_uuid(), 'gone:1', '1.0.1', '[]', now() - interval '61 seconds')`
  await expect
    .poll(async () => (await admin.post(path, both)).body)
    .toMatchObject({ extended: 1, reopened: 1 })
  expect(await statusOf(attemptId)).toBe('active')
})

describe('of races between both nodes, one thing holds:', () => {
  /** Runs them at once, on one node or the other by turns. */
  const race = (...runs: ((client: Client, n: number) => Promise<unknown>)[]) =>
    Promise.all(runs.map((run, n) => run(n % 2 ? elsewhere(admin) : admin, n)))

  test('an attempt goes on, or the next one began', async () => {
    const { examId, questionIds } = await createTimed()
    for (let n = 0; n < 6; n += 1) {
      const [alice, attemptId] = await expired(examId, questionIds[0] as number)
      const path = `/api/v01/exams/${examId}/start` as const
      const [begun] = await Promise.all([
        (n % 2 ? elsewhere(alice) : alice).post(path, {}),
        extend(examId, { minutes: 10, user_ids: [alice.id] }),
      ])
      const rows = await service.sql`
        select id, status from attempts where user_id = ${alice.id} order by attempt_number`
      expect(rows.filter(({ status }) => status === 'active')).toHaveLength(1)
      expect(begun.status).toBe(rows.length === 1 ? 200 : 201)
      expect(rows[0]).toMatchObject({ id: attemptId, status: rows.length === 1 ? 'active' : 'expired' })
    }
  })

  test('an attempt goes on, or its result is released', async () => {
    for (let n = 0; n < 6; n += 1) {
      const { examId, questionIds } = await createTimed()
      const [alice, attemptId] = await expired(examId, questionIds[0] as number)
      let shown = 0
      const [extended] = await race(
        (client) => extend(examId, { minutes: 10, user_ids: [alice.id] }, client),
        (client) => client.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200),
        async () => {
          for (let look = 0; look < 8; look += 1)
            shown += Number((await alice.get(`/api/v01/attempts/${attemptId}`)).status === 200)
        },
      )
      const { reopened } = extended as { reopened: number }
      expect(await statusOf(attemptId)).toBe(reopened === 1 ? 'active' : 'expired')
      if (reopened === 1) expect(shown).toBe(0)
    }
  })

  test('whoever is named while their time is closed has more of it', async () => {
    const { examId, questionIds } = await createTimed()
    const [alice] = await expired(examId, questionIds[0] as number)
    await service.sql`
      with people as (
        insert into users (username, email, full_name, role)
        select 'raced' || n, 'raced' || n || '@example.org', 'Late', 'user' from generate_series(1, 300) n returning id
      )
      insert into attempts (user_id, exam_id, paper_id, attempt_number, status, started_at, ends_at)
      select people.id, exam_id, paper_id, 1, 'active', started_at, ${new Date(now - GRACE_MS - 1)}
        from people, attempts where user_id = ${alice.id}`
    const ids = (
      await service.sql<{ user_id: number }[]>`select user_id from attempts where exam_id = ${examId}`
    ).map(({ user_id }) => user_id)
    const answers: { extended: number; reopened: number }[] = []
    await race(
      () => closeOverdue(core(0)),
      () => closeOverdue(core(1)),
      async (client) => {
        for (let from = 0; from < ids.length; from += 50)
          answers.push(await extend(examId, { minutes: 5, user_ids: ids.slice(from, from + 50) }, client))
      },
    )
    const given = answers.reduce((sum, { extended, reopened }) => sum + extended + reopened, 0)
    expect(given).toBe(ids.length)
    const ended = await service.sql`
      select id from attempts where exam_id = ${examId} and (status <> 'active' or extra_minutes <> 5)`
    expect(ended).toHaveLength(0)
  })

  test('a regrade grades finished attempts alone', async () => {
    const { examId, questionIds } = await createTimed()
    const [question_id] = questionIds as [number]
    for (let n = 0; n < 4; n += 1) {
      const [alice, attemptId] = await expired(examId, question_id)
      const regrade = { question_id, action: 'new_key', correct_answer: n % 2 ? 'A' : 'B' }
      await race(
        (client) => client.post(`/api/v01/admin/exams/${examId}/regrades`, regrade as never, 201),
        (client) => extend(examId, { minutes: 10, user_ids: [alice.id] }, client),
      )
      expect(await statusOf(attemptId)).toBe('active')
      await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
      const [row] = await service.sql`select correct from attempts where id = ${attemptId}`
      expect(row).toEqual({ correct: n % 2 ? 1 : 0 })
    }
  })
})
