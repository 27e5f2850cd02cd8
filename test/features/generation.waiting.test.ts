import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService } from '../support/service.ts'

const AI = '/api/v01/admin/ai'

let model: TestModel
let service: TestService
let admin: Client
/** The same person at the other node. */
let elsewhere: Client
let examId: number
beforeAll(async () => {
  model = await startModel({ silenceMs: 60_000 })
  service = await startService({ nodes: 2, config: { ai: model.ai } })
  admin = await service.admin()
  elsewhere = admin.at(service.urls[1] as string)
  examId = (await admin.post('/api/v01/admin/exams', { name: 'Waited for' }, 201)).body.exam.id
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})
beforeEach(() => {
  model.stub.usual = { kind: 'answer' }
})

/** Starts a job that stands still until it may go on, and answers once it does. */
async function heldJob() {
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
  model.stub.usual = { kind: 'answer', hold: 0, until }
  const { length } = model.stub.requests
  const fields = form({ exam_id: examId, mode: 'pure', topic: 'x', mcq_count: 1 })
  const { job_id } = (await admin.request('POST', `${AI}/generate`, fields, 202)).body
  await vi.waitUntil(() => model.stub.requests.length > length, { timeout: PATIENCE_MS })
  return { id: job_id as string, goOn }
}

interface From {
  by?: Client
  signal?: AbortSignal
}

function ask(id: string, headers: Record<string, string>, { by = admin, ...from }: From = {}) {
  return by.fetch('GET', `${AI}/status/${id}`, { headers, ...from })
}

async function tagOf(id: string, by = admin): Promise<string> {
  return (await ask(id, {}, { by })).headers.get('etag') ?? ''
}

const soon = async (asking: Promise<Response>) => Promise.race([asking, sleep(700, undefined)])

test('a request is answered as soon as the job has changed, on either node, by a tag that both know', async () => {
  const { id, goOn } = await heldJob()
  const tag = await tagOf(id)
  expect(await tagOf(id, elsewhere)).toBe(tag)
  const waiting = [admin, elsewhere].map((by) =>
    ask(id, { 'if-none-match': tag, prefer: 'respond-async, wait=25' }, { by }),
  )
  expect(await soon(Promise.race(waiting))).toBeUndefined()
  goOn()
  const answers = await Promise.all(waiting)
  for (const answer of answers) {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('preference-applied')).toBe('wait=25')
    expect(answer.headers.get('etag')).not.toBe(tag)
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toContain('accept-encoding')
    expect(await answer.json()).toMatchObject({ success: true, job_id: id })
  }
})

test('without a change it is 304 after its time, longer than other requests may take; what is over doesn’t wait', async () => {
  const { id, goOn } = await heldJob()
  const tag = await tagOf(id)
  const began = performance.now()
  const [short, long] = await Promise.all([
    ask(id, { 'if-none-match': tag, prefer: 'wait=1' }).then((answer) => ({
      answer,
      took: performance.now() - began,
    })),
    ask(id, { 'if-none-match': tag, prefer: 'wait="11"' }).then((answer) => ({
      answer,
      took: performance.now() - began,
    })),
  ])
  expect([short.answer.status, long.answer.status]).toEqual([304, 304])
  expect(short.answer.headers.get('preference-applied')).toBe('wait=1')
  expect(short.took).toBeGreaterThan(990)
  expect(long.took).toBeGreaterThan(10_990)

  const most = ask(id, { 'if-none-match': tag, prefer: 'wait=36000000000' })
  for (const prefer of ['wait=x', 'wait=-1', 'wait', 'wait=1.5', 'return=minimal'])
    expect((await soon(ask(id, { 'if-none-match': tag, prefer })))?.status).toBe(304)
  expect((await soon(ask(id, { prefer: 'wait=25' })))?.status).toBe(200)
  expect((await soon(ask(id, { 'if-none-match': '"another"', prefer: 'wait=25' })))?.status).toBe(200)
  expect((await ask('none', { 'if-none-match': tag, prefer: 'wait=25' })).status).toBe(404)
  goOn()
  expect((await most).headers.get('preference-applied')).toBe('wait=25')
  await vi.waitUntil(
    async () => ((await (await ask(id, {})).json()) as { status: string }).status === 'done',
    {
      timeout: PATIENCE_MS,
    },
  )
  expect((await soon(ask(id, { 'if-none-match': await tagOf(id), prefer: 'wait=25' })))?.status).toBe(304)
}, 40_000)

