import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService } from '../support/service.ts'

const AI = '/api/v01/admin/ai'
const MESSAGES = '/api/v01/assistant/messages'
const BUDGET = 200_000
const DAY_MS = 24 * 3_600_000

let model: TestModel
let service: TestService
let now = Date.parse('2026-06-01T22:30:00Z')
beforeAll(async () => {
  model = await startModel({ silenceMs: 5_000, dailyTokens: BUDGET })
  service = await startService({
    nodes: 2,
    config: { ai: model.ai, timezone: 'Europe/Berlin' },
    clock: () => now,
  })
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})
beforeEach(() => {
  // Each test has a day of its own.
  now += 2 * DAY_MS
  model.stub.script.length = 0
  model.stub.checkScript.length = 0
  model.stub.mistakes = 0
})
afterEach(() => service.sql`delete from ai_requests`)

async function newExam(admin: Client): Promise<number> {
  return (await admin.post('/api/v01/admin/exams', { name: 'Budget' }, 201)).body.exam.id
}

async function start(admin: Client, fields: Record<string, string | number>, pdf?: Buffer): Promise<string> {
  const files = pdf ? [{ field: 'pdf_file', name: 'script.pdf', bytes: pdf }] : []
  const body = form({ exam_id: await newExam(admin), mode: 'pure', topic: 'x', ...fields }, ...files)
  return (await admin.request('POST', `${AI}/generate`, body, 202)).body.job_id
}

const status = async (admin: Client, id: string) => (await admin.get(`${AI}/status/${id}`, 200)).body

type Job = Awaited<ReturnType<typeof status>>

/** The job once it is like this. */
const once = (admin: Client, id: string, isSo: (job: Job) => boolean): Promise<Job> =>
  vi.waitUntil(
    async () => {
      const job = await status(admin, id)
      return isSo(job) && job
    },
    { timeout: PATIENCE_MS, interval: 50 },
  )
const isDone = (job: Job) => job.status === 'done'

/** Reserves tokens for somebody's request that is under way. */
const reserveFor = (
  { userId = null, jobId = null }: { userId?: number | null; jobId?: string | null },
  tokens: number,
) =>
  service.sql`
    insert into ai_requests (day, user_id, job_id, tokens, expires_at)
    values (${new Date(now + 2 * 3_600_000).toISOString().slice(0, 10)}, ${userId}, ${jobId}, ${tokens},
            now() + interval '10 minutes')`

/** A turn that stands still until it may go on. */
function held() {
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
  return { turn: { kind: 'answer' as const, hold: 0, until }, goOn }
}

/** Questions that take this many tokens to write. */
function costly(count: number, tokens: number) {
  const questions = Array.from({ length: count }, (_, at) => ({
    question_type: 'NUMERIC',
    question_text: `Number ${at + now}?`,
    correct_answer: '1',
  }))
  return { kind: 'answer' as const, text: JSON.stringify({ questions }).padEnd(4 * tokens, ' ') }
}

test('a job waits for the next day when its share of the day is spent; the tutor has the rest', async () => {
  const admin = await service.admin()
  model.stub.script.push(costly(10, 130_000))
  const id = await start(admin, { numeric_count: 20, check: 'false' })
  const waiting = await vi.waitUntil(
    async () => {
      const job = await status(admin, id)
      return job.message.includes('budget') && job
    },
    { timeout: PATIENCE_MS, interval: 50 },
  )
  expect(waiting).toMatchObject({ status: 'running', completed_batches: 1, questions_so_far: 10 })
  expect((await service.guest().get('/readyz', 200)).body).toMatchObject({ jobs: 'up' })
  expect(
    await service.sql`select from pgboss.job where name = 'generation' and state < 'completed' and data->>'id' = ${id}`,
  ).toEqual([])

  const other = await start(admin, { numeric_count: 1, check: 'false' })
  await vi.waitUntil(async () => (await status(admin, other)).message.includes('budget'), {
    timeout: PATIENCE_MS,
  })
  await admin.post(`${AI}/jobs/${other}/cancel`, {}, 200)
  expect(await status(admin, other)).toMatchObject({ status: 'failed', error: 'cancelled' })

  const person = await service.person()
  await person.post(MESSAGES, { message: 'And now?', conversation_id: null }, 200)

  now += DAY_MS
  const again = service.guest(1)
  await again.login(admin.username)
  const done = await vi.waitUntil(
    async () => {
      const job = await status(again, id)
      return job.status === 'done' && job
    },
    { timeout: 20_000, interval: 200 },
  )
  expect(done).toMatchObject({ questions_so_far: 20 })
  expect(new Set(done.questions.map(({ question_text }) => question_text)).size).toBe(20)
}, 60_000)

