import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type ExamFields } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

const SECOND_MS = 1_000
let now = Date.UTC(2026, 10, 20, 10)
const at = (minutes: number) => new Date(now + minutes * 60 * SECOND_MS)
const LATER = { closes_at: at(500).toISOString() }
let service: TestService
let admin: Client
let teacher: Client
let colleague: Client
let stranger: Client
let ann: Client
let ben: Client
let zoe: Client
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  admin = await service.admin()
  ;[teacher, colleague, stranger, ann, ben, zoe] = (await Promise.all(
    Array.from({ length: 6 }, () => service.person()),
  )) as [Client, Client, Client, Client, Client, Client]
})
afterAll(() => service.close())
// Tokens end by the service's clock too.
beforeEach(async () => {
  const people = [admin, teacher, colleague, stranger, ann, ben, zoe]
  await Promise.all(people.map((person) => person.login(person.username)))
})

/** An exam of two classes that closes in a minute, and at which Ann and Ben, of the first one, have handed in. */
async function makeExam(fields: ExamFields = {}) {
  const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
  const other = await createClass(service.sql, { students: [zoe], teachers: [colleague] })
  await createClass(service.sql, { teachers: [stranger] })
  const exam = await createExam(service.sql, { result_mode: 'on_release', closes_at: at(1), ...fields })
  const { examId } = exam
  await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId, other] }, 200)
  const attemptIds: number[] = []
  for (const person of [ann, ben]) {
    attemptIds.push((await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body.attempt_id)
    await person.post(`/api/v01/exams/${examId}/submit`, { answers: {}, markedForReview: [] }, 200)
  }
  return { classId, other, examId, attemptId: attemptIds[0] as number }
}
type Exam = Awaited<ReturnType<typeof makeExam>>

/** By which a teacher lets Ben take the exam again. */
const changes = {
  times: { method: 'PUT', path: () => `accommodations/${ben.id}`, body: () => LATER },
  minutes: { method: 'POST', path: () => 'extend', body: () => ({ minutes: 10, user_ids: [ben.id] }) },
  attempts: {
    method: 'POST',
    path: () => 'allowances',
    body: () => ({ student_id: ben.id, action: 'reset' }),
  },
}
type Change = keyof typeof changes

async function give(change: Change, { classId, examId }: Exam): Promise<200 | string> {
  const { method, path, body } = changes[change]
  const response = await teacher.fetch(method, `/api/v01/classes/${classId}/exams/${examId}/${path()}`, {
    body: JSON.stringify(body()),
    headers: { 'content-type': 'application/json' },
  })
  return response.status === 200 ? 200 : ((await response.json()) as { code: string }).code
}

const readKeys = ({ examId }: Exam, person = teacher) =>
  person
    .at(service.urls[1] as string)
    .get(`/api/v01/admin/questions?exam_id=${examId}`)
    .then(({ status }) => status)

/** When the last start is stored. */
const untilOpen = (seconds: number) => {
  now += (90 + seconds) * SECOND_MS
}

describe('keys that are read while a teacher lets somebody take the exam', () => {
  /** The keys' time comes while the change waits for these rows; answers what comes of it, and of reading them. */
  async function readMeanwhile(change: Change, exam: Exam, lock: 'classes' | 'accommodations' | 'attempts') {
    untilOpen(-1)
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = service.sql.begin(async (tx) => {
      if (lock === 'classes') await tx`select from classes where id = ${exam.classId} for update`
      else await tx`select from ${tx(lock)} where exam_id = ${exam.examId} for update`
      held.resolve()
      await release.promise
    })
    await held.promise
    const given = give(change, exam)
    await expect.poll(service.lockWaits).toHaveLength(1)
    now += 2 * SECOND_MS
    const read = readKeys(exam)
    // They are shown by now, or wait as well.
    await Promise.race([read, expect.poll(service.lockWaits).toHaveLength(2)])
    release.resolve()
    await holding
    return { given: await given, read: await read }
  }

  test.each(Object.keys(changes) as Change[])(
    '%s: nobody is given anything after their time',
    async (change) => {
      const exam = await makeExam()
      expect(await readMeanwhile(change, exam, 'classes')).toEqual({ given: 'keys_open', read: 200 })
    },
  )

  test('times: what was given before their time keeps them closed', async () => {
    const exam = await makeExam()
    const own = `/api/v01/admin/exams/${exam.examId}/accommodations/${ben.id}` as const
    await admin.put(own, { extra_time_percent: 10 }, 200)
    expect(await readMeanwhile('times', exam, 'accommodations')).toEqual({ given: 200, read: 403 })
    await ben.post(`/api/v01/exams/${exam.examId}/start`, {}, 201)
  })

  test('attempts: what was given before their time keeps them closed', async () => {
    const exam = await makeExam({ max_attempts: 1 })
    const own = `/api/v01/admin/exams/${exam.examId}/accommodations/${ben.id}` as const
    await admin.put(own, LATER, 200)
    expect(await readMeanwhile('attempts', exam, 'attempts')).toEqual({ given: 200, read: 403 })
    await ben.post(`/api/v01/exams/${exam.examId}/start`, {}, 201)
  })
})

