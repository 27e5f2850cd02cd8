import { randomBytes, randomUUID } from 'node:crypto'
import { stringify } from 'csv-stringify/sync'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JobQuestion } from '../../schemas/generation.schemas.ts'
import type { Turn } from '../../scripts/model-stub.ts'
import { MOST_BATCHES } from '../../src/features/generation/batch-planning.ts'
import * as store from '../../src/features/generation/generation.store.ts'
import { startGenerationWorker } from '../../src/features/generation/generation.worker.ts'
import { COLUMNS } from '../../src/features/questions/question-csv.ts'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { pdf } from '../support/content/pdf.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const AI = '/api/v01/admin/ai'

let model: TestModel
let service: TestService
let admin: Client
let examId: number
beforeAll(async () => {
  model = await startModel({ silenceMs: 2_000 })
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
  model.stub.usual = { kind: 'answer' }
  model.stub.requests.length = 0
  model.stub.checks.length = 0
  model.stub.checkScript.length = 0
})

type Fields = Record<string, string | number>

function generate(fields: Fields, file?: Buffer, status = 202) {
  const files = file ? [{ field: 'pdf_file', name: 'script.pdf', bytes: file }] : []
  return admin.request('POST', `${AI}/generate`, form({ exam_id: examId, ...fields }, ...files), status)
}

async function finished(jobId: string) {
  return vi.waitUntil(
    async () => {
      const { body } = await admin.get(`${AI}/status/${jobId}`, 200)
      return body.status === 'running' ? undefined : body
    },
    { timeout: PATIENCE_MS, interval: 50 },
  )
}

async function run(fields: Fields, file?: Buffer) {
  return finished((await generate(fields, file)).body.job_id)
}

/** A turn in which the model answers with these questions. */
function answer(...questions: object[]): Turn {
  return { kind: 'answer', text: JSON.stringify({ questions }) }
}

/** The texts of the right options, whatever their order. */
function rightTexts(question: JobQuestion | undefined): (string | undefined)[] {
  const { option_a: A, option_b: B, option_c: C, option_d: D, correct_answer = '' } = question ?? {}
  const options: Record<string, string | undefined> = { A, B, C, D }
  return correct_answer
    .split(',')
    .map((letter) => options[letter])
    .sort()
}

const mcq = (question_text: string, more: object = {}) => ({
  question_type: 'MCQ',
  question_text,
  option_a: '1',
  option_b: '2',
  option_c: '3',
  option_d: '4',
  correct_answer: 'b',
  ...more,
})

/** As batches from before there were checks are stored. */
const stored = (question: object) => ({
  id: null,
  exam_id: examId,
  ...question,
  more_options: [],
  parts: null,
  image_path: null,
  positive_marks: 4,
  negative_marks: 1,
  tolerance: 0,
  explanation: '',
  tags: [],
})

test('a job’s status and its questions are of one instant', async () => {
  const { sql } = service
  const jobId = randomUUID()
  await sql`
    insert into generation_jobs (id, user_id, exam_id, request, message, last_event, total_batches)
    values (${jobId}, ${admin.id}, ${examId}, ${sql.json({ mode: 'pure' })}, 'Working', 'queued', 2)`
  const { promise: until, resolve: store } = Promise.withResolvers<void>()
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const storing = sql.begin(async (tx) => {
    await tx`lock table generation_batches in access exclusive mode`
    lock()
    await until
    await tx`
      insert into generation_batches (job_id, number, questions)
      values (${jobId}, 1, ${sql.json([stored(mcq('Which?'))] as never)})`
    await tx`update generation_jobs set completed_batches = 1, question_count = 1 where id = ${jobId}`
  })
  await locked
  const asked = admin.get(`${AI}/status/${jobId}`, 200)
  try {
    await expect.poll(service.lockWaits).not.toHaveLength(0)
  } finally {
    // Other tests would wait for the table for ever.
    store()
    await storing
  }
  const { body } = await asked
  expect(body.questions).toHaveLength(body.questions_so_far)
  for (const { check, source } of body.questions) {
    expect(check).toEqual({ verdict: 'unchecked', answer: null, reason: null })
    expect(source).toBeNull()
  }
  await sql`delete from generation_jobs where id = ${jobId}`
})