test('one person gets a part of the day; a refused question takes no place, and ends at midnight', async () => {
  const [one, other] = await Promise.all([service.person(), service.person(undefined, 1)])
  model.stub.script.push({ kind: 'answer', text: 'x'.repeat(4 * 8_000) })
  await one.post(MESSAGES, { message: 'Long, please', conversation_id: null }, 200)
  // The reader has the answer before its tokens are counted.
  const refused = await vi.waitUntil(
    async () => {
      const answer = await one.post(MESSAGES, { message: 'More', conversation_id: null })
      return answer.status === 429 && answer
    },
    { timeout: PATIENCE_MS },
  )
  expect(refused.body).toMatchObject({ code: 'ai_budget_spent' })
  // Half past midnight in Berlin.
  expect(Number(refused.headers.get('retry-after'))).toBeCloseTo(23.5 * 3_600, -2)
  await other.post(MESSAGES, { message: 'Hello', conversation_id: null }, 200)
  const [row] =
    await service.sql`select count(*)::int as count from assistant_questions where user_id = ${one.id}`
  expect(row?.count).toBeLessThanOrEqual(2)
  const legacy = await one.post('/api/study-chat', { message: 'More' }, 429)
  expect(legacy.body).toMatchObject({ code: 'ai_budget_spent' })
})

test('while tokens are only reserved, a person may try again soon, and a job says that others use them', async () => {
  const [admin, person] = await Promise.all([service.admin(), service.person()])
  await reserveFor({ userId: person.id }, 9_000)
  const refused = await person.post(MESSAGES, { message: 'Now?', conversation_id: null }, 429)
  expect(refused.body).toMatchObject({ code: 'ai_budget_spent' })
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)

  await reserveFor({}, 139_000)
  const id = await start(admin, { numeric_count: 1, check: 'false' })
  const waiting = await once(admin, id, ({ message }) => message.includes('budget'))
  expect(waiting).toMatchObject({ status: 'running', last_event: 'budget_reserved' })
  expect(waiting.message).not.toContain('spent')

  // What a worker has reserved that died is free as soon as another one takes up the job.
  await service.sql`update ai_requests set job_id = ${id} where user_id is null`
  now += 61_000
  await once(admin, id, isDone)
})

test('a check and a rewriting wait for tokens that are only reserved', async () => {
  const admin = await service.admin()
  const writing = held()
  const check = held()
  model.stub.mistakes = 10
  model.stub.script.push(writing.turn)
  model.stub.checkScript.push(check.turn)
  const [asked, checked] = [model.stub.requests.length, model.stub.checks.length]
  const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: PATIENCE_MS })
  const isWritten = async () => (await service.sql`select from generation_drafts`).length > 0

  const id = await start(admin, { mcq_count: 1 })
  await until(() => model.stub.requests.length > asked)
  await reserveFor({}, 139_000)
  writing.goOn()
  await vi.waitUntil(isWritten, { timeout: PATIENCE_MS })
  expect(model.stub.checks).toHaveLength(checked)
  await service.sql`delete from ai_requests where job_id is null`

  await until(() => model.stub.checks.length > checked)
  await reserveFor({}, 139_000)
  check.goOn()
  await vi.waitUntil(
    async () => (await service.sql`select from generation_drafts where stage = 'disputed'`).length > 0,
    { timeout: PATIENCE_MS },
  )
  expect(model.stub.requests).toHaveLength(asked + 1)
  await service.sql`delete from ai_requests where job_id is null`
  const job = await once(admin, id, isDone)
  expect(job.questions.map(({ check }) => check.verdict)).toEqual(['agreed'])
  expect(model.stub.requests).toHaveLength(asked + 2)
})

test('a check that the budget doesn’t reach for leaves its questions unchecked', async () => {
  const admin = await service.admin()
  model.stub.script.push(costly(1, 133_000))
  const job = await once(admin, await start(admin, { numeric_count: 1 }), isDone)
  expect(job.questions.map(({ check }) => check.verdict)).toEqual(['unchecked'])
  expect(job.usage.checks.output).toBe(0)
})

