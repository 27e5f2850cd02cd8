import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000
let now = Date.UTC(2026, 10, 20, 10)
const at = (minutes: number) => new Date(now + minutes * MINUTE_MS)
let service: TestService
let admin: Client
let teacher: Client
let ann: Client
let ben: Client
let stranger: Client
let classId: number
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  const people = [service.admin(), ...Array.from({ length: 4 }, () => service.person())]
  ;[admin, teacher, ann, ben, stranger] = (await Promise.all(people)) as [
    Client,
    Client,
    Client,
    Client,
    Client,
  ]
})
afterAll(() => service.close())
beforeEach(async () => {
  await Promise.all([admin, teacher, ann, ben, stranger].map((person) => person.login(person.username)))
  classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
})

async function classExam(fields: Parameters<typeof createExam>[1] = {}, classIds = [classId]) {
  const exam = await createExam(service.sql, fields)
  await admin.patch(`/api/v01/admin/exams/${exam.examId}`, { class_ids: classIds }, 200)
  return { ...exam, questionId: exam.questionIds[0] as number }
}

async function start(person: Client, examId: number): Promise<number> {
  return (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body.attempt_id
}

async function take(person: Client, examId: number, answers: Record<string, string>): Promise<number> {
  const attemptId = await start(person, examId)
  await person.post(`/api/v01/exams/${examId}/submit`, { answers, markedForReview: [] }, 200)
  return attemptId
}

const endOf = async (person: Client, examId: number) =>
  (await person.get(`/api/v01/exams/${examId}/attempt-status`, 200)).body.ends_at

describe('results of a class', () => {
  test('are the best, the newest and the active attempt of each student, as a list and as a download', async () => {
    const { examId, questionId } = await classExam({ name: '=Optics' })
    await createExam(service.sql)
    const best = await take(ann, examId, { [questionId]: 'A' })
    const newest = await take(ann, examId, { [questionId]: 'B' })
    const active = await start(ann, examId)
    await ann.put(
      `/api/v01/exams/${examId}/answers`,
      { answers: { [questionId]: 'C' }, markedForReview: [] },
      200,
    )
    const { body } = await teacher.get(`/api/v01/classes/${classId}/results?exam_id=${examId}`, 200)
    expect(body).toMatchObject({ exam: { id: examId }, total: 2, page: 1 })
    const row = body.results.find(({ user_id }) => user_id === ann.id)
    expect(row).toMatchObject({
      username: ann.username,
      attempts: 3,
      best: { score: 4, max_score: 4, percentage: 100, passed: true },
      newest: { attempt_id: newest, score: -1, passed: false, status: 'submitted' },
      active: { attempt_id: active, ends_at: null, answered: 1 },
    })
    expect(body.results.find(({ user_id }) => user_id === ben.id)).toMatchObject({
      attempts: 0,
      best: null,
      newest: null,
      active: null,
    })
    const csv = await teacher.fetch('GET', `/api/v01/classes/${classId}/results.csv?exam_id=${examId}`)
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect((await csv.text()).split('\r\n').find((line) => line.startsWith(`${ann.id},`))).toContain(
      `${ann.username},3,4,4,100,true,`,
    )

    await take(stranger, (await createExam(service.sql)).examId, {})
    const all = await admin.get(`/api/v01/admin/exams/${examId}/results`, 200)
    expect(all.body.results).toEqual([row])
    expect((await admin.fetch('GET', `/api/v01/admin/exams/${examId}/results.csv`)).status).toBe(200)
    const elsewhere = (await createExam(service.sql)).examId
    await teacher.get(`/api/v01/classes/${classId}/results?exam_id=${elsewhere}`, 404)

    const book = await teacher.get(`/api/v01/classes/${classId}/gradebook`, 200)
    expect(book.body).toMatchObject({ exams: [{ id: examId, name: '=Optics' }], total: 2, per_page: 100 })
    const marks = () => book.body.students.find(({ user_id }) => user_id === ann.id)
    expect(marks()?.results).toEqual([
      { exam_id: examId, percentage: 100, passed: true, attempt_id: best, attempts: 3, finished: 2 },
    ])
    const sheet = await (await teacher.fetch('GET', `/api/v01/classes/${classId}/gradebook.csv`)).text()
    expect(sheet).toContain(`,'=Optics (${examId})`)
    expect(best).toBeLessThan(newest)
  })

  test('of who was removed stay in the gradebook, without what came later, until the account goes', async () => {
    const { examId, questionId } = await classExam({ pass_percentage: 50 })
    const leaver = await service.person()
    await admin.post(`/api/v01/classes/${classId}/members`, { user_ids: [leaver.id] }, 200)
    const first = await take(leaver, examId, { [questionId]: 'B' })
    now += MINUTE_MS
    await teacher.delete(`/api/v01/classes/${classId}/members/${leaver.id}`, 200)
    await leaver.post(`/api/v01/exams/${examId}/start`, {}, 404)
    now += MINUTE_MS
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [] }, 200)
    const later = await take(leaver, examId, { [questionId]: 'A' })
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
    const { body } = await teacher.get(`/api/v01/classes/${classId}/gradebook`, 200)
    expect(body.students.filter(({ left }) => left)).toEqual([
      {
        user_id: leaver.id,
        username: leaver.username,
        full_name: leaver.username,
        left: true,
        total: 0,
        excused: [],
        comment: '',
        results: [
          { exam_id: examId, percentage: -25, passed: false, attempt_id: first, attempts: 1, finished: 1 },
        ],
      },
    ])
    await teacher.get(`/api/v01/classes/${classId}/attempts/${later}`, 404)
    await leaver.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    expect((await teacher.get(`/api/v01/classes/${classId}/gradebook`, 200)).body.total).toBe(2)
  })

  test('are in the gradebook at the newest 500 exams, and at no others', async () => {
    const { examId, questionId } = await classExam()
    await take(ann, examId, { [questionId]: 'A' })
    await service.sql`
      with made as (
        insert into exams (name, for_classes) select 'E' || n, true from generate_series(1, 500) n returning id)
      insert into exam_classes (exam_id, class_id) select id, ${classId} from made`
    const { body } = await teacher.get(`/api/v01/classes/${classId}/gradebook`, 200)
    expect(body.exams).toHaveLength(500)
    expect(body.students.map(({ results }) => results)).toEqual([[], []])
  })
})

