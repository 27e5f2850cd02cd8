import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { sharedService, startService, type TestService, withService } from '../support/service.ts'

const AI = '/admin/ai'
let model: TestModel
let service: TestService
let admin: Client
let examId: number
beforeAll(async () => {
  model = await startModel()
  service = await startService({ config: { ai: model.ai } })
  admin = await service.admin()
  examId = (await admin.post('/api/v01/admin/exams', { name: 'Generated' }, 201)).body.exam.id
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})
beforeEach(() => {
  model.stub.script.length = 0
})

const fields = (more: object = {}) =>
  form({ exam_id: examId, mode: 'pure', topic: 'Vectors', mcq_count: 2, ...more })
const newestJob = async () => (await admin.get('/api/v01/admin/ai/jobs', 200)).body.jobs[0]
const stored = () => service.sql`
  select question_text, option_a, option_b, option_c, option_d, correct_answer, question_type, image_path,
         positive_marks, negative_marks, tolerance
    from questions where exam_id = ${examId} order by id`

test('generating answers when all questions are there', async () => {
  const form = fields({ numeric_count: 1, mcq_plus: 2 })
  const { body } = await admin.request('POST', `${AI}/generate`, form, 200)
  expect(body).toMatchObject({ success: true, count: 3 })
  expect(body.questions).toHaveLength(3)
  expect(body.questions[0]).toEqual({
    id: null,
    exam_id: examId,
    question_text: expect.stringContaining('Stub question'),
    option_a: expect.any(String),
    option_b: expect.any(String),
    option_c: expect.any(String),
    option_d: expect.any(String),
    correct_answer: 'A',
    question_type: 'MCQ',
    image_path: null,
    positive_marks: 2,
    negative_marks: 1,
    tolerance: 0,
  })
  expect(await newestJob()).toMatchObject({ status: 'done', questions_so_far: 3 })
  expect(await stored()).toEqual([])
})

test('generating may take longer than other requests', async () => {
  const requestTimeoutMs = 2_000
  const hasty = await withService({ config: { ai: model.ai, requestTimeoutMs } })
  const teacher = await hasty.admin()
  const exam = (await teacher.post('/api/v01/admin/exams', { name: 'X' }, 201)).body.exam.id
  model.stub.script.push({ kind: 'answer', hold: 1, until: sleep(requestTimeoutMs + 500) })
  const started = performance.now()
  await teacher.request('POST', `${AI}/generate`, fields({ exam_id: exam }), 200)
  expect(performance.now() - started).toBeGreaterThan(requestTimeoutMs)
})

test('hanging up cancels the job', async () => {
  model.stub.script.push({ kind: 'hang', after: true })
  const { length } = model.stub.requests
  const hangUp = new AbortController()
  const asking = admin.fetch('POST', `${AI}/generate`, { body: fields(), signal: hangUp.signal })
  await vi.waitUntil(() => model.stub.requests.length > length, { timeout: PATIENCE_MS })
  expect((await newestJob())?.status).toBe('running')
  hangUp.abort()
  await expect(asking).rejects.toThrow()
  await vi.waitUntil(async () => (await newestJob())?.status === 'failed', { timeout: PATIENCE_MS })
  expect((await newestJob())?.error).toBe('cancelled')
})

test('a request that takes as long as it may is answered 503, and its job is cancelled', async () => {
  const real = globalThis.setTimeout
  const hour = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => hour.mockRestore())
  hour.mockImplementation(((run: () => void, ms?: number, ...args: []) =>
    real(run, ms === 3_600_000 ? 1_000 : ms, ...args)) as typeof setTimeout)
  model.stub.script.push({ kind: 'hang', after: true })
  const { body } = await admin.request('POST', `${AI}/generate`, fields(), 503)
  expect(body).toMatchObject({ success: false, code: 'unavailable' })
  await vi.waitUntil(async () => (await newestJob())?.status === 'failed', { timeout: PATIENCE_MS })
  expect((await newestJob())?.error).toBe('cancelled')
})

test('failures have the statuses of the newer generation, and 502 for a failed job', async () => {
  const generate = (more: object, status: number) =>
    admin.request('POST', `${AI}/generate`, fields(more), status)
  await generate({ topic: '' }, 400)
  await generate({ mode: 'mine' }, 400)
  await generate({ exam_id: 999_999 }, 404)
  model.stub.usual = { kind: 'stop', reason: 'refusal' }
  const { body } = await generate({}, 502)
  model.stub.usual = { kind: 'answer' }
  expect(body).toMatchObject({ success: false, code: 'model_failed' })
  expect(body.message).toBe((await newestJob())?.error)
  const plain = await sharedService()
  const other = await plain.admin()
  const exam = (await other.post('/api/v01/admin/exams', { name: 'X' }, 201)).body.exam.id
  await other.request('POST', `${AI}/generate`, fields({ exam_id: exam }), 503)
})