test('keys that nobody has read stay closed while a change has the exam, and keep nobody waiting', async () => {
  const exam = await makeExam({ closes_at: at(60) })
  const { classId, examId } = exam
  await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
  const results = `/api/v01/classes/${classId}/results?exam_id=${examId}` as const
  await service.sql.begin(async (tx) => {
    await tx`select from exams where id = ${examId} for no key update`
    const { exam: shown } = (await teacher.get(results, 200)).body
    expect(shown).toMatchObject({ shows_keys: false, keys_open_at: expect.any(String) })
    expect(await readKeys(exam)).toBe(403)
  })
  expect((await teacher.get(results, 200)).body.exam).toMatchObject({ shows_keys: true, keys_open_at: null })
  expect(await readKeys(exam)).toBe(200)
})

describe('keys that a teacher has read', () => {
  const reads: Record<string, (exam: Exam) => string> = {
    questions: ({ examId }) => `/api/v01/admin/questions?exam_id=${examId}`,
    export: ({ examId }) => `/api/v01/admin/exams/${examId}/export?format=csv`,
    results: ({ classId, examId }) => `/api/v01/classes/${classId}/results?exam_id=${examId}`,
    'results.csv': ({ classId, examId }) => `/api/v01/classes/${classId}/results.csv?exam_id=${examId}`,
    gradebook: ({ classId }) => `/api/v01/classes/${classId}/gradebook`,
    'gradebook.csv': ({ classId }) => `/api/v01/classes/${classId}/gradebook.csv`,
    analytics: ({ classId }) => `/api/v01/classes/${classId}/analytics`,
    'analytics of an exam': ({ classId, examId }) => `/api/v01/classes/${classId}/analytics?exam=${examId}`,
    items: ({ classId, examId }) => `/api/v01/classes/${classId}/exams/${examId}/items`,
    attempt: ({ classId, attemptId }) => `/api/v01/classes/${classId}/attempts/${attemptId}`,
  }
  const read = async (name: string, exam: Exam) => {
    const response = await teacher.fetch('GET', (reads[name] as (exam: Exam) => string)(exam))
    expect(response.status).toBe(200)
    return response.text()
  }
  /** By the later close of somebody in the other class. */
  const closeAgain = ({ examId }: Exam) =>
    admin.put(`/api/v01/admin/exams/${examId}/accommodations/${zoe.id}`, LATER, 200)

  test.each(Object.keys(reads))('%s: they stay known, also where they are closed again', async (name) => {
    const exam = await makeExam()
    untilOpen(0)
    const shown = await read(name, exam)
    await closeAgain(exam)
    expect(await readKeys(exam)).toBe(403)
    if (name !== 'questions' && name !== 'export') expect(await read(name, exam)).not.toBe(shown)
    for (const change of Object.keys(changes) as Change[])
      expect([change, await give(change, exam)]).toEqual([change, 'keys_open'])
    // One teacher tells another.
    const { other, examId } = exam
    const path = `/api/v01/classes/${other}/exams/${examId}/accommodations/${zoe.id}` as const
    expect((await colleague.put(path, LATER, 409)).body).toMatchObject({ code: 'keys_open' })
    await admin.put(`/api/v01/classes/${other}/exams/${examId}/accommodations/${zoe.id}`, LATER, 200)
  })

  test('stay known where the results are held back again', async () => {
    const exam = await makeExam({ closes_at: null })
    const toggle = `/api/v01/admin/exams/${exam.examId}/toggle-results` as const
    expect(await readKeys(exam)).toBe(403)
    expect(await give('times', exam)).toBe(200)
    await admin.post(toggle, { released: true }, 200)
    expect(await readKeys(exam)).toBe(200)
    expect(await give('times', exam)).toBe(200)
    await admin.post(toggle, { released: false }, 200)
    expect(await readKeys(exam)).toBe(403)
    expect(await give('times', exam)).toBe('keys_open')
  })

  test('are those of their own classes: what nobody of these has read is given time for as before', async () => {
    const exam = await makeExam()
    untilOpen(0)
    const { classId, examId } = exam
    expect(await readKeys(exam, stranger)).toBe(403)
    expect(await readKeys(exam, ann)).toBe(403)
    expect(await readKeys(exam, admin)).toBe(200)
    await admin.get(`/api/v01/classes/${classId}/gradebook`, 200)
    await teacher.get(`/api/v01/classes/${classId}/exams/${examId}/accommodations`, 200)
    await teacher.get(`/api/v01/admin/exams/${examId}`, 200)
    await closeAgain(exam)
    expect(await give('times', exam)).toBe(200)
  })
})