test('four requests of one person wait on a node, and who hangs up makes room; none holds a connection', async () => {
  const { id, goOn } = await heldJob()
  const tag = await tagOf(id)
  const headers = { 'if-none-match': tag, prefer: 'wait=25' }
  const hangUp = new AbortController()
  const waiting = Array.from({ length: 4 }, (_, n) =>
    ask(id, headers, n === 0 ? { signal: hangUp.signal } : {}),
  )
  const gone = expect(waiting[0]).rejects.toThrow()
  await sleep(300)
  const { core } = service.nodes[0] as (typeof service.nodes)[number]
  const turns = vi.spyOn(core.gate.light, 'run')
  const fifth = await soon(ask(id, headers))
  expect(turns).toHaveBeenCalledTimes(1)
  turns.mockRestore()
  expect(fifth?.status).toBe(304)
  expect(fifth?.headers.get('preference-applied')).toBeNull()
  // More than the pool has, of other people.
  const others = await Promise.all(Array.from({ length: 12 }, () => service.admin()))
  const theirs = others.map((by) => ask(id, headers, { by }))
  await sleep(300)
  await admin.get('/api/v01/admin/exams', 200)

  hangUp.abort()
  await gone
  await vi.waitUntil(async () => (await soon(ask(id, headers))) === undefined, { timeout: PATIENCE_MS })
  goOn()
  const answers = await Promise.all([...waiting.slice(1), ...theirs])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
}, 40_000)

test('who loses the right to a job while they wait for it isn’t told of it', async () => {
  const { id, goOn } = await heldJob()
  const other = await service.admin()
  const tag = await tagOf(id, other)
  const waiting = ask(id, { 'if-none-match': tag, prefer: 'wait=25' }, { by: other })
  expect(await soon(waiting)).toBeUndefined()
  await admin.patch(`/api/v01/admin/users/${other.id}`, { suspended: true }, 200)
  goOn()
  expect((await waiting).status).toBeGreaterThanOrEqual(401)
})

test('nobody waits for a job that there isn’t', async () => {
  const { core } = service.nodes[0] as (typeof service.nodes)[number]
  const subscribing = vi.spyOn(core.bus, 'subscribe')
  onTestFinished(() => subscribing.mockRestore())
  const headers = { 'if-none-match': '"x"', prefer: 'wait=25' }
  for (const id of ['none', randomUUID()]) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(id, headers)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  }
  const topics = subscribing.mock.calls.map(([topic]) => topic)
  expect(topics.filter((topic) => topic.startsWith('ai_job:'))).toEqual([])
})

test('a node that is told to leave answers all who wait, and reads the job once for them', async () => {
  const { id, goOn } = await heldJob()
  const tag = await tagOf(id, elsewhere)
  const others = await Promise.all(Array.from({ length: 4 }, () => service.admin(undefined, 1)))
  const waiting = [elsewhere, ...others].flatMap((by) =>
    Array.from({ length: 4 }, () => ask(id, { 'if-none-match': tag, prefer: 'wait=25' }, { by })),
  )
  expect(await soon(Promise.race(waiting))).toBeUndefined()
  const node = service.nodes[1] as (typeof service.nodes)[number]
  const statements = vi.spyOn(node.core.db.$client, 'unsafe')
  void node.drain()
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 304))
  expect(statements.mock.calls.filter(([text]) => text.includes('generation_batches'))).toHaveLength(1)
  goOn()
})

test.runIf(hasRedis())(
  'while Redis is away, jobs go on, and who waits at another node has it when the time is over',
  async () => {
    const redis = await RedisServer.start()
    const service = await startService({ nodes: 2, config: { ai: model.ai, redisUrl: redis.url } })
    try {
      const admin = await service.admin()
      const exam = await admin.post('/api/v01/admin/exams', { name: 'Without Redis' }, 201)
      const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
      model.stub.usual = { kind: 'answer', hold: 0, until }
      const { length } = model.stub.requests
      const fields = form({ exam_id: exam.body.exam.id, mode: 'pure', topic: 'x', mcq_count: 1 })
      const { job_id } = (await admin.request('POST', `${AI}/generate`, fields, 202)).body
      await vi.waitUntil(() => model.stub.requests.length > length, { timeout: PATIENCE_MS })
      const tag = await tagOf(job_id, admin)
      const waiting = service.urls.map((url) =>
        ask(job_id, { 'if-none-match': tag, prefer: 'wait=3' }, { by: admin.at(url) }),
      )
      await redis.stop()
      goOn()
      const answers = await Promise.all(waiting)
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      await vi.waitUntil(
        async () => (await admin.get(`${AI}/status/${job_id}`, 200)).body.status === 'done',
        {
          timeout: PATIENCE_MS,
        },
      )
    } finally {
      await service.close()
      await redis.stop()
    }
  },
  40_000,
)