describe('an attempt of a student', () => {
  test('is seen by its teachers before the release, and its marks and keys once the exam is over', async () => {
    const { examId, questionId } = await classExam({ result_mode: 'on_release', closes_at: at(60) })
    const attemptId = await start(ann, examId)
    const path = `/api/v01/classes/${classId}/attempts/${attemptId}` as const
    await ann.put(
      `/api/v01/exams/${examId}/answers`,
      { answers: { [questionId]: 'A' }, markedForReview: [] },
      200,
    )
    expect((await teacher.get(path, 200)).body).toMatchObject({
      status: 'active',
      answered: 1,
      question_count: 1,
      result: null,
      review: null,
    })
    await ann.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await ann.get(`/api/v01/attempts/${attemptId}`, 403)
    const [question] = (await teacher.get(path, 200)).body.review ?? []
    expect(question).toMatchObject({
      id: questionId,
      given_answer: 'A',
      correct_answer: null,
      correct: null,
      explanation: null,
      is_correct: null,
      marks_awarded: null,
    })
    expect((await teacher.get(path, 200)).body).toMatchObject({
      shows_keys: false,
      result: null,
      score: null,
    })
    const items = async () =>
      (await teacher.get(`/api/v01/classes/${classId}/exams/${examId}/items`, 200)).body.items
    expect(await items()).toMatchObject([
      { administered: 1, facility: null, discrimination: null, options: [], shares: [], flags: [] },
    ])
    const byAdmin = await admin.get(`/api/v01/admin/attempts/${attemptId}/review`, 200)
    expect(byAdmin.body).toMatchObject({
      user_id: ann.id,
      shows_keys: true,
      result: { score: 4 },
      review: [{ correct_answer: 'A', is_correct: true, marks_awarded: 4 }],
    })
    await teacher.get(`/api/v01/admin/questions?exam_id=${examId}`, 403)
    now += 61 * MINUTE_MS
    await Promise.all([teacher, ann, stranger].map((person) => person.login(person.username)))
    expect((await teacher.get(path, 200)).body).toMatchObject({ review: [{ correct_answer: 'A' }] })
    expect(await items()).toMatchObject([{ facility: 1, too_few: true, flags: [] }])
    expect((await items())[0]?.options).not.toEqual([])
    expect((await teacher.get(`/api/v01/admin/questions?exam_id=${examId}`, 200)).body.total).toBe(1)
    await stranger.get(path, 404)
    await ann.get(path, 403)
    const elsewhere = await createClass(service.sql, { teachers: [teacher] })
    await teacher.get(`/api/v01/classes/${elsewhere}/attempts/${attemptId}`, 404)
  })

  test('counts in the analytics and allowances of its class alone', async () => {
    const { examId, questionId } = await classExam({ max_attempts: 2 })
    await take(ann, examId, { [questionId]: 'A' })
    const other = await createClass(service.sql, { students: [stranger] })
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId, other] }, 200)
    await take(stranger, examId, { [questionId]: 'B' })
    const analytics = `/api/v01/classes/${classId}/analytics` as const
    const dashboard = (await teacher.get(`${analytics}?exam=${examId}`, 200)).body
    expect(dashboard.summary).toMatchObject({ totalAttempts: 1, avgScore: 100 })
    const results = await teacher.request('GET', `${analytics}?exam=${examId}`, undefined, 200, {
      accept: 'text/csv',
    })
    expect(String(results.body).trim().split('\r\n')).toHaveLength(2)
    const elsewhere = await createExam(service.sql)
    await teacher.get(`${analytics}?exam=${elsewhere.examId}`, 404)
    const byAdmin = await admin.get(`/api/v01/admin/analytics?class_id=${other}`, 200)
    expect(byAdmin.body.summary).toMatchObject({ totalAttempts: 1, avgScore: -25 })
    const rows = (await admin.get(`/api/v01/admin/attempts?class_id=${classId}`, 200)).body
    expect(rows.total).toBe(2)
    expect(rows.rows.map(({ student_id, attempts_used }) => [student_id, attempts_used]).sort()).toEqual(
      [
        [ann.id, 1],
        [ben.id, 0],
      ].sort(),
    )
    const items = await teacher.get(`/api/v01/classes/${classId}/exams/${examId}/items`, 200)
    expect(items.body.exam.attempts).toBe(1)
    const second = await classExam()
    const countAll = async () => (await teacher.get(analytics, 200)).body.summary.totalAttempts
    const before = await countAll()
    await take(ann, second.examId, { [second.questionId]: 'A' })
    expect([before >= 1, await countAll()]).toEqual([true, before + 1])
  })

  test('makes rows among all allowances for those whom it is there for, and who has attempted it', async () => {
    const { examId, questionId } = await classExam({ max_attempts: 2 })
    await take(ben, examId, { [questionId]: 'A' })
    await admin.delete(`/api/v01/classes/${classId}/members/${ben.id}`, 200)
    const rowsOf = async (status = '') =>
      (await admin.get(`/api/v01/admin/attempts?exam_id=${examId}${status}`, 200)).body
    const all = await rowsOf()
    const students = all.rows.map(({ student_id }) => student_id)
    expect(all.total).toBe(students.length)
    expect(students).toEqual(expect.arrayContaining([ann.id, ben.id, teacher.id, admin.id]))
    expect(students).not.toContain(stranger.id)
    expect((await rowsOf('&status=available')).total).toBe(students.length)
    expect((await rowsOf('&q=nobody-of-this-name')).total).toBe(0)
    await admin.post(`/api/v01/classes/${classId}/members`, { user_ids: [ben.id] }, 200)
  })
})

