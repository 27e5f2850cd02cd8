import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
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
})

async function newExam(admin: Client): Promise<number> {
  return (await admin.post('/api/v01/admin/exams', { name: 'Budget' }, 201)).body.exam.id
}

async function start(admin: Client, fields: Record<string, string | number>): Promise<string> {
  const body = form({ exam_id: await newExam(admin), mode: 'pure', topic: 'x', ...fields })
  return (await admin.request('POST', `${AI}/generate`, body, 202)).body.job_id
}

const status = async (admin: Client, id: string) => (await admin.get(`${AI}/status/${id}`, 200)).body

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
