import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeOverdue } from '../../src/features/attempts/closing.service.ts'
import { extendAttempts } from '../../src/features/timing/timing.service.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000
/** How long a timed attempt takes syncs after its end. */
const GRACE_MS = 30_000
let now = Date.UTC(2026, 10, 20, 10)
const at = (minutes: number) => new Date(now + minutes * MINUTE_MS)

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
const start = (client: Client, examId: number, status?: number) =>
  client.post(`/api/v01/exams/${examId}/start`, {}, status)
const endOf = async (client: Client, examId: number) =>
  (await client.get(`/api/v01/exams/${examId}/attempt-status`, 200)).body.ends_at

describe('the window of an exam', () => {
  test('is set and shown; it must close after it opens', async () => {
    const created = await admin.post(
      '/api/v01/admin/exams',
      {
        name: 'Finals',
        opens_at: '2026-11-20T12:00',
        closes_at: '2026-11-20 15:00:00+01:00',
        lock_help: true,
      },
      201,
    )
    const window = { opens_at: '2026-11-20T12:00:00.000Z', closes_at: '2026-11-20T14:00:00.000Z' }
    expect(created.body.exam).toMatchObject({ ...window, lock_help: true })
    const path = `/api/v01/admin/exams/${created.body.exam.id}` as const
    const refused = [
      { opens_at: '2026-11-20T14:00:00Z' },
      { closes_at: window.opens_at },
      { opens_at: '2026-11-22T12:00Z', closes_at: '2026-11-21T12:00Z' },
      { opens_at: '2026-13-41T12:00Z' },
      { opens_at: 'tomorrow' },
    ]
    for (const change of refused) {
      const { body } = await admin.patch(path, change, 400)
      expect(body.errors, JSON.stringify(change)).toEqual([
        { path: expect.stringMatching(/^\/(opens|closes)_at$/), message: expect.any(String) },
      ])
    }
    await admin.post('/api/v01/admin/exams', { name: 'Never', ...window, closes_at: window.opens_at }, 400)
    expect((await admin.get(path, 200)).body.exam).toMatchObject(window)
    expect((await admin.patch(path, { closes_at: null, lock_help: false }, 200)).body.exam).toMatchObject({
      opens_at: window.opens_at,
      closes_at: null,
      lock_help: false,
    })
  })

  test('lets nobody start before or after it, in either generation; attempts under way go on', async () => {
    const { examId } = await createExam(service.sql, { opens_at: at(10), closes_at: at(60) })
    const [alice, bob] = [await service.person(), await service.person()]
    const listed = (await alice.get(`/api/v01/exams/${examId}`, 200)).body.exam
    expect(listed).toMatchObject({ opens_at: at(10).toISOString(), closes_at: at(60).toISOString() })
    expect(listed).not.toHaveProperty('extra_time_percent')

    for (const base of ['/api/v01/exams', '/api/exams'])
      expect((await alice.post(`${base}/${examId}/start`, {}, 403)).body).toMatchObject({
        code: 'exam_not_open',
        opens_at: at(10).toISOString(),
      })
    const opensAt = at(10).toISOString()
    now += 10 * MINUTE_MS
    expect(new Date(now).toISOString()).toBe(opensAt)
    await start(alice, examId, 201)
    // Without a duration an attempt lasts until the exam closes.
    expect(await endOf(alice, examId)).toBe(at(50).toISOString())
    now += 50 * MINUTE_MS
    await alice.login(alice.username)
    await bob.login(bob.username)
    await start(alice, examId, 200)
    for (const base of ['/api/v01/exams', '/api/exams'])
      expect((await bob.post(`${base}/${examId}/start`, {}, 403)).body).toMatchObject({
        code: 'exam_closed',
        closes_at: at(0).toISOString(),
      })
    now += GRACE_MS + 1
    expect((await start(alice, examId, 403)).body.code).toBe('exam_closed')
    expect((await alice.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([{ status: 'expired' }])
  })
})

describe('accommodations', () => {
  test('give four times the time of the longest exam', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 10_080 })
    const alice = await service.person()
    const exam = `/api/v01/admin/exams/${examId}` as const
    await admin.put(`${exam}/accommodations/${alice.id}`, { extra_time_percent: 300 }, 200)
    await start(alice, examId, 201)
    await admin.patch(exam, { closes_at: at(50_000).toISOString() }, 200)
    expect(await endOf(alice, examId)).toBe(at(40_320).toISOString())
  })

  test('give one person more time and another window, and can be replaced and removed', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 40, opens_at: at(60) })
    const [alice, bob] = [await service.person(), await service.person()]
    const path = `/api/v01/admin/exams/${examId}/accommodations` as const
    expect((await admin.get(path, 200)).body).toEqual({ success: true, accommodations: [] })
    const put = await admin.put(
      `${path}/${alice.id}`,
      { extra_time_percent: 25, opens_at: at(0).toISOString() },
      200,
    )
    const accommodation = {
      user_id: alice.id,
      username: alice.username,
      full_name: expect.any(String),
      extra_time_percent: 25,
      opens_at: at(0).toISOString(),
      closes_at: null,
    }
    expect(put.body).toEqual({ success: true, accommodation })
    expect((await admin.get(path, 200)).body.accommodations).toEqual([accommodation])
    const shown = { opens_at: at(0).toISOString(), closes_at: null, extra_time_percent: 25 }
    expect((await alice.get(`/api/v01/exams/${examId}`, 200)).body.exam).toMatchObject(shown)
    expect((await alice.get('/api/v01/exams', 200)).body.exams.find(({ id }) => id === examId)).toMatchObject(
      shown,
    )
    expect((await bob.get(`/api/v01/exams/${examId}`, 200)).body.exam.opens_at).toBe(at(60).toISOString())

    expect((await start(bob, examId, 403)).body.code).toBe('exam_not_open')
    await start(alice, examId, 201)
    expect(await endOf(alice, examId)).toBe(at(50).toISOString())

    const early = { opens_at: at(0).toISOString(), closes_at: at(45).toISOString() }
    await admin.put(`${path}/${alice.id}`, early, 200)
    expect(await endOf(alice, examId)).toBe(at(40).toISOString())
    await admin.put(`${path}/${alice.id}`, { ...early, extra_time_percent: 300 }, 200)
    expect(await endOf(alice, examId)).toBe(at(45).toISOString())
    await admin.delete(`${path}/${alice.id}`, 200)
    expect(await endOf(alice, examId)).toBe(at(40).toISOString())
    await admin.delete(`${path}/${alice.id}`, 404)
    const log = (await admin.get(`/api/v01/admin/audit?subject=exam:${examId}`, 200)).body
    expect(log.entries.map(({ summary }) => summary)).toEqual([
      `User ${alice.id}: the exam’s own times`,
      `User ${alice.id}: 300 % more time; opens ${at(0).toISOString()}, closes ${at(45).toISOString()}`,
      `User ${alice.id}: 0 % more time; opens ${at(0).toISOString()}, closes ${at(45).toISOString()}`,
      `User ${alice.id}: 25 % more time; opens ${at(0).toISOString()}, closes as the exam`,
    ])

    for (const bad of [{ extra_time_percent: 301 }, { extra_time_percent: -1 }, { extra_time_percent: 1.5 }])
      await admin.put(`${path}/${bob.id}`, bad, 400)
    await admin.put(
      `${path}/${bob.id}`,
      { opens_at: at(5).toISOString(), closes_at: at(5).toISOString() },
      400,
    )
    await admin.put(`${path}/2000000000`, {}, 404)
    // Not a window that can't be: alone, or with what the exam has.
    const isRefused = async (times: { opens_at?: string; closes_at?: string }, field: string) =>
      expect((await admin.put(`${path}/${bob.id}`, times, 400)).body.errors?.[0]?.path).toBe(field)
    await isRefused({ closes_at: at(60).toISOString() }, '/closes_at')
    await admin.patch(`/api/v01/admin/exams/${examId}`, { closes_at: at(90).toISOString() }, 200)
    await isRefused({ opens_at: at(90).toISOString() }, '/opens_at')
    await admin.put(`${path}/${bob.id}`, { opens_at: at(80).toISOString() }, 200)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { closes_at: at(70).toISOString() }, 200)
    expect((await start(bob, examId, 403)).body.code).toBe('exam_closed')
    await admin.put(`/api/v01/admin/exams/2000000000/accommodations/${bob.id}`, {}, 404)
    await admin.get('/api/v01/admin/exams/2000000000/accommodations', 404)
    await bob.get(path, 403)
    await bob.put(`${path}/${bob.id}`, { extra_time_percent: 100 }, 403)
    await service.guest().get(path, 401)
  })
})