describe('a job', () => {
  test.each<[string, Fields, Buffer?]>([
    ['pure', { mode: 'pure', topic: 'Sets' }],
    ['mine', { mode: 'mine', mcq_count: 0, msq_count: 0, numeric_count: 0 }, pdf()],
  ])(
    'of mode %s without counts writes one batch of ten, of types that the model chooses',
    async (_, fields, file) => {
      const { length } = model.stub.requests
      const written = [
        ...Array.from({ length: 5 }, (_, n) => mcq(`free ${fields.mode} ${n}`)),
        mcq(`free ${fields.mode} msq`, { question_type: 'MSQ', correct_answer: 'A,C' }),
        mcq(`free ${fields.mode} number`, { question_type: 'NUMERIC', correct_answer: '7' }),
      ]
      model.stub.script.push(
        answer(...written),
        answer(...Array.from({ length: 9 }, (_, n) => mcq(`more ${fields.mode} ${n}`))),
      )
      const job = await run(fields, file)
      expect(job).toMatchObject({
        status: 'done',
        percent: 100,
        total_batches: 1,
        completed_batches: 1,
        questions_so_far: 10,
        message: '10 questions are ready',
      })
      const types = job.questions.map(({ question_type }) => question_type)
      expect(types.slice(0, 7)).toEqual([...Array(5).fill('MCQ'), 'MSQ', 'NUMERIC'])
      const asked = JSON.stringify(model.stub.requests[length]?.messages.at(-1)?.content)
      expect(asked).toContain('Write exactly 10 questions')

      model.stub.script.push(
        answer(...written.map((each) => ({ ...each, question_text: `${each.question_text}!` }))),
        answer(),
      )
      expect(await run(fields, file)).toMatchObject({
        status: 'done',
        message: '7 of 10 questions are ready',
      })
    },
  )

  test('writes what was asked for, in batches of ten, in order and with its marks', async () => {
    const job = await run({
      mode: 'pure',
      topic: 'Vectors',
      mcq_count: 12,
      msq_count: 9,
      numeric_count: 4,
      mcq_plus: 2.5,
      mcq_minus: 0.5,
      numeric_tolerance: 0.25,
    })
    expect(job).toMatchObject({
      success: true,
      status: 'done',
      percent: 100,
      total_batches: 3,
      completed_batches: 3,
      questions_so_far: 25,
      error: null,
      last_event: 'done',
      message: '25 questions are ready',
    })
    const types = job.questions.map(({ question_type }) => question_type)
    expect(types).toEqual([...Array(12).fill('MCQ'), ...Array(9).fill('MSQ'), ...Array(4).fill('NUMERIC')])
    expect(job.questions[0]).toEqual({
      id: null,
      exam_id: examId,
      question_text: expect.stringContaining('Stub question'),
      option_a: expect.any(String),
      option_b: expect.any(String),
      option_c: expect.any(String),
      option_d: expect.any(String),
      more_options: [],
      correct_answer: expect.stringMatching(/^[A-D]$/),
      parts: null,
      explanation: expect.any(String),
      tags: [],
      question_type: 'MCQ',
      image_path: null,
      image_alt: '',
      positive_marks: 2.5,
      negative_marks: 0.5,
      tolerance: 0,
      check: { verdict: 'agreed', answer: job.questions[0]?.correct_answer, reason: expect.any(String) },
      source: null,
    })
    expect(rightTexts(job.questions[0])).toEqual(['$3$'])
    expect(job.questions[12]).toMatchObject({ positive_marks: 4, negative_marks: 2 })
    expect(rightTexts(job.questions[12])).toEqual(['$15$', '$17$'])
    expect(job.questions[24]).toMatchObject({
      positive_marks: 3,
      negative_marks: 0,
      tolerance: 0.25,
      option_a: '',
    })
    expect(new Set(job.questions.map(({ question_text }) => question_text)).size).toBe(25)
    expect(model.stub.requests).toHaveLength(3)
    // Later batches are given the questions so far, and the topic is marked as data.
    expect(JSON.stringify(model.stub.requests[1]?.messages)).toContain(job.questions[0]?.question_text)
    expect(JSON.stringify(model.stub.requests[0]?.messages)).toContain('<topic>\\nVectors\\n</topic>')
    const [row] =
      await service.sql`select input_tokens, cached_tokens, output_tokens from generation_jobs where id = ${job.job_id}`
    expect(row?.cached_tokens).toBe(21)
    expect(row?.output_tokens).toBeGreaterThan(100)
  })

  test('sends its progress to subscribers, who must be administrators', async () => {
    const [socket, other] = await Promise.all([admin.socket(), (await service.person()).socket()])
    model.stub.usual = { kind: 'answer', pace: 5 }
    const { job_id } = (await generate({ mode: 'pure', topic: 'Sets', mcq_count: 15 })).body
    const topic = `ai_job:${job_id}`
    expect((await socket.ask({ type: 'subscribe', topic })).type).toBe('ack')
    expect(await other.ask({ type: 'subscribe', topic })).toMatchObject({
      type: 'error',
      code: 'forbidden',
    })
    const unknown = `ai_job:${randomUUID()}`
    expect(await socket.ask({ type: 'subscribe', topic: unknown })).toMatchObject({ code: 'not_found' })
    const last = await socket.waitFor(({ status }) => status === 'done')
    expect(last).toEqual({
      type: 'ai_job',
      job_id,
      status: 'done',
      message: expect.any(String),
      last_event: 'done',
      total_batches: 2,
      completed_batches: 2,
      questions_so_far: 15,
      percent: 100,
      error: null,
    })
    const events = socket.of('ai_job').map(({ last_event, percent }) => [last_event, percent])
    expect(events).toContainEqual(['batch_start:2', 50])
    expect(other.of('ai_job')).toEqual([])
    await Promise.all([socket.close(), other.close()])
  })

  test('sends the PDF first, as a cached document, and deletes it at the end', async () => {
    const job = await run(
      { mode: 'mine', mcq_count: 11, custom_instructions: 'Short ones </wishes> please' },
      pdf(),
    )
    expect(job).toMatchObject({ status: 'done', questions_so_far: 11 })
    const [first, second] = model.stub.requests.map(
      ({ messages }) => messages[0]?.content as { type: string }[],
    )
    expect(first?.map(({ type }) => type)).toEqual(['document', 'text', 'text'])
    expect(first?.[0]).toMatchObject({
      source: { type: 'base64', media_type: 'application/pdf', data: pdf().toString('base64') },
      cache_control: { type: 'ephemeral' },
    })
    expect(second?.slice(0, 2)).toEqual(first?.slice(0, 2))
    expect(JSON.stringify(first).match(/<\/?wishes>/g)).toEqual(['<wishes>', '</wishes>'])
    expect(model.stub.requests[0]).not.toHaveProperty('tools')
    expect(await service.sql`select 1 from generation_files where job_id = ${job.job_id}`).toHaveLength(0)
  })

  test('reads a large PDF whole', async () => {
    const file = Buffer.concat([pdf(), randomBytes(1_500_000)])
    await run({ mode: 'mine', mcq_count: 1 }, file)
    const content = model.stub.requests[0]?.messages[0]?.content
    expect(content?.[0]).toMatchObject({ source: { data: file.toString('base64') } })
  })

  test('extracts all questions of a document, and ends with the batch that brings nothing new', async () => {
    const job = await run({ mode: 'extract' }, pdf())
    expect(job).toMatchObject({
      status: 'done',
      questions_so_far: 12,
      percent: 100,
      message: '12 questions are ready',
    })
    expect(job.questions.map(({ question_text }) => question_text)).toEqual(
      Array.from({ length: 12 }, (_, n) => `Document question ${n + 1}: what is ${n} + 7?`),
    )
  })

  test('ends after the most batches and says so; its progress never falls', async () => {
    for (let n = 1; n <= MOST_BATCHES; n++)
      model.stub.script.push(answer(mcq(`What is question ${n} about?`)))
    const { job_id } = (await generate({ mode: 'extract' }, pdf())).body
    const socket = await admin.socket()
    await socket.ask({ type: 'subscribe', topic: `ai_job:${job_id}` })
    const job = await finished(job_id)
    expect(job).toMatchObject({
      status: 'done',
      percent: 100,
      total_batches: MOST_BATCHES,
      completed_batches: MOST_BATCHES,
      message: `${MOST_BATCHES} questions are ready; the document may hold more`,
    })
    await socket.waitFor(({ status }) => status === 'done')
    const percents = socket.of('ai_job').map(({ percent }) => percent)
    expect(percents).toEqual(percents.toSorted((one, other) => one - other))
    expect(percents.length).toBeGreaterThan(MOST_BATCHES)
    await socket.close()
  })

  test('asks again for unusable questions, drops near-duplicates and surplus ones, and says what is missing', async () => {
    model.stub.script.push(
      answer(
        mcq('The moon orbits which planet?'),
        mcq('the MOON orbits: which planet'),
        mcq('Which gas do plants take in?'),
        mcq('No such key', { correct_answer: 'E' }),
        mcq('No options', { option_a: '', option_b: '', option_c: '' }),
        mcq('', {}),
        { ...mcq('What is 2 + 2?'), question_type: 'NUMERIC', correct_answer: '4' },
        { ...mcq('What is 2 + 3?'), question_type: 'NUMERIC', correct_answer: '5' },
      ),
      answer(mcq('Which metal is liquid?')),
    )
    const job = await run({
      mode: 'pure',
      topic: 'Science',
      mcq_count: 3,
      numeric_count: 1,
      excluded_texts: JSON.stringify(['Which gas do plants take in??']),
    })
    expect(job).toMatchObject({ status: 'done', questions_so_far: 3, percent: 100 })
    expect(job.questions.map(({ question_text }) => question_text)).toEqual([
      'The moon orbits which planet?',
      'Which metal is liquid?',
      'What is 2 + 2?',
    ])
    expect(rightTexts(job.questions[0])).toEqual(['2'])
    expect(job.message).toBe('3 of 4 questions are ready; missing: 1 MCQ')
    expect(model.stub.requests).toHaveLength(2)
    expect(JSON.stringify(model.stub.requests[1]?.messages)).toContain('2 MCQ')
  })

  test('writes questions that survive CSV export and import unchanged', async () => {
    const texts = [
      '=HYPERLINK("http://example.org","1")',
      `+1 and -1, "quoted", 'so'`,
      '-2',
      '@SUM(A1)',
      "'=1",
      'a\tb; c',
      'one\ntwo\n\nfour',
      'one\r\ntwo\rthree',
      '"',
      '""","" x',
      '$\\frac{a}{b} \\neq "x", \\{y\\}$ \\\\ \\n',
      '\uFF1D1 \u{1F600} e\u0301 \u202Eabc \u2028 x',
      '0042',
      'null',
    ]
    const drafts = texts.map((text, index) =>
      index % 2 === 0
        ? mcq(text, { option_a: texts.at(index - 1), option_b: `${text}2`, option_c: '=A', option_d: '"\n"' })
        : { ...mcq(text, { option_c: `${text}\n+` }), question_type: 'MSQ', correct_answer: 'AD' },
    )
    const numeric = { ...mcq('How many?'), question_type: 'NUMERIC', correct_answer: '-2.50' }
    model.stub.script.push(answer(...drafts.slice(0, 8)), answer(...drafts.slice(8), numeric))
    model.stub.usual = answer()
    const exam = (await admin.post('/api/v01/admin/exams', { name: 'Round trip' }, 201)).body.exam.id
    const marks = { numeric_tolerance: '0.0000001', mcq_plus: '0.1', msq_minus: 0 }
    const { questions } = await run({ mode: 'extract', exam_id: exam, ...marks }, pdf())
    expect(questions).toHaveLength(drafts.length + 1)

    const csv = stringify(questions, { header: true, columns: [...COLUMNS] })
    const file = { field: 'csv_file', name: 'questions.csv', bytes: Buffer.from(csv) }
    const imported = await admin.request('POST', '/api/v01/admin/questions/import-csv', form({}, file), 200)
    expect(imported.body).toMatchObject({ inserted: questions.length, skipped: 0, errors: null })
    const stored = (await admin.get(`/api/v01/admin/questions?exam_id=${exam}`, 200)).body.questions
    const withoutIds = (rows: { id: unknown; image_url?: unknown; check?: unknown; source?: unknown }[]) =>
      rows.map(({ id: _id, image_url: _url, check: _check, source: _source, ...fields }) => fields)
    const noVariables = { variables: [], conditions: [] }
    expect(withoutIds(stored)).toEqual(withoutIds(questions).map((each) => ({ ...each, ...noVariables })))
  })
})