test('a request ends when somebody else cancels its job', async () => {
  model.stub.script.push({ kind: 'hang', after: true })
  const { length } = model.stub.requests
  const waiting = admin.request('POST', `${AI}/generate`, fields())
  await vi.waitUntil(() => model.stub.requests.length > length, { timeout: PATIENCE_MS })
  await admin.post(`/api/v01/admin/ai/jobs/${(await newestJob())?.job_id}/cancel`, {}, 200)
  expect(await waiting).toMatchObject({ status: 502, body: { message: 'cancelled' } })
})

test('a node that shuts down cancels the job and answers 503', async () => {
  const leaving = await withService({ config: { ai: model.ai } })
  const teacher = await leaving.admin()
  const exam = (await teacher.post('/api/v01/admin/exams', { name: 'X' }, 201)).body.exam.id
  model.stub.script.push({ kind: 'hang', after: true })
  const { length } = model.stub.requests
  const waiting = teacher.request('POST', `${AI}/generate`, fields({ exam_id: exam }))
  await vi.waitUntil(() => model.stub.requests.length > length, { timeout: PATIENCE_MS })
  const [answer] = await Promise.all([waiting, leaving.nodes[0]?.close()])
  expect(answer).toMatchObject({ status: 503, body: { success: false, code: 'draining' } })
  expect(await leaving.sql`select status, error from generation_jobs`).toEqual([
    { status: 'failed', error: 'cancelled' },
  ])
})

/** Everything that is difficult in a CSV. */
const AWKWARD = [
  { question_text: 'a "quoted", comma; $\\frac{1}{2}$', option_a: 'line\nbreak', option_b: 'return\rhere' },
  {
    question_text: '=1+1',
    option_a: '+x',
    option_b: '@y',
    option_c: '-z',
    option_d: '=d',
    correct_answer: 'D',
  },
  { question_text: '|calc', option_a: '%0A', option_b: '\u200b=1', option_c: '\ufeff@x', option_d: '\u00ad' },
  {
    question_text: "'=already",
    option_a: "'\u2060=marked",
    option_b: "''",
    option_c: '＝1',
    option_d: 'a=b',
  },
  { question_text: 'Ünï 😀', question_type: 'MSQ', correct_answer: 'A,C', positive_marks: 2.5 },
  {
    question_text: '"',
    question_type: 'NUMERIC',
    correct_answer: '-0.5',
    tolerance: 0.01,
    negative_marks: 0,
  },
  { question_text: 'a picture', image_path: 'Physics/a, b.png', correct_answer: '' },
]

test('an export can be imported unchanged, and gives the same questions as saving', async () => {
  const questions = AWKWARD.map((question) => ({ id: null, exam_id: examId, ...question }))
  const saved = await admin.post(`${AI}/save`, { questions }, 200)
  expect(saved.body).toEqual({ success: true, count: AWKWARD.length, errors: null })
  const bySave = await stored()
  expect(bySave.map(({ question_text }) => question_text)).toEqual(
    AWKWARD.map(({ question_text }) => question_text),
  )
  await service.sql`delete from questions where exam_id = ${examId}`

  const { headers, body } = await admin.post(`${AI}/export`, { questions }, 200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toBe('attachment; filename="questions.csv"')
  expect(body.split('\n')[0]).toBe(
    'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance',
  )
  const rows: string[][] = parse(body)
  for (const cell of rows.flat()) expect(cell).not.toMatch(/^[\p{DI}\p{Cc}]|^\s*[=+\-@|%＝]/u)
  const file = { field: 'csv_file', name: 'questions.csv', bytes: body as string }
  const imported = await admin.request('POST', '/api/v01/admin/questions/import-csv', form({}, file), 200)
  expect(imported.body).toMatchObject({ inserted: AWKWARD.length, skipped: 0, errors: null })
  expect(await stored()).toEqual(bySave)
  await service.sql`delete from questions where exam_id = ${examId}`
})

test('saving stores valid questions and names the others; with an unknown exam it stores nothing', async () => {
  const valid = { exam_id: examId, question_text: 'One', correct_answer: 'A' }
  const { body } = await admin.post(
    `${AI}/save`,
    { questions: [valid, { ...valid, correct_answer: 'E' }, { exam_id: examId }] },
    200,
  )
  expect(body).toEqual({
    success: true,
    count: 1,
    errors: [expect.stringContaining(`Exam ${examId}: Question 2: correct_answer`)],
  })
  expect(await stored()).toHaveLength(1)
  await admin.post(`${AI}/save`, { questions: [valid, { ...valid, exam_id: 999_999 }] }, 404)
  expect(await stored()).toHaveLength(1)
  await admin.post(`${AI}/save`, { questions: [{ question_text: 'no exam' }] }, 400)
})

test('all questions of the largest job can be saved and exported at once', async () => {
  await service.sql`delete from questions where exam_id = ${examId}`
  const questions = Array.from({ length: 600 }, () => ({
    exam_id: examId,
    question_text: 'x'.repeat(3_000),
    correct_answer: 'A',
  }))
  expect((await admin.post(`${AI}/save`, { questions }, 200)).body.count).toBe(questions.length)
  const { body } = await admin.post(`${AI}/export`, { questions }, 200)
  expect(parse(body)).toHaveLength(1 + questions.length)
  await service.sql`delete from questions where exam_id = ${examId}`
})
