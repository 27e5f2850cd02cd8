import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExam } from '../../test/support/content/exams.ts'
import { startModel, type TestModel } from '../../test/support/outside/model.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import { withProgress } from '../src/files/with-progress.ts'
import { Disconnected, Refused } from '../src/index.ts'
import { watchDiscussion, watchJob } from '../src/topics/topics.ts'
import { askTutor, type TutorEvent } from '../src/tutor/tutor.ts'
import { openApp, until } from './support/app.ts'

let model: TestModel
let service: TestService
beforeAll(async () => {
  model = await startModel()
  service = await startService({ config: { ai: model.ai } })
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})

test('a discussion follows its comments, and is read again after a new connection', async () => {
  const { questionIds } = await createExam(service.sql)
  const id = questionIds[0] as number
  const [alice, bob] = await Promise.all([service.person(), service.person()])
  const client = await openApp(alice)
  const discussion = watchDiscussion(client, id)
  await until(discussion.$value, ({ status }) => status === 'ready')
  const say = (message: string) => bob.post(`/api/v01/discussions/${id}`, { message }, 201)
  await say('first')
  await until(discussion.$value, ({ data }) => data?.comments[0]?.message === 'first')
  client.live.disconnect()
  await say('missed')
  client.live.connect()
  await until(discussion.$value, ({ data }) => data?.count === 2)
  discussion.close()
})

test('a discussion goes on though another watch of it is closed', async () => {
  const { questionIds } = await createExam(service.sql)
  const id = questionIds[0] as number
  const client = await openApp(await service.person())
  const [one, other] = [watchDiscussion(client, id), watchDiscussion(client, id)]
  for (const { $value } of [one, other]) await until($value, ({ status }) => status === 'ready')
  one.close()
  await (await service.person()).post(`/api/v01/discussions/${id}`, { message: 'still here' }, 201)
  await until(other.$value, ({ data }) => data?.comments[0]?.message === 'still here')
})

test('a discussion is shown once the proxy before it works again', async () => {
  const { questionIds } = await createExam(service.sql)
  let faults = 0
  const client = await openApp(await service.person(), {
    platform: {
      // No pause is long then.
      random: () => 0,
      async fetch(request) {
        if (!request.url.includes('/discussions/') || faults === 4) return fetch(request)
        faults += 1
        return new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })
      },
    },
  })
  const { $value } = watchDiscussion(client, questionIds[0] as number)
  const statuses: string[] = []
  $value.subscribe(({ status }) => statuses.push(status))
  await until($value, ({ status }) => status === 'ready')
  expect(faults).toBe(4)
  expect(statuses).toEqual(['loading', 'ready'])
})

test('a missing discussion, and a job that only administrators may see, are refused with their codes', async () => {
  const client = await openApp(await service.person())
  const missing = await until(watchDiscussion(client, 999_999).$value, ({ status }) => status !== 'loading')
  expect(missing).toMatchObject({ status: 'refused', code: 'not_found' })
  const job = watchJob(client, '00000000-0000-4000-8000-000000000000')
  expect(await until(job.$value, ({ status }) => status !== 'loading')).toMatchObject({ code: 'forbidden' })
})

test('a generation job is followed until its questions are there', async () => {
  const { examId } = await createExam(service.sql)
  const client = await openApp(await service.admin())
  model.stub.usual = { kind: 'answer', pace: 2 }
  const form = new FormData()
  for (const [name, value] of Object.entries({
    mode: 'pure',
    exam_id: `${examId}`,
    topic: 'Sets',
    mcq_count: '15',
  }))
    form.set(name, value)
  const { data } = await client.POST('/api/v01/admin/ai/generate', { body: form })
  const job = watchJob(client, data?.job_id ?? '')
  const end = await until(job.$value, (value) => value.data?.status === 'done', 20_000)
  expect(end.data?.questions).toHaveLength(15)
})