describe('attempts under way', () => {
  test('follow every change of the times, which is sent to all devices on both nodes', async () => {
    const { examId, questionIds } = await createExam(service.sql, { duration_minutes: 60 })
    const alice = await service.person()
    const sockets = [await alice.socket(), await elsewhere(alice).socket()]
    const attemptId = (await start(alice, examId, 201)).body.attempt_id
    let told = 0
    const expectTold = async (ends_at: string | null) => {
      told += 1
      for (const socket of sockets)
        expect(await socket.until(() => socket.of('attempt_time')[told - 1], 1_000)).toEqual({
          type: 'attempt_time',
          exam_id: examId,
          attempt_id: attemptId,
          ends_at,
        })
      expect((await elsewhere(alice).get(`/api/v01/exams/${examId}/paper`, 200)).body.ends_at).toBe(ends_at)
      const sync = await alice.put(
        `/api/v01/exams/${examId}/answers`,
        { answers: { [questionIds[0] as number]: 'A' } },
        200,
      )
      expect(sync.body.ends_at).toBe(ends_at)
    }
    const exam = `/api/v01/admin/exams/${examId}` as const
    const own = `${exam}/accommodations/${alice.id}` as const
    await admin.put(own, { extra_time_percent: 50 }, 200)
    await expectTold(at(90).toISOString())
    await admin.patch(exam, { duration_minutes: 100 }, 200)
    await expectTold(at(150).toISOString())
    await admin.patch(exam, { closes_at: at(120).toISOString() }, 200)
    await expectTold(at(120).toISOString())
    // Minutes given by a teacher go beyond the window, and stay when other times change.
    await elsewhere(admin).post(`${exam}/extend`, { minutes: 5 }, 200)
    await expectTold(at(125).toISOString())
    await admin.patch(exam, { closes_at: null }, 200)
    await expectTold(at(155).toISOString())
    await admin.patch(exam, { duration_minutes: null }, 200)
    await expectTold(null)
    // An attempt without an end gets no minutes.
    expect((await admin.post(`${exam}/extend`, { minutes: 5 }, 200)).body.extended).toBe(0)
    await admin.patch(exam, { name: 'Renamed' }, 200)
    await admin.patch(exam, { duration_minutes: 1 }, 200)
    await expectTold(at(6.5).toISOString())
    for (const socket of sockets) expect(socket.of('attempt_time')).toHaveLength(told)
  })

  test('that are shortened take syncs for 30 s past the new end, and no longer', async () => {
    const { examId, questionIds } = await createExam(service.sql, { duration_minutes: 60 })
    const alice = await service.person()
    const save = (status: number) =>
      alice.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionIds[0] as number]: 'A' } }, status)
    await start(alice, examId, 201)
    now += 20 * MINUTE_MS
    const over = { closes_at: at(0).toISOString(), confirm: true }
    await admin.patch(`/api/v01/admin/exams/${examId}`, over, 200)
    now += GRACE_MS
    await save(200)
    now += 1
    await save(409)
  })

  test('get no end beyond the year 9999', async () => {
    const { examId } = await createExam(service.sql)
    const exam = `/api/v01/admin/exams/${examId}` as const
    await admin.patch(exam, { closes_at: '9999-12-31T23:59:59-01:00' }, 400)
    await admin.patch(exam, { closes_at: '9999-12-31T23:59:59Z' }, 200)
    const alice = await service.person()
    await start(alice, examId, 201)
    await admin.post(`${exam}/extend`, { minutes: 600 }, 200)
    expect(await endOf(alice, examId)).toBe('9999-12-31T23:59:59.999Z')
    await admin.put(`${exam}/accommodations/${alice.id}`, { extra_time_percent: 10 }, 200)
    expect(await endOf(alice, examId)).toBe('9999-12-31T23:59:59.999Z')
  })

  test('are ended at once by no change of times that isn’t confirmed', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 60 })
    const people = await Promise.all([service.person(), service.person(), service.person()])
    const [alice, bob, done] = people as [Client, Client, Client]
    const exam = `/api/v01/admin/exams/${examId}` as const
    const own = `${exam}/accommodations/${alice.id}` as const
    const extended = `${exam}/accommodations/${bob.id}` as const
    await admin.put(extended, { extra_time_percent: 100 }, 200)
    for (const person of people) await start(person, examId, 201)
    await done.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    const before = await admin.get(exam, 200)
    now += 30 * MINUTE_MS
    const past = at(-1).toISOString()
    const ends = [at(30).toISOString(), at(90).toISOString()]
    const refused = async (attempts: number, change: Promise<{ body: unknown }>) =>
      expect((await change).body).toMatchObject({ code: 'ends_attempts', attempts })
    await refused(2, admin.patch(exam, { closes_at: past }, 409))
    await refused(1, admin.patch(exam, { duration_minutes: 20 }, 409))
    await refused(1, admin.put(own, { closes_at: past }, 409))
    expect((await admin.get(exam, 200)).body).toEqual(before.body)
    expect([await endOf(alice, examId), await endOf(bob, examId)]).toEqual(ends)

    await admin.patch(exam, { duration_minutes: 20, confirm: true }, 200)
    await refused(1, admin.delete(extended, 409))
    await admin.delete(`${extended}?confirm=true`, 200)
  })

  test('are submitted with the answers that arrived in time, however long these wait', async () => {
    const { examId, questionIds } = await createExam(service.sql, { duration_minutes: 60 })
    const alice = await service.person()
    await start(alice, examId, 201)
    now += 60 * MINUTE_MS + GRACE_MS
    await alice.login(alice.username)
    let submitting: Promise<unknown> | undefined
    await service.sql.begin(async (sql) => {
      await sql`select from attempts where exam_id = ${examId} for update`
      const answers = { [questionIds[0] as number]: 'A' }
      submitting = alice.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
      await expect.poll(service.lockWaits).toHaveLength(1)
      now += 1
    })
    expect(await submitting).toMatchObject({ body: { already_submitted: false, result: { correct: 1 } } })
  })

  test('get additional minutes, all or those of some people, once for a key', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 60 })
    const people = await Promise.all(Array.from({ length: 4 }, () => service.person()))
    const [alice, bob, carol] = people as [Client, Client, Client, Client]
    for (const person of [alice, bob, carol]) await start(person, examId, 201)
    await carol.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    const extend = async (body: { minutes: number; user_ids?: number[]; key?: string }) =>
      (await admin.post(`/api/v01/admin/exams/${examId}/extend`, body, 200)).body
    expect(await extend({ minutes: 10 })).toEqual({ success: true, extended: 2, reopened: 0 })
    expect(await extend({ minutes: 5, user_ids: people.slice(1).map(({ id }) => id) })).toEqual({
      success: true,
      extended: 1,
      reopened: 0,
    })
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? admin : elsewhere(admin)).post(
          `/api/v01/admin/exams/${examId}/extend`,
          { minutes: 7, key: index % 3 ? key : key.toUpperCase() },
          200,
        ),
      ),
    )
    for (const { body } of answers) expect(body).toEqual({ success: true, extended: 2, reopened: 0 })
    expect(await endOf(alice, examId)).toBe(at(77).toISOString())
    expect(await endOf(bob, examId)).toBe(at(82).toISOString())
    // Although this attempt has been closed, a repeat gets the first answer.
    await bob.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    expect(await extend({ minutes: 7, key })).toEqual({ success: true, extended: 2, reopened: 0 })
    expect(await extend({ minutes: 7, user_ids: [] })).toEqual({ success: true, extended: 0, reopened: 0 })
    for (const bad of [{}, { minutes: 0 }, { minutes: 601 }, { minutes: 5, key: 'again' }])
      await admin.post(`/api/v01/admin/exams/${examId}/extend`, bad, 400)
    await admin.post('/api/v01/admin/exams/2000000000/extend', { minutes: 1 }, 404)
    await alice.post(`/api/v01/admin/exams/${examId}/extend`, { minutes: 1 }, 403)
  })

  test('that start during a change of the times all end by the new ones', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 10 })
    const people = await Promise.all(Array.from({ length: 30 }, () => service.person()))
    await Promise.all([
      ...people.map((person, index) => start(index % 2 ? person : elsewhere(person), examId, 201)),
      admin.patch(`/api/v01/admin/exams/${examId}`, { duration_minutes: 20 }, 200),
    ])
    const ends = await service.sql`select distinct ends_at from attempts where exam_id = ${examId}`
    expect(ends).toEqual([{ ends_at: at(20) }])
  })

  test('of 1,000 people that expire while they are extended are not closed before the end last sent to them', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 1 })
    const alice = await service.person()
    await start(alice, examId, 201)
    await service.sql`
      with people as (
        insert into users (username, email, full_name, role)
        select 'late' || n, 'late' || n || '@example.org', 'Late', 'user' from generate_series(1, 999) n returning id
      )
      insert into attempts (user_id, exam_id, paper_id, attempt_number, status, started_at, ends_at)
      select people.id, exam_id, paper_id, 1, status, started_at, ends_at - (people.id % 60) * interval '1 s'
        from people, attempts where exam_id = ${examId}`
    const ids = (
      await service.sql<{ user_id: number }[]>`select user_id from attempts where exam_id = ${examId}`
    ).map(({ user_id }) => user_id)
    /** The end last sent to each person, from the events that frames are made of. */
    const told = new Map<number, number>()
    core().bus.subscribe('exams', (event) => {
      if (event.kind === 'attempt_times')
        for (const { userId, endsAt } of event.times) told.set(userId, endsAt ?? Infinity)
    })
    const clockAtClose = new Map<number, number>()
    const actor = { id: null, ip: null }
    // The clock advances in steps; in each, both nodes close overdue attempts while some are extended.
    for (let step = 0; step < 36; step++) {
      now += 5_000
      const some = ids.filter((_, index) => index % 24 === step % 24)
      await Promise.all([
        closeOverdue(core(0)),
        extendAttempts(core(0), actor, examId, { minutes: 1, user_ids: some }),
        closeOverdue(core(1)),
        alice.get(`/api/v01/exams/${examId}/attempt-status`, 200),
      ])
      const closed = await service.sql<{ user_id: number }[]>`
        select user_id from attempts where exam_id = ${examId} and status = 'expired'`
      for (const { user_id } of closed) if (!clockAtClose.has(user_id)) clockAtClose.set(user_id, now)
    }
    const rows = await service.sql<{ user_id: number; ends_at: Date; submitted_at: Date | null }[]>`
      select user_id, ends_at, submitted_at from attempts where exam_id = ${examId}`
    expect(rows).toHaveLength(1_000)
    const closed = rows.filter(({ submitted_at }) => submitted_at)
    // It was a race: many were extended in time, many were too late.
    expect(closed.length).toBeGreaterThan(100)
    expect(told.size).toBeGreaterThan(100)
    for (const { user_id, ends_at, submitted_at } of rows) {
      expect(told.get(user_id) ?? ends_at.getTime()).toBe(ends_at.getTime())
      if (submitted_at) {
        expect(submitted_at).toEqual(ends_at)
        expect(clockAtClose.get(user_id)).toBeGreaterThan(ends_at.getTime() + GRACE_MS)
      }
    }
  }, 120_000)

  test('leave every change of their times in the audit log', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 60 })
    const alice = await service.person()
    const exam = `/api/v01/admin/exams/${examId}` as const
    await admin.put(`${exam}/accommodations/${alice.id}`, { extra_time_percent: 10 }, 200)
    await admin.post(`${exam}/extend`, { minutes: 5 }, 200)
    await admin.delete(`${exam}/accommodations/${alice.id}`, 200)
    const { body } = await admin.get(`/api/v01/admin/audit?subject=exam:${examId}`, 200)
    expect(body.entries.map(({ action }) => action)).toEqual([
      'exam.accommodate',
      'exam.extend',
      'exam.accommodate',
    ])
  })
})