describe('a model that fails', () => {
  const failures: [name: string, turn: Turn][] = [
    ['401', { kind: 'status', status: 401 }],
    ['silence', { kind: 'hang', after: true }],
    ['a cut connection', { kind: 'cut' }],
    ['an error event', { kind: 'error_event' }],
    ['refusal', { kind: 'stop', reason: 'refusal' }],
    ['truncation', { kind: 'stop', reason: 'max_tokens' }],
    ['invalid JSON', { kind: 'answer', text: '{"questions": [' }],
    ['a wrong schema', { kind: 'answer', text: '{"questions": [7]}' }],
  ]
  test.each(failures)(
    'by %s once is asked again; twice it fails the job, which keeps its completed batches',
    async (_name, turn) => {
      model.stub.script.push(turn)
      expect(await run({ mode: 'pure', topic: 'x', mcq_count: 2 })).toMatchObject({
        status: 'done',
        questions_so_far: 2,
      })
      model.stub.script.push({ kind: 'answer' }, turn, turn)
      const failed = await run({ mode: 'pure', topic: 'x', mcq_count: 20 })
      expect(failed).toMatchObject({
        status: 'failed',
        completed_batches: 1,
        questions_so_far: 10,
        percent: 50,
        error: expect.stringMatching(/\w/),
      })
      expect(failed.questions).toHaveLength(10)
    },
  )

  test('to bring any usable question fails the job', async () => {
    model.stub.usual = answer(mcq('', {}))
    expect(await run({ mode: 'pure', topic: 'x', mcq_count: 1 })).toMatchObject({
      status: 'failed',
      error: 'The model brought no usable question',
      questions: [],
    })
  })
})

