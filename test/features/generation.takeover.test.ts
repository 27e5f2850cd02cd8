import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import postgres from 'postgres'
import { expect, test, vi } from 'vitest'
import { ModelStub, type Turn } from '../../scripts/model-stub.ts'
import { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { ServiceProcess } from '../support/processes/process.ts'
import { Documented } from '../support/promises/documented.ts'
import { createDatabase } from '../support/service.ts'

/** Longest that a job may be `running` without a worker (docs/protocol/generation.md). */
const PROMISED_MS = 30_000

/**
 * Two nodes, each in its own process, with one database and one model. Either might take a job, so the second one
 * starts once the first one works on it.
 */
async function startPair() {
  const database = await createDatabase()
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-data-'))
  const stub = new ModelStub()
  const env = {
    // Many nodes share one PostgreSQL.
    DATABASE_POOL: '2',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    DEMO: 'off',
    JWT_SECRET: 'a secret of the tests which is long enough',
    ANTHROPIC_BASE_URL: await stub.listen(),
  }
  const worker = new ServiceProcess(env)
  const nodes = [worker]
  const url = await worker.ready()
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const admin = new Client(url, await Documented.load(url))
  await admin.register(`a${randomUUID().slice(0, 8)}`)
  await sql`update users set role = 'user,admin' where id = ${admin.id}`
  await admin.login(admin.username)
  const exam = await admin.post('/api/v01/admin/exams', { name: 'Taken over' }, 201)

  return {
    worker,
    stub,
    sql,
    admin,
    /** Answers the administrator at the second node. */
    async startSurvivor(): Promise<Client> {
      const survivor = new ServiceProcess(env)
      nodes.push(survivor)
      return admin.at(await survivor.ready())
    },
    async generate(count: number): Promise<string> {
      const fields = { mode: 'pure', topic: 'x', exam_id: exam.body.exam.id, mcq_count: count }
      return (await admin.request('POST', '/api/v01/admin/ai/generate', form(fields), 202)).body.job_id
    },
    async close() {
      for (const node of nodes) await node.exit('SIGKILL')
      await stub.close()
      await sql.end()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
type Pair = Awaited<ReturnType<typeof startPair>>

/** Waits at the other node for the end of a job whose worker has just been lost. */
async function awaitTakeover(survivor: Client, jobId: string) {
  const lostAt = performance.now()
  const path = `/api/v01/admin/ai/status/${jobId}` as const
  const before = (await survivor.get(path, 200)).body
  expect(before.status).toBe('running')
  let resumedAfter = 0
  const job = await vi.waitUntil(
    async () => {
      const { body } = await survivor.get(path, 200)
      if (resumedAfter === 0 && body.completed_batches > before.completed_batches)
        resumedAfter = performance.now() - lostAt
      return body.status === 'running' ? undefined : body
    },
    { timeout: PROMISED_MS + 10_000, interval: 100 },
  )
  return { before, job, resumedAfter }
}

function textsOf({ questions }: { questions: { question_text: string }[] }): Set<string> {
  return new Set(questions.map(({ question_text }) => question_text))
}

/** A heartbeat that runs out, and the rest of the job. */
const TEST_MS = 90_000

async function killInBatchThree(pair: Pair) {
  const { worker, stub } = pair
  stub.script.push({ kind: 'answer' }, { kind: 'answer' }, { kind: 'hang', after: true })
  const jobId = await pair.generate(50)
  await vi.waitUntil(() => stub.requests.length === 3, { timeout: PATIENCE_MS })
  const survivor = await pair.startSurvivor()
  await worker.exit('SIGKILL')
  const { before, job, resumedAfter } = await awaitTakeover(survivor, jobId)
  expect(before).toMatchObject({ completed_batches: 2, percent: 40 })
  expect(job).toMatchObject({
    status: 'done',
    percent: 100,
    total_batches: 5,
    completed_batches: 5,
    questions_so_far: 50,
  })
  expect(job.questions).toHaveLength(50)
  expect(textsOf(job).size).toBe(50)
  expect(job.questions.slice(0, 20)).toEqual(before.questions)
  expect(resumedAfter).toBeLessThan(PROMISED_MS)
  console.info(`killed: gone on after ${Math.round(resumedAfter)} ms`)
}

async function freezeInBatchTwo(pair: Pair) {
  const { worker, stub, sql } = pair
  let goOn = () => {}
  const until = new Promise<void>((resolve) => {
    goOn = resolve
  })
  stub.script.push({ kind: 'answer' }, { kind: 'answer', hold: 1, until })
  const jobId = await pair.generate(30)
  await vi.waitUntil(() => stub.requests.length === 2, { timeout: PATIENCE_MS })
  const survivor = await pair.startSurvivor()
  worker.child.kill('SIGSTOP')
  const { job, resumedAfter } = await awaitTakeover(survivor, jobId)
  expect(job).toMatchObject({ status: 'done', completed_batches: 3, questions_so_far: 30 })
  expect(resumedAfter).toBeLessThan(PROMISED_MS)
  console.info(`frozen: gone on after ${Math.round(resumedAfter)} ms`)

  // The frozen node gets the model's answer as soon as it wakes up.
  goOn()
  worker.child.kill('SIGCONT')
  await vi.waitUntil(() => worker.output.includes('the job was taken over'), { timeout: PATIENCE_MS })
  const { body } = await survivor.get(`/api/v01/admin/ai/status/${jobId}`, 200)
  // What the frozen node's request took is spent all the same.
  const { usage } = body
  expect(body).toEqual({ ...job, usage })
  expect(usage.output).toBeGreaterThanOrEqual(job.usage.output)
  expect(textsOf(body).size).toBe(30)
  const [row] =
    await sql`select attempt, (select count(*)::int from generation_batches) as batches from generation_jobs`
  expect(row).toEqual({ attempt: 2, batches: 3 })
}

/** Where a node is killed, and what the model has been asked in the end: only what was under way is asked again. */
const STEPS = {
  'the check': { script: [], checkScript: [{ kind: 'hang' }], asked: [1, 1], inAll: [2, 3] },
  'the writing anew': {
    script: [{ kind: 'answer' }, { kind: 'hang' }],
    checkScript: [],
    asked: [2, 1],
    inAll: [3, 2],
  },
  'the check of what was written anew': {
    script: [],
    checkScript: [{ kind: 'answer' }, { kind: 'hang' }],
    asked: [2, 2],
    inAll: [2, 3],
  },
  'the check of a batch and the writing of the next': {
    count: 20,
    script: [{ kind: 'answer' }, { kind: 'hang' }],
    checkScript: [{ kind: 'hang' }],
    asked: [2, 1],
    inAll: [5, 5],
  },
} satisfies Record<
  string,
  { count?: number; script: Turn[]; checkScript: Turn[]; asked: number[]; inAll: number[] }
>

async function killAt(step: keyof typeof STEPS, { worker, stub, generate, startSurvivor }: Pair) {
  const { script, checkScript, asked, inAll, ...more } = STEPS[step]
  const { count = 10 } = more as { count?: number }
  const questions = () => [stub.requests.length, stub.checks.length]
  stub.mistakes = 3
  stub.script.push(...script)
  stub.checkScript.push(...checkScript)
  const jobId = await generate(count)
  await vi.waitUntil(() => String(questions()) === String(asked), { timeout: PATIENCE_MS })
  const survivor = await startSurvivor()
  await worker.exit('SIGKILL')
  const { job } = await awaitTakeover(survivor, jobId)
  expect(job).toMatchObject({ status: 'done', questions_so_far: count, completed_batches: count / 10 })
  expect(textsOf(job).size).toBe(count)
  expect(job.questions.every(({ check }) => check.verdict === 'agreed')).toBe(true)
  expect(questions()).toEqual(inAll)
}

/** As long as a check may take (docs/protocol/generation.md). */
const CHECK_MS = 60_000

async function checkTooLong({ stub, generate, admin }: Pair) {
  // Something comes every two seconds, so the model isn't silent.
  stub.usualCheck = { kind: 'answer', pace: 2_000 }
  const jobId = await generate(10)
  await vi.waitUntil(() => stub.checks.length === 1, { timeout: PATIENCE_MS })
  const began = performance.now()
  const job = await vi.waitUntil(
    async () => {
      const { body } = await admin.get(`/api/v01/admin/ai/status/${jobId}`, 200)
      return body.status === 'running' ? undefined : body
    },
    { timeout: CHECK_MS + 10_000, interval: 100 },
  )
  expect(performance.now() - began).toBeGreaterThan(CHECK_MS - 1_000)
  expect(job).toMatchObject({ status: 'done', questions_so_far: 10 })
  expect(job.questions.map(({ check }) => check)).toEqual(
    Array.from({ length: 10 }, () => ({ verdict: 'unchecked', answer: null, reason: null })),
  )
  expect([stub.requests.length, stub.checks.length]).toEqual([1, 1])
}

/** Two nodes that end with the test. */
async function withPair(run: (pair: Pair) => Promise<void>): Promise<void> {
  const pair = await startPair()
  try {
    await run(pair)
  } finally {
    await pair.close()
  }
}

// All wait for a heartbeat to run out, so they run side by side.
test.concurrent(
  'when a node is killed in batch 3 of 5, another one goes on with batch 3; no question is lost or doubled',
  () => withPair(killInBatchThree),
  TEST_MS,
)

test.concurrent.each(Object.keys(STEPS) as (keyof typeof STEPS)[])(
  'when a node is killed during %s, another one goes on there and repeats nothing else',
  (step) => withPair((pair) => killAt(step, pair)),
  TEST_MS,
)

test.concurrent(
  'a node that was frozen past its heartbeat writes nothing when it wakes up',
  () => withPair(freezeInBatchTwo),
  TEST_MS,
)

test.concurrent(
  'a check that takes more than a minute leaves its questions unchecked; the job goes on',
  () => withPair(checkTooLong),
  TEST_MS,
)