describe('times of a class', () => {
  test('go behind those of a person; of several classes the most generous ones count', async () => {
    const other = await createClass(service.sql, { students: [ann] })
    const { examId } = await classExam({ duration_minutes: 60, opens_at: at(-60), closes_at: at(600) }, [
      classId,
      other,
    ])
    const set = (id: number, extra: number) =>
      admin.put(
        `/api/v01/admin/exams/${examId}/class-accommodations/${id}`,
        { extra_time_percent: extra },
        200,
      )
    await set(classId, 25)
    expect((await set(other, 50)).body.accommodation).toMatchObject({
      class_id: other,
      extra_time_percent: 50,
    })
    await start(ann, examId)
    await start(ben, examId)
    expect(await endOf(ann, examId)).toBe(at(90).toISOString())
    expect(await endOf(ben, examId)).toBe(at(75).toISOString())
    expect((await ben.get('/api/v01/exams', 200)).body.exams.find(({ id }) => id === examId)).toMatchObject({
      extra_time_percent: 25,
    })
    const mine = `/api/v01/classes/${classId}/exams/${examId}` as const
    await teacher.put(`${mine}/accommodations/${ann.id}`, { extra_time_percent: 0 }, 200)
    expect(await endOf(ann, examId)).toBe(at(60).toISOString())
    const listed = await teacher.get(`${mine}/accommodations`, 200)
    expect(listed.body).toMatchObject({
      accommodations: [{ user_id: ann.id, extra_time_percent: 0 }],
      class_accommodation: { class_id: classId, extra_time_percent: 25 },
    })
    await teacher.delete(`${mine}/accommodations/${ann.id}`, 200)
    expect(await endOf(ann, examId)).toBe(at(90).toISOString())
    expect(
      (await teacher.post(`${mine}/extend`, { minutes: 5, user_ids: [ben.id, stranger.id] }, 200)).body,
    ).toEqual({
      success: true,
      extended: 1,
      reopened: 0,
    })
    expect(await endOf(ben, examId)).toBe(at(80).toISOString())

    // Who leaves keeps what the class gave to the attempt.
    now += MINUTE_MS
    await teacher.delete(`/api/v01/classes/${classId}/members/${ben.id}`, 200)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { duration_minutes: 120 }, 200)
    expect(await endOf(ben, examId)).toBe(at(154).toISOString())
    await admin.delete(`/api/v01/admin/exams/${examId}/class-accommodations/${classId}`, 200)
    await admin.get(`/api/v01/admin/exams/${examId}/class-accommodations/${classId}`, 404)
    await admin.put(`/api/v01/admin/exams/${examId}/class-accommodations/999999`, {}, 404)
  })

  test('are not for an attempt that began before its student joined, whatever changes later', async () => {
    const other = await createClass(service.sql)
    const { examId } = await classExam({ duration_minutes: 60 }, [classId, other])
    const times = `/api/v01/admin/exams/${examId}/class-accommodations/${other}` as const
    await admin.put(times, { extra_time_percent: 300 }, 200)
    await start(ann, examId)
    const ends = at(60)
    now += MINUTE_MS
    const code = String((await admin.post(`/api/v01/classes/${other}/code`, {}, 200)).body.code)
    await ann.post('/api/v01/classes/join', { code }, 200)
    await admin.put(times, { extra_time_percent: 200 }, 200)
    expect(await endOf(ann, examId)).toBe(ends.toISOString())
    await ann.delete(`/api/v01/classes/${other}/membership`, 200)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { max_attempts: 2, duration_minutes: 60 }, 200)
    expect(await endOf(ann, examId)).toBe(ends.toISOString())
    await ann.post('/api/v01/classes/join', { code }, 200)
    await ann.post(`/api/v01/exams/${examId}/submit`, { answers: {}, markedForReview: [] }, 200)
    await start(ann, examId)
    expect(await endOf(ann, examId)).toBe(at(180).toISOString())
  })

  test('and attempts are given to students of the class at its exams alone', async () => {
    const { examId, questionId } = await classExam({ max_attempts: 1 })
    await take(ann, examId, { [questionId]: 'A' })
    const mine = `/api/v01/classes/${classId}/exams/${examId}` as const
    await teacher.post(`${mine}/allowances`, { student_id: ann.id, action: 'reset' }, 200)
    await start(ann, examId)
    await teacher.post(`${mine}/allowances`, { student_id: stranger.id, action: 'reset' }, 404)
    await teacher.put(`${mine}/accommodations/${stranger.id}`, {}, 404)
    const other = (await createExam(service.sql)).examId
    await teacher.post(`/api/v01/classes/${classId}/exams/${other}/extend`, { minutes: 5 }, 404)
    const log = (await admin.get(`/api/v01/admin/audit?class_id=${classId}`, 200)).body.entries
    expect(log.map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['attempt.reset', teacher.id],
      ['exam.change', admin.id],
    ])
  })

  test('end no attempt that isn’t confirmed, and are a window that can be', async () => {
    const { examId } = await classExam({ duration_minutes: 2, opens_at: at(-60), closes_at: at(600) })
    const times = `/api/v01/admin/exams/${examId}/class-accommodations/${classId}` as const
    const refused = async (change: Promise<{ body: unknown }>, attempts: number) =>
      expect((await change).body).toMatchObject({ code: 'ends_attempts', attempts })
    for (const bad of [{ opens_at: at(600).toISOString() }, { closes_at: at(-60).toISOString() }]) {
      const { errors } = (await admin.put(times, bad, 400)).body
      expect(errors?.map((each) => each.path)).toEqual(Object.keys(bad).map((name) => `/${name}`))
    }
    await admin.put(times, { extra_time_percent: 100 }, 200)
    await start(ann, examId)
    await start(ben, examId)
    const [before, end] = [await admin.get(times, 200), await endOf(ann, examId)]
    now += 3 * MINUTE_MS
    await refused(admin.put(times, { extra_time_percent: 0 }, 409), 2)
    await refused(admin.delete(times, 409), 2)
    const own = `/api/v01/classes/${classId}/exams/${examId}/accommodations/${ann.id}` as const
    await refused(teacher.put(own, { extra_time_percent: 0 }, 409), 1)
    expect((await admin.get(times, 200)).body).toEqual(before.body)
    expect(await endOf(ann, examId)).toBe(end)
    await teacher.put(own, { extra_time_percent: 300 }, 200)
    await refused(teacher.put(own, { extra_time_percent: 0 }, 409), 1)
    await teacher.put(own, { extra_time_percent: 0, confirm: true }, 200)
    await refused(admin.delete(times, 409), 1)
    await admin.delete(`${times}?confirm=true`, 200)
  })
})

