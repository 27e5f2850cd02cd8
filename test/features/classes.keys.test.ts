import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type ExamFields, type QuestionFields } from '../support/content/exams.ts'
import { holdLocks } from '../support/locks.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000
let now = Date.UTC(2026, 10, 20, 10)
/** How long an attempt that its time has closed can be opened again. */
const DAY = 24 * 60
const at = (minutes: number) => new Date(now + minutes * MINUTE_MS)
/** What is about the caller alone, or about nobody; and the older generation, which has no classes. */
const ELSEWHERE =
  /^\/api\/v01\/(auth|account|chat|assistant|practice|notebooks|pages|assets|library|push|ws|categories)|^\/(?!api\/v01\/)/
let service: TestService
let admin: Client
let teacher: Client
let ann: Client
let ben: Client
let operations: string[]
beforeAll(async () => {
  service = await startService({ clock: () => now })
  const people = [service.admin(), service.person(), service.person(), service.person()]
  ;[admin, teacher, ann, ben] = (await Promise.all(people)) as [Client, Client, Client, Client]
  for (const [index, table] of ['classes', 'exams', 'questions', 'attempts', 'exam_papers'].entries())
    await service.sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${7_000_000 + index * 100_000})`
  const { body } = await service.guest().get('/openapi.json', 200)
  operations = Object.entries(body.paths as Record<string, object>)
    .filter(([path, methods]) => 'get' in methods && !ELSEWHERE.test(path))
    .map(([path]) => path)
})
afterAll(() => service.close())
beforeEach(signIn)

/** Tokens end by the service's clock too. */
async function signIn() {
  await Promise.all([admin, teacher, ann, ben].map((person) => person.login(person.username)))
}

async function later(minutes: number) {
  now += minutes * MINUTE_MS
  await signIn()
}

async function forClass(classIds: number[], fields: ExamFields) {
  const exam = await createExam(service.sql, { result_mode: 'on_release', ...fields })
  await admin.patch(`/api/v01/admin/exams/${exam.examId}`, { class_ids: classIds }, 200)
  return exam
}

const start = async (person: Client, examId: number) =>
  (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body.attempt_id
const submit = (person: Client, examId: number, answers: Record<string, string> = {}) =>
  person.post(`/api/v01/exams/${examId}/submit`, { answers, markedForReview: [] }, 200)

const attemptsOf = (examId: number) =>
  service.sql`select id, status, ends_at from attempts where exam_id = ${examId} order by id`

/**
 * A class with an exam at which Ann has answered the first two questions by A, unless it says otherwise, and which Ben
 * has begun.
 */
async function makeWorld(questions: QuestionFields[], answers = ['A', 'A']) {
  const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
  const { examId, questionIds } = await forClass([classId], {
    name: 'Optics',
    closes_at: at(600),
    duration_minutes: 60,
    questions,
  })
  const [question, second] = questionIds as [number, number]
  const attemptId = await start(ann, examId)
  await submit(ann, examId, Object.fromEntries(answers.map((answer, place) => [questionIds[place], answer])))
  await start(ben, examId)
  await ben.put(
    `/api/v01/exams/${examId}/answers`,
    { answers: { [question]: answers[0] ?? '' }, markedForReview: [] },
    200,
  )
  return { classId, examId, questionId: second, attemptId }
}
type World = Awaited<ReturnType<typeof makeWorld>>

/** Whatever the teacher is answered about a world, by operation, without ids, names of files and times. */
async function readEverything({ classId, examId, questionId, attemptId }: World) {
  const read = new Map<string, string>()
  for (const path of operations) {
    const params: Record<string, number> = {
      id: path.includes('/classes') ? classId : path.includes('/questions') ? questionId : examId,
      exam_id: examId,
      question_id: questionId,
      attempt_id: attemptId,
      user_id: ann.id,
    }
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? 1))
    const tables = path.endsWith('/{id}/analytics')
      ? ['', ...['results', 'topPerformers', 'recentActivity', 'examStats'].map((table) => `&table=${table}`)]
      : ['']
    for (const attempts of path.endsWith('/items') ? ['&attempts=first', '&attempts=all'] : tables) {
      const accept = attempts.startsWith('&table') ? { accept: 'text/csv' } : {}
      const response = await teacher.fetch('GET', `${url}?exam_id=${examId}&format=csv${attempts}`, {
        headers: accept,
      })
      read.set(`${path}${attempts}`, `${response.status} ${withoutIds(await response.text())}`)
    }
  }
  return read
}

const withoutIds = (text: string) =>
  text
    .replaceAll(/\b7\d{6}\b/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d:\d\d)?/g, 'TIME')
    .replaceAll(/[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN')
    .replaceAll(/"request_id":"[^"]*"/g, '')

/** What answers differently about two worlds. */
async function differ(right: World, wrong: World) {
  const [one, other] = [await readEverything(right), await readEverything(wrong)]
  return [...one].filter(([path, text]) => text !== other.get(path)).map(([path]) => path)
}

const classes = '/api/v01/classes/{id}'

test('before the keys are open, no operation answers a teacher anything that depends on a key', {
  meta: { costly: 'asks every operation' },
}, async () => {
  const [right, wrong] = (await Promise.all(
    ['A', 'B'].map((key) => makeWorld(['A', key, 'A'].map((correct_answer) => ({ correct_answer })))),
  )) as [World, World]
  const compare = () => differ(right, wrong)
  expect(operations.length).toBeGreaterThan(40)
  expect(await compare()).toEqual([])
  const results = await teacher.get(`/api/v01/classes/${right.classId}/results?exam_id=${right.examId}`, 200)
  expect(results.body).toMatchObject({
    exam: { shows_keys: false, keys_open_at: at(600 + DAY).toISOString() },
  })
  const rowOf = ({ id }: Client) => results.body.results.find(({ user_id }) => user_id === id)
  const hidden = { score: null, max_score: null, percentage: null, passed: null }
  expect(rowOf(ann)).toMatchObject({
    attempts: 1,
    best: null,
    newest: { attempt_id: right.attemptId, status: 'submitted', submitted_by: 'student', ...hidden },
  })
  expect(rowOf(ben)).toMatchObject({ attempts: 1, newest: null, active: { answered: 1 } })
  const review = `/api/v01/classes/${right.classId}/attempts/${right.attemptId}` as const
  expect((await teacher.get(review, 200)).body).toMatchObject({
    status: 'submitted',
    submitted_by: 'student',
    answered: 2,
    shows_keys: false,
    result: null,
    score: null,
    percentage: null,
  })
  const book = await teacher.get(`/api/v01/classes/${right.classId}/gradebook`, 200)
  expect(book.body.exams).toMatchObject([{ id: right.examId, shows_keys: false }])
  const standings = [ann, ben].flatMap(
    ({ id }) => book.body.students.find(({ user_id }) => user_id === id)?.results,
  )
  expect(standings).toEqual(
    [1, 0].map((finished) => ({
      exam_id: right.examId,
      percentage: null,
      passed: null,
      attempt_id: expect.any(Number),
      attempts: 1,
      finished,
    })),
  )
  // Administrators see them all the same, and so does everybody once the results are released.
  const forAdmin = await admin.get(`/api/v01/classes/${right.classId}/gradebook`, 200)
  expect(forAdmin.body.students.find(({ user_id }) => user_id === ann.id)?.results).toMatchObject([
    { percentage: 66.67, passed: true },
  ])
  for (const { examId } of [right, wrong])
    await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
  expect(await compare()).toEqual(
    expect.arrayContaining([
      `${classes}/results`,
      `${classes}/results.csv`,
      `${classes}/gradebook`,
      `${classes}/gradebook.csv`,
      `${classes}/attempts/{attempt_id}`,
      `${classes}/exams/{exam_id}/items&attempts=first`,
      `${classes}/analytics`,
      `${classes}/analytics&table=results`,
      `${classes}/analytics&table=topPerformers`,
      `${classes}/analytics&table=recentActivity`,
      `${classes}/analytics&table=examStats`,
      '/api/v01/admin/questions',
      '/api/v01/admin/exams/{exam_id}/export',
    ]),
  )
})

test('a tolerance and further accepted texts are part of the key, also of an item analysis', {
  meta: { costly: 'asks every operation about three exams' },
}, async () => {
  const makeWith = (tolerance: number, accepted: string) =>
    makeWorld(
      [
        { question_type: 'NUMERIC', correct_answer: '2', tolerance },
        { question_type: 'SHORT', correct_answer: accepted },
      ],
      ['2.4', 'beam'],
    )
  const narrow = await makeWith(0, 'ray')
  for (const wide of [await makeWith(0.5, 'ray'), await makeWith(0, 'ray\nbeam')]) {
    expect(await differ(narrow, wide)).toEqual([])
    for (const { examId } of [narrow, wide])
      await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
    expect(await differ(narrow, wide)).toEqual(
      expect.arrayContaining([
        `${classes}/exams/{exam_id}/items&attempts=first`,
        `${classes}/attempts/{attempt_id}`,
        '/api/v01/admin/questions',
      ]),
    )
    await admin.post(`/api/v01/admin/exams/${narrow.examId}/toggle-results`, { released: false }, 200)
  }
})

test.each(['results', 'gradebook', 'analytics'])(
  '%s: which marks are hidden, and the marks, are of one instant',
  async (view) => {
    const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
    const { examId, questionIds } = await forClass([classId], { name: 'Optics', closes_at: at(60) })
    await start(ann, examId)
    await submit(ann, examId, { [questionIds[0] as number]: 'A' })
    await later(61)
    const read = async () => {
      const response = await teacher.fetch('GET', `/api/v01/classes/${classId}/${view}?exam_id=${examId}`)
      expect(response.status).toBe(200)
      return response.text()
    }
    const before = await read()
    // Ben may take it after all, and has handed in before the rows are read.
    const commit = await holdLocks(service.sql, async (tx) => {
      await tx`lock table users in access exclusive mode`
      await tx`update exams set closes_at = ${at(500)} where id = ${examId}`
      await tx`
      insert into attempts (user_id, exam_id, paper_id, attempt_number, status, seed, started_at, submitted_at, score,
                            max_score, percentage, correct, incorrect, unattempted)
      select ${ben.id}, exam_id, paper_id, 1, status, gen_random_uuid(), started_at, submitted_at, score, max_score,
             percentage, correct, incorrect, unattempted
        from attempts where exam_id = ${examId}`
    })
    const asked = read()
    await expect.poll(service.lockWaits).not.toHaveLength(0)
    await commit()
    const answer = await asked
    const after = await read()
    expect(after).not.toBe(before)
    expect([before, after]).toContain(answer)
  },
)

test('marks of an exam whose keys are closed are in no figure beside those of an exam whose keys are open', async () => {
  const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
  const closed = await forClass([classId], { name: 'Closed' })
  const open = await forClass([classId], { name: 'Open', result_mode: 'instant', pass_percentage: 50 })
  for (const { examId, questionIds } of [closed, open])
    for (const [person, answer] of [
      [ann, 'A'],
      [ben, 'B'],
    ] as const) {
      await start(person, examId)
      await submit(person, examId, { [questionIds[0] as number]: answer })
    }
  await start(ann, open.examId)
  await submit(ann, open.examId, { [open.questionIds[0] as number]: 'A' })
  const { body } = await teacher.get(`/api/v01/classes/${classId}/analytics`, 200)
  expect(body.unmarked).toEqual([
    { id: closed.examId, name: 'Closed', shows_keys: false, keys_open_at: null },
  ])
  expect(body.summary).toMatchObject({ totalAttempts: 5, activeUsers: 2, avgScore: 58.33, passRate: 66.67 })
  expect(body.charts.scoreDistribution).toEqual([2, 0, 0, 1])
  expect(body.tables.examStats).toEqual([
    { name: 'Open', attempts: 3, avgScore: 58.33, passRate: 66.67 },
    { name: 'Closed', attempts: 2, avgScore: null, passRate: null },
  ])
  expect(body.tables.topPerformers.map(({ avgScore, attempts }) => [avgScore, attempts])).toEqual([
    [100, 2],
    [-25, 1],
  ])
  const alone = await teacher.get(`/api/v01/classes/${classId}/analytics?exam=${closed.examId}`, 200)
  expect(alone.body).toMatchObject({
    summary: { totalAttempts: 2, avgScore: null, passRate: null, scoreChange: 0, passRateChange: 0 },
    charts: { scoreDistribution: [0, 0, 0, 0], performanceTrends: { data: [null] } },
    tables: { topPerformers: [] },
  })
  const forAdmin = await admin.get(`/api/v01/classes/${classId}/analytics?exam=${closed.examId}`, 200)
  expect(forAdmin.body).toMatchObject({ summary: { avgScore: 37.5 }, unmarked: [] })
})

describe('keys are closed to a teacher', () => {
  const keysOf = async (classId: number, examId: number) => {
    const { exam } = (await teacher.get(`/api/v01/classes/${classId}/results?exam_id=${examId}`, 200)).body
    const questions = await teacher.get(`/api/v01/admin/questions?exam_id=${examId}`)
    expect(questions.status === 200).toBe(exam.shows_keys)
    return exam.shows_keys ? 'open' : exam.keys_open_at
  }

  test('until the last close, and as long as an attempt is under way or can be opened again', async () => {
    const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
    const { examId } = await forClass([classId], { closes_at: at(60), duration_minutes: 30, max_attempts: 1 })
    expect(await keysOf(classId, examId)).toBe(at(60 + DAY).toISOString())
    await later(50)
    await start(ann, examId)
    await teacher.post(`/api/v01/classes/${classId}/exams/${examId}/extend`, { minutes: 30 }, 200)
    const opens = at(40 + DAY).toISOString()
    expect(await keysOf(classId, examId)).toBe(opens)
    await later(40.75)
    await expect.poll(async () => (await attemptsOf(examId))[0]?.status).toBe('expired')
    expect(await keysOf(classId, examId)).toBe(opens)
    // So its person can go on.
    const named = { minutes: 5, user_ids: [ann.id] }
    const path = `/api/v01/classes/${classId}/exams/${examId}/extend` as const
    expect((await teacher.post(path, named, 200)).body).toMatchObject({ reopened: 1 })
    const opensLater = at(5 + DAY).toISOString()
    expect(await keysOf(classId, examId)).toBe(opensLater)
    await later(6)
    await expect.poll(async () => (await attemptsOf(examId))[0]?.status).toBe('expired')
    await later(DAY - 1.25)
    expect(await keysOf(classId, examId)).toBe(opensLater)
    await later(0.5)
    expect(await keysOf(classId, examId)).toBe('open')
  })

  test('until the last close where all have handed in', async () => {
    const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
    const { examId } = await forClass([classId], { closes_at: at(60) })
    await start(ann, examId)
    await submit(ann, examId)
    await later(61)
    expect(await keysOf(classId, examId)).toBe('open')
  })

  test('also until the closes of persons who have attempts left, wherever they are', async () => {
    const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
    const { examId } = await forClass([classId], { closes_at: at(60), max_attempts: 1 })
    const end = at(500)
    const timesOf = ({ id }: Client) => `/api/v01/admin/exams/${examId}/accommodations/${id}` as const
    for (const person of [ann, ben]) await admin.put(timesOf(person), { closes_at: end.toISOString() }, 200)
    const opens = at(500 + DAY).toISOString()
    await later(61)
    expect(await keysOf(classId, examId)).toBe(opens)
    await start(ann, examId)
    await submit(ann, examId)
    expect(await keysOf(classId, examId)).toBe(opens)
    // Ben could come back.
    await teacher.delete(`/api/v01/classes/${classId}/members/${ben.id}`, 200)
    expect(await keysOf(classId, examId)).toBe(opens)
    await admin.delete(timesOf(ben), 200)
    expect(await keysOf(classId, examId)).toBe('open')
    const again = { student_id: ann.id, exam_id: examId, action: 'reset' } as const
    await admin.post(`/api/v01/admin/attempts/modify`, again, 200)
    expect(await keysOf(classId, examId)).toBe(opens)
    await later(440)
    expect(await keysOf(classId, examId)).toBe('open')
  })

  test('also until the closes of other classes that are there', async () => {
    const classId = await createClass(service.sql, { students: [ann], teachers: [teacher] })
    const other = await createClass(service.sql, { students: [ben] })
    const { examId } = await forClass([classId, other], { closes_at: at(60) })
    const end = at(500)
    const opens = at(500 + DAY).toISOString()
    await admin.put(
      `/api/v01/admin/exams/${examId}/class-accommodations/${other}`,
      { closes_at: end.toISOString() },
      200,
    )
    await later(61)
    expect(await keysOf(classId, examId)).toBe(opens)
    await admin.patch(`/api/v01/admin/classes/${other}`, { archived: true }, 200)
    expect(await keysOf(classId, examId)).toBe('open')
    await admin.patch(`/api/v01/admin/classes/${other}`, { archived: false }, 200)
    expect(await keysOf(classId, examId)).toBe(opens)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
    expect(await keysOf(classId, examId)).toBe('open')
  })

  test('so that nobody begins any more by the times of an archived class, who is in another one of the exam', async () => {
    const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
    const other = await createClass(service.sql, { students: [ann, ben] })
    const { examId } = await forClass([classId, other], { closes_at: at(60) })
    const [close, end] = [at(60).toISOString(), at(500).toISOString()]
    const times = `/api/v01/admin/exams/${examId}/class-accommodations/${other}` as const
    await admin.put(times, { closes_at: end }, 200)
    await start(ann, examId)
    await admin.patch(`/api/v01/admin/classes/${other}`, { archived: true }, 200)
    const shown = async (person: Client) => (await person.get(`/api/v01/exams/${examId}`, 200)).body.exam
    expect(await shown(ben)).toMatchObject({ closes_at: close })
    await later(61)
    // What is under way keeps what its class gave it, also when times change.
    await admin.put(`/api/v01/admin/exams/${examId}/accommodations/${ben.id}`, { closes_at: close }, 200)
    await admin.delete(`/api/v01/admin/exams/${examId}/accommodations/${ben.id}`, 200)
    expect(await attemptsOf(examId)).toMatchObject([{ status: 'active', ends_at: new Date(end) }])
    await submit(ann, examId)
    expect(await keysOf(classId, examId)).toBe('open')
    for (const person of [ann, ben])
      expect((await person.post(`/api/v01/exams/${examId}/start`, {}, 403)).body).toMatchObject({
        code: 'exam_closed',
        closes_at: close,
      })
    await admin.patch(`/api/v01/admin/classes/${other}`, { archived: false }, 200)
    expect(await keysOf(classId, examId)).not.toBe('open')
    expect(await shown(ben)).toMatchObject({ closes_at: end })
    await start(ben, examId)
  })

  test('for half a minute after the last close, in which a start that was in time is stored', async () => {
    const classId = await createClass(service.sql, { students: [ann], teachers: [teacher] })
    const { examId } = await forClass([classId], { closes_at: at(60) })
    const opens = at(60.5).toISOString()
    await later(60.25)
    await ann.post(`/api/v01/exams/${examId}/start`, {}, 403)
    expect(await keysOf(classId, examId)).toBe(opens)
    await later(0.25)
    expect(await keysOf(classId, examId)).toBe('open')
  })

  test('until the release of an exam that never closes; never of instant exams and of their own', async () => {
    const classId = await createClass(service.sql, { students: [ann], teachers: [teacher] })
    const { examId } = await forClass([classId], {})
    expect(await keysOf(classId, examId)).toBeNull()
    await start(ann, examId)
    await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
    expect(await keysOf(classId, examId)).toBe('open')
    await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: false }, 200)
    expect(await keysOf(classId, examId)).toBeNull()
    await admin.patch(`/api/v01/admin/exams/${examId}`, { result_mode: 'instant' }, 200)
    expect(await keysOf(classId, examId)).toBe('open')
    const own = { name: 'Mine', class_ids: [classId], result_mode: 'on_release' as const }
    const { exam } = (await teacher.post('/api/v01/admin/exams', own, 201)).body
    expect(await keysOf(classId, exam.id)).toBe('open')
  })
})

test('whoever may know the keys before the students do lets nobody take the exam again', async () => {
  const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
  const { examId } = await forClass([classId], { closes_at: at(60), max_attempts: 1 })
  const path = `/api/v01/classes/${classId}/exams/${examId}` as const
  const close = at(500).toISOString()
  const operations = (person: Client, status: 200 | 409) => [
    () => person.post(`${path}/extend`, { minutes: 5, user_ids: [ann.id] }, status),
    () => person.put(`${path}/accommodations/${ben.id}`, { closes_at: close }, status),
    () => person.post(`${path}/allowances`, { student_id: ann.id, action: 'decrease' }, status),
    () => person.post(`${path}/allowances`, { student_id: ann.id, action: 'reset' }, status),
  ]
  const key = randomUUID()
  await start(ann, examId)
  const extension = { minutes: 5, key }
  const given = (await teacher.post(`${path}/extend`, extension, 200)).body
  expect(given).toMatchObject({ extended: 1 })
  await submit(ann, examId)
  await later(61)
  const before = await attemptsOf(examId)
  for (const refused of operations(teacher, 409))
    expect((await refused()).body).toMatchObject({ code: 'keys_open' })
  expect(await attemptsOf(examId)).toEqual(before)
  expect((await teacher.get(`${path}/accommodations`, 200)).body.accommodations).toEqual([])
  // What was done already is answered as it was.
  expect((await teacher.post(`${path}/extend`, extension, 200)).body).toEqual(given)
  // Once students see the results, it is no secret.
  const toggle = `/api/v01/admin/exams/${examId}/toggle-results` as const
  await admin.post(toggle, { released: true }, 200)
  await operations(teacher, 200)[1]?.()
  await teacher.delete(`${path}/accommodations/${ben.id}`, 200)
  await admin.post(toggle, { released: false }, 200)
  for (const done of operations(admin, 200)) await done()
  // Nor is who keeps an exam kept from it.
  const own = { name: 'Mine', class_ids: [classId], closes_at: close, result_mode: 'on_release' as const }
  const { exam } = (await teacher.post('/api/v01/admin/exams', own, 201)).body
  await later(501)
  const times = { closes_at: at(60).toISOString() }
  await teacher.put(`/api/v01/classes/${classId}/exams/${exam.id}/accommodations/${ben.id}`, times, 200)
})