describe('requests', () => {
  test('that contradict themselves are 400, an unknown exam 404', async () => {
    const refused: [Fields, Buffer?][] = [
      [{ mode: 'pure' }],
      [{ mode: 'mine' }],
      [{ mode: 'pure', mcq_count: 1 }],
      [{ mode: 'pure', topic: ' ', mcq_count: 1 }],
      [{ mode: 'mine', mcq_count: 1 }],
      [{ mode: 'extract' }],
      [{ mode: 'extract' }, Buffer.from('not a document')],
      [{ mode: 'extract' }, pdf(101)],
      [{ mode: 'other', mcq_count: 1 }],
      [{ mode: 'pure', topic: 'x', mcq_count: -1 }],
      [{ mode: 'pure', topic: 'x', mcq_count: 201 }],
      [{ mode: 'pure', topic: 'x', mcq_count: 1, difficulty: 'easy' }],
      [{ mode: 'pure', topic: 'x', mcq_count: 1, excluded_texts: '{"a": 1}' }],
      [{ mode: 'pure', topic: 'x', mcq_count: 1, excluded_texts: 'not json' }],
      [{ mode: 'pure', topic: 'x', mcq_count: 1, excluded_texts: '[1]' }],
    ]
    for (const [fields, file] of refused)
      expect((await generate(fields, file, 400)).body, JSON.stringify(fields)).toMatchObject({
        code: 'validation_failed',
        errors: [{ path: expect.any(String) }],
      })
    for (const [mode, path] of [
      ['pure', '/topic'],
      ['mine', '/pdf_file'],
    ] as const)
      expect((await generate({ mode, excluded_texts: '{}' }, undefined, 400)).body.errors).toMatchObject([
        { path },
        { path: '/excluded_texts' },
      ])
    await generate({ mode: 'pure', topic: 'x', mcq_count: 1, exam_id: 999_999 }, undefined, 404)
    for (const id of ['00000000-0000-4000-8000-000000000000', 'none', '%00', '1']) {
      expect((await admin.get(`${AI}/status/${id}`, 404)).body.code).toBe('not_found')
      await admin.post(`${AI}/jobs/${id}/cancel`, {}, 404)
    }
    const person = await service.person()
    await person.get(`${AI}/jobs`, 403)
    expect(await service.sql`select 1 from generation_jobs where status = 'running'`).toHaveLength(0)
  })

  test('may leave inputs empty, as browsers do', async () => {
    const empty = { difficulty: '', msq_count: '', mcq_plus: '', custom_instructions: '', excluded_texts: '' }
    const job = await run({ mode: 'pure', topic: 'x', mcq_count: 1, ...empty })
    expect(job).toMatchObject({ status: 'done', questions: [{ positive_marks: 4 }] })
    const { body } = await generate({ mode: '', topic: 'x', mcq_count: 1 }, undefined, 400)
    expect(body.errors).toEqual([{ path: '/mode', message: 'is required' }])
  })

  test('without a model are 503, and jobs that were running fail', async () => {
    const none = await withService()
    const boss = await none.admin()
    const exam = (await boss.post('/api/v01/admin/exams', { name: 'x' }, 201)).body.exam.id
    const fields = { exam_id: exam, mode: 'pure', topic: 'x', mcq_count: 1 }
    const { body } = await boss.request('POST', `${AI}/generate`, form(fields), 503)
    expect(body).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    })

    await none.sql`
      insert into generation_jobs (exam_id, request, message, last_event, total_batches)
      values (${exam}, '{"mode": "pure"}', 'Working', 'batch_start:1', 2)`
    await startGenerationWorker((none.nodes[0] as (typeof none.nodes)[number]).core)
    const { jobs } = (await boss.get(`${AI}/jobs`, 200)).body
    expect(jobs).toMatchObject([{ status: 'failed', error: expect.stringContaining('ANTHROPIC_API_KEY') }])
  })
})