test('an answer of the tutor comes in pieces, and stops when the reader leaves', async () => {
  const person = await service.person()
  const client = await openApp(person)
  model.stub.usual = { kind: 'answer', pace: 1 }
  const events: TutorEvent[] = []
  for await (const event of askTutor(client, { message: 'Why?' })) events.push(event)
  expect(events[0]).toMatchObject({ type: 'start', conversation_id: expect.any(Number) })
  const pieces = events.flatMap((event) => (event.type === 'delta' ? [event.text] : []))
  const last = events.at(-1)
  expect(pieces.length).toBeGreaterThan(1)
  expect(last?.type === 'done' && JSON.stringify(last.answer)).toContain(
    JSON.stringify(pieces.join('')).slice(1, -1),
  )

  const before = model.stub.aborted
  model.stub.usual = { kind: 'answer', pace: 50 }
  for await (const event of askTutor(client, { message: 'And then?' })) if (event.type === 'delta') break
  await expect.poll(() => model.stub.aborted).toBe(before + 1)

  const stop = new AbortController()
  const reading = (async () => {
    for await (const _ of askTutor(client, { message: 'Once more' }, { signal: stop.signal }))
      stop.abort(new Error('enough'))
  })()
  await expect(reading).rejects.toThrow()
  await expect(askTutor(client, { message: '' }).next()).rejects.toThrow(Refused)
})

type Body = ReadableStreamDefaultController<Uint8Array>

test.each([
  ['ends', (body: Body) => body.close()],
  ['breaks', (body: Body) => body.error(new TypeError('terminated'))],
])('an answer of the tutor is cut off when its connection %s', async (_, cut) => {
  const begun = new TextEncoder().encode('event: delta\ndata: {"text":"Because"}\n\n')
  const client = await openApp(await service.person(), {
    platform: {
      async fetch(request) {
        if (!request.url.endsWith('/assistant/messages')) return fetch(request)
        const pieces = [(body: Body) => body.enqueue(begun), cut]
        return new Response(new ReadableStream({ pull: (body) => pieces.shift()?.(body) }), {
          headers: { 'x-request-id': 'a stream' },
        })
      },
    },
  })
  const answer = askTutor(client, { message: 'Why?' })
  expect(await answer.next()).toEqual({ done: false, value: { type: 'delta', text: 'Because' } })
  await expect(answer.next()).rejects.toThrow(Disconnected)
})

test('an answer of the tutor is whole once it is done, even if its connection breaks then', async () => {
  const whole = new TextEncoder().encode('event: done\ndata: {"response":"Because."}\n\n')
  const client = await openApp(await service.person(), {
    platform: {
      async fetch(request) {
        if (!request.url.endsWith('/assistant/messages')) return fetch(request)
        const pieces = [
          (body: Body) => body.enqueue(whole),
          (body: Body) => body.error(new TypeError('terminated')),
        ]
        return new Response(new ReadableStream({ pull: (body) => pieces.shift()?.(body) }), {
          headers: { 'x-request-id': 'a stream' },
        })
      },
    },
  })
  const events: object[] = []
  for await (const event of askTutor(client, { message: 'Why?' })) events.push(event)
  expect(events).toEqual([{ type: 'done', answer: { response: 'Because.' } }])
})

test('an upload reports its progress', async () => {
  const client = await openApp(await service.person())
  const { data } = await client.POST('/api/v01/notebooks', { body: { title: 'x' } })
  const notebook = { path: { id: data?.notebook.id ?? 0 } }
  const page = await client.POST('/api/v01/notebooks/{id}/pages', { params: notebook, body: { title: 'p' } })
  const form = new FormData()
  form.set('image', new Blob([randomBytes(900_000)], { type: 'image/png' }), 'x.png')
  const told: number[] = []
  const { response, error } = await client.POST('/api/v01/pages/{id}/assets', {
    params: { path: { id: page.data?.page.id ?? 0 } },
    body: form,
    fetch: withProgress(client, (sent) => told.push(sent)),
  })
  expect(told.at(-1)).toBeGreaterThan(900_000)
  expect(told).toEqual([...told].sort((one, other) => one - other))
  // Refused, since random bytes are no image: only the progress matters here.
  expect(response.status).toBe(400)
  expect(error?.code).toBe('validation_failed')
})