describe('a teacher’s own exam', () => {
  const EXAMS = '/api/v01/admin/exams'

  test('is made, filled, published, corrected and released by the administrators’ operations', async () => {
    const made = await teacher.post(
      EXAMS,
      { name: 'Quiz', class_ids: [classId], result_mode: 'on_release' },
      201,
    )
    const { id } = made.body.exam
    await teacher.post(
      '/api/v01/admin/questions/bulk-add',
      {
        exam_id: id,
        questions: [{ question_text: 'Which?', option_a: 'x', option_b: 'y', correct_answer: 'A' }],
      },
      201,
    )
    const one = form({
      exam_id: id,
      question_text: 'And?',
      option_a: 'x',
      option_b: 'y',
      correct_answer: 'B',
    })
    const { body } = await teacher.request('POST', '/api/v01/admin/questions', one, 201)
    const csv =
      'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance\n'
    const foreign = (await createExam(service.sql)).examId
    const rows = `${csv}${id},q,a,b,,,A,MCQ,,,,\n${foreign},q,a,b,,,A,MCQ,,,,\n`
    const file = form({}, { field: 'csv_file', name: 'a.csv', bytes: rows })
    const imported = await teacher.request('POST', '/api/v01/admin/questions/import-csv', file, 200)
    expect(imported.body).toMatchObject({ inserted: 1, skipped: 1 })
    await teacher.patch(`${EXAMS}/${id}`, { is_published: true }, 200)
    const attemptId = await take(ann, id, { [body.question_id]: 'A' })
    await teacher.post(
      `${EXAMS}/${id}/regrades`,
      { question_id: body.question_id, action: 'credit_all' },
      201,
    )
    await teacher.post(`${EXAMS}/${id}/toggle-results`, { released: true }, 200)
    const challenge = await ann.post(
      `/api/v01/attempts/${attemptId}/challenges`,
      { question_id: body.question_id, message: 'Why?' },
      201,
    )
    const listed = await teacher.get('/api/v01/admin/challenges', 200)
    expect(listed.body.challenges.map((each) => each.id)).toEqual([challenge.body.challenge.id])
    await teacher.post(
      `/api/v01/admin/challenges/${challenge.body.challenge.id}/resolve`,
      { status: 'accepted' },
      200,
    )
    expect((await teacher.get(EXAMS, 200)).body.exams.map((each) => each.id)).toContain(id)
  })

  test('has no keys for who made it once an administrator has put it into another class, until it is over', async () => {
    const made = await teacher.post(
      EXAMS,
      { name: 'Lent', class_ids: [classId], result_mode: 'on_release' },
      201,
    )
    const { id } = made.body.exam
    const question = form({
      exam_id: id,
      question_text: 'q',
      option_a: 'x',
      option_b: 'y',
      correct_answer: 'B',
    })
    await teacher.request('POST', '/api/v01/admin/questions', question, 201)
    const window = { is_published: true, closes_at: at(60).toISOString() }
    await teacher.patch(`${EXAMS}/${id}`, window, 200)
    const attemptId = await take(ann, id, {})
    const keys = async () => {
      const review = await teacher.get(`/api/v01/classes/${classId}/attempts/${attemptId}`, 200)
      const items = await teacher.get(`/api/v01/classes/${classId}/exams/${id}/items`, 200)
      expect(review.body.shows_keys).toBe(items.body.items[0]?.options.length !== 0)
      return review.body.review?.map(({ correct_answer }) => correct_answer)
    }
    expect(await keys()).toEqual(['B'])
    const elsewhere = await createClass(service.sql)
    await admin.patch(`${EXAMS}/${id}`, { class_ids: [classId, elsewhere] }, 200)
    expect(await keys()).toEqual([null])
    now += 61 * MINUTE_MS
    await teacher.login(teacher.username)
    expect(await keys()).toEqual(['B'])
  })

  test('is for classes that they teach alone, and nothing else of administrators is open to them', async () => {
    const other = await createClass(service.sql)
    await teacher.post(EXAMS, { name: 'x' }, 403)
    await teacher.post(EXAMS, { name: 'x', class_ids: [other] }, 403)
    await teacher.post(EXAMS, { name: 'x', class_ids: [classId, other] }, 403)
    const { id } = (await teacher.post(EXAMS, { name: 'x', class_ids: [classId] }, 201)).body.exam
    await teacher.patch(`${EXAMS}/${id}`, { class_ids: [] }, 403)
    await teacher.patch(`${EXAMS}/${id}`, { class_ids: [other] }, 403)
    await teacher.delete(`${EXAMS}/${id}`, 403)
    expect((await teacher.get(`${EXAMS}/${id}`, 200)).body.exam.class_ids).toEqual([classId])
    // An administrator's exam of the same class: its settings are read, and nothing is changed.
    const { examId, questionId } = await classExam({ result_mode: 'on_release' })
    await teacher.get(`${EXAMS}/${examId}`, 200)
    await teacher.patch(`${EXAMS}/${examId}`, { name: 'mine' }, 403)
    await teacher.post(`${EXAMS}/${examId}/toggle-results`, {}, 403)
    await teacher.get(`/api/v01/admin/questions/${questionId}`, 403)
    await teacher.post('/api/v01/admin/questions/bulk-delete', { ids: [questionId] }, 403)
    await teacher.get('/api/v01/admin/questions', 403)
    const foreign = form({ exam_id: examId, question_text: 'q', correct_answer: 'A' })
    await teacher.request('POST', '/api/v01/admin/questions', foreign, 403)
    // Nor does a question of their own get there by a change.
    const own = form({ exam_id: id, question_text: 'q', correct_answer: 'A' })
    const added = (await teacher.request('POST', '/api/v01/admin/questions', own, 201)).body.question_id
    const path = `/api/v01/admin/questions/${added}` as const
    for (const target of [examId, other, 999_999])
      await teacher.request('PATCH', path, form({ exam_id: target }), 403)
    await teacher.request('PATCH', path, form({ exam_id: id, question_text: 'r' }), 200)
    expect((await teacher.get(path, 200)).body.question).toMatchObject({ exam_id: id, question_text: 'r' })
    // Images of other exams would be seen by naming them.
    const secret = { exam_id: id, question_text: 'q', image_path: 'Physics/secret.png' }
    await teacher.request('POST', '/api/v01/admin/questions', form(secret), 400)
    await teacher.request('PATCH', path, form({ image_path: secret.image_path }), 400)
    const bulk = { exam_id: id, questions: [{ question_text: 'q', image_path: secret.image_path }] }
    expect((await teacher.post('/api/v01/admin/questions/bulk-add', bulk, 201)).body).toMatchObject({
      added: 0,
    })
    const names =
      'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'
    const bytes = `${names}\n${id},q,a,b,,,A,MCQ,${secret.image_path},,,\n`
    const csv = form({}, { field: 'csv_file', name: 'a.csv', bytes })
    const read = await teacher.request('POST', '/api/v01/admin/questions/import-csv', csv, 200)
    expect(read.body).toMatchObject({ inserted: 0, skipped: 1 })
    const file = form({}, { field: 'file', name: 'a.csv', bytes })
    const exchanged = await teacher.request('POST', `${EXAMS}/${id}/import?format=csv`, file)
    expect(exchanged.body).toMatchObject({ inserted: 0, skipped: 1 })
    await admin.request('PATCH', path, form({ image_path: secret.image_path }), 200)
    await teacher.request('PATCH', path, form({ image_path: secret.image_path }), 200)
    await teacher.get('/api/v01/admin/users', 403)
    await stranger.get(EXAMS, 403)
    await ann.get(EXAMS, 403)
    // With the class it goes.
    await admin.patch(`/api/v01/admin/classes/${classId}`, { teacher_ids: [] }, 200)
    await teacher.get(`${EXAMS}/${id}`, 403)
  })
})