test('a second try that the budget doesn’t reach for waits too; the next day the job ends with what there is', async () => {
  const admin = await service.admin()
  model.stub.script.push(costly(5, 130_000))
  const id = await start(admin, { numeric_count: 10, check: 'false' })
  const isResting = ({ last_event }: Job) => last_event === 'budget_spent'
  expect(await once(admin, id, isResting)).toMatchObject({ status: 'running', questions_so_far: 0 })

  // It looks again, and says nothing of it.
  const waitsFrom = async () =>
    (await service.sql`select attempt, waits_until from generation_jobs where id = ${id}`)[0]
  const resting = await vi.waitUntil(async () => (await waitsFrom())?.waits_until && (await waitsFrom()), {
    timeout: PATIENCE_MS,
  })
  const path = `${AI}/status/${id}`
  const tag = (await admin.fetch('GET', path)).headers.get('etag') ?? ''
  const watching = admin.fetch('GET', path, { headers: { 'if-none-match': tag, prefer: 'wait=5' } })
  now += 600_000
  await vi.waitUntil(
    async () => {
      const row = await waitsFrom()
      return row?.attempt > resting?.attempt && row?.waits_until
    },
    { timeout: PATIENCE_MS },
  )
  expect((await watching).status).toBe(304)

  now += DAY_MS
  model.stub.script.push(costly(5, 130_000))
  const again = service.guest()
  await again.login(admin.username)
  expect(await once(again, id, isDone)).toMatchObject({ questions_so_far: 5 })
}, 40_000)

test('what a PDF will take is reserved by its pages', async () => {
  const admin = await service.admin()
  const { turn, goOn } = held()
  model.stub.script.push(turn)
  const id = await start(
    admin,
    { mode: 'mine', mcq_count: 1, check: 'false' },
    textPdf(['one', 'two', 'three']),
  )
  const [row] = await vi.waitUntil(
    async () => {
      const rows = await service.sql`select tokens from ai_requests where job_id = ${id}`
      return rows.length > 0 && rows
    },
    { timeout: PATIENCE_MS },
  )
  expect(row?.tokens).toBeGreaterThan(16_000 + 3 * 3_000)
  expect(row?.tokens).toBeLessThan(16_000 + 3 * 3_000 + 2_000)
  goOn()
  await once(admin, id, isDone)
})

test('the older generation doesn’t wait for the next day: its job is cancelled', async () => {
  const admin = await service.admin()
  model.stub.script.push(costly(10, 130_000))
  const fields = { exam_id: await newExam(admin), mode: 'pure', topic: 'x', numeric_count: 20 }
  const refused = await admin.request('POST', '/admin/ai/generate', form(fields), 429)
  expect(refused.body).toMatchObject({ success: false, code: 'ai_budget_spent' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20 * 3_600)
  const [job] = (await admin.get(`${AI}/jobs`, 200)).body.jobs
  expect(job).toMatchObject({ status: 'failed', error: 'cancelled' })
})

test('requests at once on two nodes never reserve more than the budget', async () => {
  const people = await Promise.all(Array.from({ length: 60 }, (_, n) => service.person(undefined, n % 2)))
  let goOn = () => {}
  const until = new Promise<void>((resolve) => {
    goOn = resolve
  })
  model.stub.usual = { kind: 'answer', hold: 0, until }
  const { length } = model.stub.requests
  const asking = people.map((person) => person.post(MESSAGES, { message: 'At once', conversation_id: null }))
  await vi.waitUntil(
    async () => {
      const [row] =
        await service.sql`select coalesce(sum(tokens), 0)::int as tokens from ai_requests where expires_at > now()`
      return row?.tokens > BUDGET - 2 * 4_096 - 2_000
    },
    { timeout: PATIENCE_MS },
  )
  goOn()
  const answers = await Promise.all(asking)
  model.stub.usual = { kind: 'answer' }
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.every(({ body }) => (body as { code: string }).code === 'ai_budget_spent')).toBe(true)
  // Nothing is spent yet.
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect((model.stub.requests.length - length) * 4_096).toBeLessThanOrEqual(BUDGET)
  await expect
    .poll(async () => (await service.sql`select from ai_requests where expires_at > now()`).length)
    .toBe(0)
})