describe('jobs', () => {
  test('are listed newest first; a cancelled one stops at once, keeps what it has and counts what was cut off', async () => {
    model.stub.script.push({ kind: 'answer' }, { kind: 'answer', pace: 50 })
    const { aborted } = model.stub
    const { job_id } = (await generate({ mode: 'pure', topic: 'x', mcq_count: 20 })).body
    await vi.waitUntil(
      async () => (await admin.get(`${AI}/status/${job_id}`, 200)).body.completed_batches === 1,
      { timeout: PATIENCE_MS },
    )
    await admin.post(`${AI}/jobs/${job_id}/cancel`, {}, 200)
    const cancelled = (await admin.get(`${AI}/status/${job_id}`, 200)).body
    expect(cancelled).toMatchObject({
      status: 'failed',
      error: 'cancelled',
      questions_so_far: 10,
      percent: 50,
    })
    expect(cancelled.questions).toHaveLength(10)
    await admin.post(`${AI}/jobs/${job_id}/cancel`, {}, 200)
    await vi.waitUntil(() => model.stub.aborted === aborted + 1, { timeout: PATIENCE_MS })

    const done = await run({ mode: 'pure', topic: 'x', mcq_count: 1 })
    expect((await admin.post(`${AI}/jobs/${done.job_id}/cancel`, {}, 409)).body.code).toBe('already_finished')
    const { body } = await admin.get(`${AI}/jobs`, 200)
    expect(body).toMatchObject({ success: true, page: 1, per_page: 50 })
    expect(body.jobs.slice(0, 2)).toMatchObject([
      { job_id: done.job_id, status: 'done', mode: 'pure', exam_id: examId },
      { job_id, status: 'failed', error: 'cancelled' },
    ])
    expect(body.jobs[0]).not.toHaveProperty('questions')
    const counted = async () => (await admin.get(`${AI}/status/${job_id}`, 200)).body
    await vi.waitUntil(async () => (await counted()).usage.input > cancelled.usage.input, {
      timeout: PATIENCE_MS,
    })
    expect(await counted()).toEqual({ ...cancelled, usage: expect.anything() })
  })

  test('of one person are at most fifty that have not ended, whichever nodes they are started on', async () => {
    const slow = await startModel({ silenceMs: 60_000 })
    slow.stub.usual = { kind: 'answer', pace: 10_000 }
    const { admin: teacherOf, sql, guest } = await withService({ nodes: 2, config: { ai: slow.ai } })
    const teacher = await teacherOf()
    const teacherElsewhere = guest(1)
    await teacherElsewhere.login(teacher.username)
    const { exam } = (await teacher.post('/api/v01/admin/exams', { name: 'Many' }, 201)).body
    const start = (by: Client) =>
      by.request('POST', `${AI}/generate`, form({ exam_id: exam.id, mode: 'pure', topic: 'x', mcq_count: 1 }))
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => start(n % 2 ? teacher : teacherElsewhere)),
    )
    const refused = answers.filter(({ status }) => status !== 202)
    expect(refused).toHaveLength(10)
    for (const { status, body } of refused) expect([status, body]).toMatchObject([409, { code: 'too_many' }])
    expect(await sql`select from generation_jobs`).toHaveLength(50)
    const begun = answers.find(({ status }) => status === 202)?.body as { job_id: string }
    await teacher.post(`${AI}/jobs/${begun.job_id}/cancel`, {}, 200)
    expect((await start(teacher)).status).toBe(202)
    await slow.stub.close()
  })

  test('of one person that have not ended are counted from an index, however many jobs have ended', async () => {
    const plan = await service.sql.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      return sql`explain select from generation_jobs where user_id = 1 and status = 'running'`
    })
    expect(JSON.stringify(plan)).toContain('generation_jobs_running_idx')
  })

  test('survive the account that started them, and are deleted with their exam', async () => {
    const other = await service.admin()
    const exam = (await other.post('/api/v01/admin/exams', { name: 'short-lived' }, 201)).body.exam.id
    const job = await run({ mode: 'pure', topic: 'x', mcq_count: 1, exam_id: exam })
    await service.sql`update generation_jobs set user_id = ${other.id} where id = ${job.job_id}`
    await service.sql`delete from users where id = ${other.id}`
    expect(await service.sql`select user_id from generation_jobs where id = ${job.job_id}`).toEqual([
      { user_id: -1 },
    ])
    await admin.delete(`/api/v01/admin/exams/${exam}`, 200)
    await admin.get(`${AI}/status/${job.job_id}`, 404)
  })

  test('take writes from the newest worker only', async () => {
    const { db } = (service.nodes[0] as (typeof service.nodes)[number]).core
    const [row] = await service.sql`
      insert into generation_jobs (exam_id, request, message, last_event, total_batches)
      values (${examId}, '{"mode": "pure"}', 'Working', 'queued', 2) returning id`
    const older = (await store.claimJob(db, row?.id)) as store.JobRow
    const newer = (await store.claimJob(db, row?.id)) as store.JobRow
    const batch = { number: 1, total: 2, questions: [] }
    const insert = (claim: store.Claim) => db.transaction((tx) => store.insertBatch(tx, claim, batch))
    expect(await insert(older)).toBeUndefined()
    expect(await store.updateJob(db, older, { status: 'done' })).toBeUndefined()
    expect(await store.isClaimed(db, older)).toBe(false)
    expect(await insert(newer)).toMatchObject({ completedBatches: 1 })
    expect(await insert(newer)).toBeUndefined()
    expect(await store.updateJob(db, newer, { status: 'done' })).toMatchObject({ status: 'done' })
    expect(await store.claimJob(db, row?.id)).toBeUndefined()
  })
})