test('corrections of an administrator’s exam name nobody to a teacher of one of its classes', async () => {
  const elsewhere = await createClass(service.sql, { students: [stranger] })
  const { examId, questionId } = await classExam({}, [classId, elsewhere])
  for (const person of [ann, stranger]) await take(person, examId, { [questionId]: 'B' })
  const regrades = `/api/v01/admin/exams/${examId}/regrades` as const
  await admin.post(regrades, { question_id: questionId, action: 'credit_all' }, 201)
  const names = (await admin.get(regrades, 200)).body.regrades[0]?.changes.map(({ username }) => username)
  expect(names).toContain(stranger.username)
  expect((await teacher.get(regrades, 403)).body.code).toBe('admin_required')
  // The questions are theirs to read: its students know the keys.
  await teacher.get(`/api/v01/admin/questions?exam_id=${examId}`, 200)
})

test('an image that a teacher exports and imports is a copy, which doesn’t follow the one that it was', async () => {
  const upload = async () => {
    const image = { field: 'images', name: 'q.png', bytes: await makeImage('png'), type: 'image/png' }
    await admin.request('POST', '/api/v01/admin/images', form({ subject_folder_id: 'Optics' }, image), 200)
  }
  await upload()
  const { examId } = await classExam({ questions: [{ image_path: 'Optics/q.png' }] })
  const { id } = (await teacher.post('/api/v01/admin/exams', { name: 'Mine', class_ids: [classId] }, 201))
    .body.exam
  for (const format of ['moodle_xml', 'qti']) {
    const exported = await teacher.fetch('GET', `/api/v01/admin/exams/${examId}/export?format=${format}`)
    const file = { field: 'file', name: 'a', bytes: Buffer.from(await exported.arrayBuffer()) }
    const { body } = await teacher.request('POST', `/api/v01/admin/exams/${id}/import`, form({}, file), 201)
    expect(body).toMatchObject({ inserted: 1, skipped: 0 })
  }
  const { questions } = (await teacher.get(`/api/v01/admin/questions?exam_id=${id}`, 200)).body
  const own = /^Imported\/[0-9a-f-]{36}\.png$/
  expect(questions.map(({ image_path }) => image_path)).toEqual([
    expect.stringMatching(own),
    expect.stringMatching(own),
  ])
})