test('administrators see what was used, by day', async () => {
  const admin = await service.admin()
  const person = await service.person()
  const before = (await admin.get(`${AI}/usage?days=1`, 200)).body
  expect(before).toEqual({ success: true, budget: BUDGET, spent_today: 0, days: [] })
  await person.post(MESSAGES, { message: 'Hello', conversation_id: null }, 200)
  const id = await start(admin, { mcq_count: 2 })
  const job = await vi.waitUntil(
    async () => {
      const found = await status(admin, id)
      return found.status === 'done' && found
    },
    { timeout: PATIENCE_MS },
  )
  const { body } = await admin.get(`${AI}/usage?days=1`, 200)
  const [today] = body.days
  expect(today).toEqual({
    date: new Date(now + 2 * 3_600_000).toISOString().slice(0, 10),
    tutor: { questions: 1, input: expect.any(Number), cached: 7, output: expect.any(Number) },
    generation: {
      jobs: 1,
      questions: 2,
      input: job.usage.input,
      cached: job.usage.cached,
      output: job.usage.output,
    },
    checks: { agreed: 2, disputed: 0, unchecked: 0, ...job.usage.checks },
  })
  const sum = (part: { input: number; cached: number; output: number } | undefined) =>
    (part?.input ?? 0) + (part?.cached ?? 0) + (part?.output ?? 0)
  expect(body.spent_today).toBe(sum(today?.tutor) + sum(today?.generation) + sum(today?.checks))
  const all = (await admin.get(`${AI}/usage`, 200)).body.days
  expect(all.map(({ date }) => date)).toEqual(
    all
      .map(({ date }) => date)
      .toSorted()
      .reverse(),
  )
  await admin.get(`${AI}/usage?days=91`, 400)
  await person.get(`${AI}/usage`, 403)
})

test('a job counts on the day of its start, the older study chat as the tutor', async () => {
  // Five minutes to midnight in Berlin.
  now = Date.parse(`${new Date(now + DAY_MS).toISOString().slice(0, 10)}T21:55:00Z`)
  const [admin, person] = await Promise.all([service.admin(), service.person()])
  const { turn, goOn } = held()
  model.stub.script.push(turn)
  const { length } = model.stub.requests
  const id = await start(admin, { mcq_count: 2 })
  await vi.waitUntil(() => model.stub.requests.length > length, { timeout: PATIENCE_MS })
  now += 600_000
  goOn()
  const { usage } = await once(admin, id, isDone)
  await person.post('/api/study-chat', { message: 'Hello' }, 200)
  const days = await vi.waitUntil(
    async () => {
      const found = (await admin.get(`${AI}/usage?days=2`, 200)).body.days
      return found[0]?.tutor.questions && found
    },
    { timeout: PATIENCE_MS },
  )
  const { checks, ...writing } = usage
  const none = { input: 0, cached: 0, output: 0 }
  expect(days).toMatchObject([
    {
      tutor: { questions: 1 },
      generation: { jobs: 0, questions: 0, ...none },
      checks: { agreed: 0, disputed: 0, unchecked: 0, ...none },
    },
    { generation: { jobs: 1, questions: 2, ...writing }, checks: { agreed: 2, ...checks } },
  ])
})

test('what was taken is counted although the database refuses it at first', async () => {
  const [admin, person] = await Promise.all([service.admin(), service.person()])
  await service.sql.unsafe(`
    create sequence tries;
    create function refuse() returns trigger language plpgsql as
      $$ begin perform nextval('tries'); raise exception 'away'; end $$;
    create trigger refuse before insert on ai_days for each row execute function refuse()`)
  const asking = person.post(MESSAGES, { message: 'Hello', conversation_id: null }, 200)
  try {
    await vi.waitUntil(async () => (await service.sql`select is_called from tries`)[0]?.is_called, {
      timeout: PATIENCE_MS,
      interval: 10,
    })
  } finally {
    await service.sql.unsafe('drop trigger refuse on ai_days; drop function refuse; drop sequence tries')
  }
  await asking
  await expect
    .poll(async () => (await admin.get(`${AI}/usage?days=1`, 200)).body.days[0]?.tutor.questions, {
      timeout: PATIENCE_MS,
    })
    .toBe(1)
})

test('of a model that doesn’t say what it took, what was sent and written is counted', async () => {
  const admin = await service.admin()
  const spentNow = async () => (await admin.get(`${AI}/usage`, 200)).body.spent_today
  const before = await spentNow()
  model.stub.tellsUsage = false
  try {
    model.stub.script.push(costly(1, 9_000))
    const id = await start(admin, { numeric_count: 1, check: 'false' })
    const job = await vi.waitUntil(
      async () => {
        const told = await status(admin, id)
        return told.status === 'done' && told
      },
      { timeout: PATIENCE_MS, interval: 50 },
    )
    expect(job.usage.output).toBe(9_000)
    expect(job.usage.input).toBeGreaterThan(100)
    expect((await spentNow()) - before).toBe(job.usage.input + job.usage.output)
  } finally {
    model.stub.tellsUsage = true
  }
})