describe('at the same time', () => {
  test.for([
    ['its teacher', () => teacher.id, 404],
    ['the student', () => ann.id, 404],
  ] as const)(
    'a removal of %s and what teachers give: nobody gets it who is gone',
    async ([, who, status]) => {
      const { examId, questionId } = await classExam({ max_attempts: 5, duration_minutes: 60 })
      await take(ann, examId, { [questionId]: 'A' })
      await start(ann, examId)
      const ends = await endOf(ann, examId)
      const mine = `/api/v01/classes/${classId}/exams/${examId}` as const
      const { sql } = service
      const asked = await sql.begin(async (tx) => {
        await tx`select from classes where id = ${classId} for no key update`
        await tx`update class_members set left_at = now(), removed = true where class_id = ${classId} and user_id = ${who()}`
        const changes = [
          teacher.put(`${mine}/accommodations/${ann.id}`, { extra_time_percent: 50 }),
          teacher.post(`${mine}/extend`, { minutes: 5, user_ids: [ann.id] }),
          teacher
            .at(service.urls[1] as string)
            .post(`${mine}/allowances`, { student_id: ann.id, action: 'decrease' }),
        ]
        // All three wait, the second one for the first one.
        await expect.poll(service.lockWaits).toHaveLength(changes.length)
        return { waiting: changes }
      })
      const [times, extended, allowance] = await Promise.all(asked.waiting)
      expect([times?.status, allowance?.status]).toEqual([status, status])
      expect(extended).toMatchObject(
        who() === ann.id ? { status: 200, body: { extended: 0 } } : { status: 404 },
      )
      const [kept] = await sql`
      select count(*)::int as attempts, max(ends_at) as ends from attempts where exam_id = ${examId} and user_id = ${ann.id}`
      expect(kept).toEqual({ attempts: 2, ends: new Date(ends as string) })
    },
  )

  test('a removal and starts on two nodes: afterwards nobody starts, and what has begun is finished', async () => {
    const { examId } = await classExam()
    const racing = Array.from({ length: 12 }, (_, n) =>
      ann.at(service.urls[n % 2] as string).post(`/api/v01/exams/${examId}/start`, {}),
    )
    const [removed, ...started] = await Promise.all([
      teacher.delete(`/api/v01/classes/${classId}/members/${ann.id}`),
      ...racing,
    ])
    expect(removed.status).toBe(200)
    const attempts =
      await service.sql`select id from attempts where exam_id = ${examId} and user_id = ${ann.id}`
    expect(attempts.length).toBeLessThanOrEqual(1)
    for (const { status } of started) expect([200, 201, 404]).toContain(status)
    const again = await ann.post(`/api/v01/exams/${examId}/start`, {})
    expect(again.status).toBe(attempts.length === 0 ? 404 : 200)
    if (attempts.length > 0) await ann.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await ann.post(`/api/v01/exams/${examId}/start`, {}, 404)
  })
})
