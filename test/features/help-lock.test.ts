import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { helpWatchOf } from '../../src/features/help-lock/help-lock-watch.ts'
import type { ServiceNode } from '../../src/process/node.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { requestEvents } from '../support/events.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { connect, startService, type TestService, withService } from '../support/service.ts'
import type { TestSocket } from '../support/socket.ts'

/** Answers to one's own commands, and the one change here that is told to a locked student. */
const SENT = ['ack', 'error', 'pong', 'attempt_time']

let model: TestModel
let service: TestService
let admin: Client
beforeAll(async () => {
  model = await startModel({ silenceMs: 60_000 })
  service = await startService({ nodes: 2, config: { ai: model.ai } })
  admin = await service.admin()
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})

const elsewhere = (client: Client) => client.at(service.urls[1] as string)
const start = (client: Client, examId: number) => client.post(`/api/v01/exams/${examId}/start`, {}, 201)
const submit = (client: Client, examId: number) => client.post(`/api/v01/exams/${examId}/submit`, {}, 200)
const lockingExam = (given = {}) =>
  createExam(service.sql, { lock_help: true, duration_minutes: 60, ...given })
const withheldOf = (socket: TestSocket, from: number) =>
  socket.frames.slice(from).filter(({ type }) => !SENT.includes(type))

/** Paths that are locked, in both generations. */
const HELP = [
  '/api/v01/assistant',
  '/api/v01/chat',
  '/api/v01/discussions',
  '/api/v01/library',
  '/api/assistant',
  '/api/chat',
  '/api/discussion',
  '/api/study-chat',
  '/api/v01/account/export',
  '/api/v01/attempts/{attempt_id}/challenges',
]

test('a locked student gets no help by any route or frame, on two devices and nodes; afterwards nothing is missing', {
  timeout: 120_000,
  meta: { costly: 'tries every route and frame' },
}, async () => {
  const { examId, questionIds } = await lockingExam()
  const questionId = questionIds[0] as number
  const people = await Promise.all(Array.from({ length: 4 }, () => service.person()))
  const [alice, bob, carol, dave] = people as [Client, Client, Client, Client]
  const earlier = (await start(alice, examId)).body.attempt_id
  await submit(alice, examId)
  await start(bob, examId)
  await submit(bob, examId)
  const conversationId = await connect(alice, bob)
  const first = (await bob.send(conversationId, 'Before', undefined, 201)).body.message
  const second = (await bob.send(conversationId, 'Deleted later', undefined, 201)).body.message
  const members = { name: 'Group', member_ids: [alice.id] }
  const group = (await bob.post('/api/v01/chat/groups', members, 201)).body.conversation
  await alice.post('/api/v01/chat/connections', { recipient_id: dave.id }, 201)
  const own = (await alice.send(conversationId, 'Mine', undefined, 201)).body.message
  await alice.post(`/api/v01/discussions/${questionId}`, { message: 'Mine as well' }, 201)
  await alice.post('/api/v01/assistant/messages', { message: 'Help', conversation_id: null }, 200)
  const version = (await alice.get(`/api/v01/chat/conversations/${conversationId}`, 200)).body.conversation
    .version

  const early = [await alice.socket(), await elsewhere(alice).socket()]
  for (const socket of early)
    expect(await socket.ask({ type: 'subscribe', topic: `question:${questionId}` })).toMatchObject({
      type: 'ack',
    })
  const attempt = await start(alice, examId)
  expect(attempt.body.resumed).toBe(false)
  const { ends_at } = (await alice.get(`/api/v01/exams/${examId}/paper`, 200)).body
  const refusal = { code: 'exam_in_progress', exam_id: examId, ends_at }

  // Every documented operation, with valid and with invalid bodies.
  const { paths } = (await service.guest().get('/openapi.json', 200)).body
  const crawled: string[] = []
  for (const [path, operations] of Object.entries<object>(paths)) {
    if (!HELP.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) continue
    const filled = path
      .replace('{question_id}', String(questionId))
      .replace('{notebook_id}', '1')
      .replace('{user_id}', String(bob.id))
      .replace('{attempt_id}', String(earlier))
      .replace('{id}', String(path.includes('/comments/') ? own.id : conversationId))
    for (const method of Object.keys(operations)) {
      const bodies = method === 'get' ? [undefined] : [{}, fitting(path, bob.id, conversationId), '{"']
      for (const [index, body] of bodies.entries()) {
        const device = crawled.length % 2 ? elsewhere(alice) : alice
        const answer = await device.request(method.toUpperCase(), filled, body)
        expect({ method, path, index, ...answer }).toMatchObject({ status: 403 })
        if (answer.body.code !== 'admin_required')
          expect(answer.body, `${method} ${path}`).toMatchObject({ success: false, ...refusal })
      }
      crawled.push(`${method} ${path}`)
    }
  }
  expect(crawled.length).toBeGreaterThan(50)
  for (const path of HELP)
    expect(
      crawled.some((each) => each.includes(` ${path}`)),
      path,
    ).toBe(true)

  // A page that a parameter asks for has a way of its own to be read.
  const messages = `/api/v01/chat/conversations/${conversationId}/messages` as const
  await alice.get(`${messages}?around=${first.id}`, 403)
  await alice.get(`${messages}?before=${encodeURIComponent(new Date().toISOString())}`, 403)

  // Sockets from before, and a new one.
  const late = await elsewhere(alice).socket()
  expect(late.frames[0]).toMatchObject({ type: 'ready', unread: null, requests: null })
  expect(await late.until(() => late.frames[1])).toEqual({ type: 'help_locked', exam_id: examId })
  const sockets = [...early, late]
  for (const socket of sockets) await socket.waitFor(({ type }) => type === 'help_locked', 1_000)
  const seen = sockets.map(({ frames }) => frames.length)
  for (const socket of sockets) {
    const requests = [
      { type: 'send', conversation_id: conversationId, message: 'Psst', client_id: randomUUID() },
      { type: 'send', conversation_id: conversationId },
      { type: 'read', conversation_id: conversationId },
      { type: 'typing', conversation_id: conversationId },
      { type: 'resume', conversations: { [conversationId]: 1 } },
      { type: 'resume', conversations: {} },
      { type: 'subscribe', topic: `question:${questionId}` },
    ]
    for (const frame of requests) expect(await socket.ask(frame)).toMatchObject({ type: 'error', ...refusal })
    expect(await socket.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
    expect(await socket.ask({ type: 'unsubscribe', topic: 'question:999999' })).toMatchObject({
      type: 'ack',
    })
  }

  // Whatever others do, no frame of it arrives.
  const other = await bob.socket()
  await bob.send(conversationId, 'During', undefined, 201)
  await elsewhere(bob).send(conversationId, 'During, too', undefined, 201)
  await bob.patch(`/api/v01/chat/messages/${first.id}`, { message: 'Edited' }, 200)
  await bob.delete(`/api/v01/chat/messages/${second.id}`, 200)
  const reaction = encodeURIComponent('👍')
  await bob.put(
    `/api/v01/chat/conversations/${conversationId}/messages/${own.id}/reactions/${reaction}`,
    {},
    200,
  )
  await bob.patch(`/api/v01/chat/groups/${group.id}`, { name: 'The answer is C' }, 200)
  const { requests } = (await dave.get('/api/v01/chat/connections/requests', 200)).body
  const answer = { action: 'accept' } as const
  await dave.post(`/api/v01/chat/connections/${requests[0]?.conn_id ?? 0}/respond`, answer, 200)
  await other.ask({ type: 'read', conversation_id: conversationId })
  other.send({ type: 'typing', conversation_id: conversationId })
  await carol.post('/api/v01/chat/connections', { recipient_id: alice.id }, 201)
  await bob.post(`/api/v01/discussions/${questionId}`, { message: 'The answer is C' }, 201)
  await admin.put(
    `/api/v01/admin/exams/${examId}/accommodations/${alice.id}`,
    { extra_time_percent: 10 },
    200,
  )
  for (const socket of sockets) await socket.waitFor(({ type }) => type === 'attempt_time')
  // Long enough for withheld frames: counters come at most twice a second, what the bus lost within a second.
  await sleep(1_200)
  for (const [index, socket] of sockets.entries())
    expect(withheldOf(socket, seen[index] ?? 0), `socket ${index}`).toEqual([])
  const [stored] = await service.sql`
    select count(*)::int as count from messages where sender_id = ${alice.id} and message <> 'Mine'`
  expect(stored).toEqual({ count: 0 })

  await submit(elsewhere(alice), examId)
  const { body: unread } = await alice.get('/api/v01/chat/unread', 200)
  expect(unread).toMatchObject({ requests: 1 })
  expect(unread.unread).toBeGreaterThanOrEqual(2)
  for (const socket of sockets) {
    await socket.waitFor(({ type }) => type === 'resync', 1_000)
    expect(socket.of('help_unlocked')).toEqual([{ type: 'help_unlocked', exam_id: examId }])
    expect(socket.frames.findIndex(({ type }) => type === 'help_unlocked')).toBeLessThan(
      socket.frames.findIndex(({ type }) => type === 'resync'),
    )
    const ack = await socket.ask({ type: 'resume', conversations: { [conversationId]: version } })
    expect(ack).toMatchObject({ type: 'ack', unread: unread.unread, requests: 1 })
    const texts = [...socket.of('message'), ...socket.of('message_edited')].map(
      ({ message }) => message.message,
    )
    expect(texts).toEqual(expect.arrayContaining(['During', 'During, too']))
    const { unread: told, requests } = await socket.until(() => socket.of('unread').at(-1))
    expect({ unread: told, requests }).toEqual({ unread: unread.unread, requests: 1 })
  }
  expect((await alice.get(`/api/v01/discussions/${questionId}`, 200)).body.count).toBe(2)
  // Subscriptions continue.
  await bob.post(`/api/v01/discussions/${questionId}`, { message: 'And afterwards' }, 201)
  for (const socket of early) await socket.waitFor(({ type }) => type === 'comment')
})

/** A body that the operation would accept from somebody who isn't locked. */
function fitting(path: string, userId: number, conversationId: number): object {
  if (path.includes('connections')) return { recipient_id: userId }
  if (path.includes('groups')) return { name: 'Group', member_ids: [userId] }
  if (path.includes('counts')) return { question_ids: [1] }
  if (path.includes('interactions')) return { kind: 'like' }
  if (path.endsWith('/read')) return { conversation_id: conversationId }
  return { message: 'Psst', title: 'Psst', reason: 'Psst' }
}

describe('the tutor', () => {
  test('stops in the middle of a stream, and refuses an answer that is awaited; neither counts', async () => {
    const { examId } = await lockingExam()
    const alice = await service.person()
    const hold = sleep(30_000, undefined, { ref: false })
    model.stub.script.push({ kind: 'answer', hold: 1, until: hold }, { kind: 'answer', hold: 1, until: hold })
    const stream = await requestEvents(elsewhere(alice), '/api/v01/assistant/messages', {
      message: 'Explain',
    })
    const events: string[] = []
    const reading = (async () => {
      for await (const { event, data } of stream.events) {
        events.push(event)
        if (event === 'error') return data
      }
      return undefined
    })()
    await expect.poll(() => events).toContain('delta')
    const awaited = alice.post('/api/v01/assistant/messages', { message: 'Explain', conversation_id: null })
    await expect.poll(() => model.stub.script.length).toBe(0)
    const began = performance.now()
    await start(alice, examId)
    expect(await reading).toMatchObject({ code: 'exam_in_progress', exam_id: examId })
    expect((await awaited).status).toBe(403)
    expect((await awaited).body).toMatchObject({ code: 'exam_in_progress', exam_id: examId })
    expect(performance.now() - began).toBeLessThan(3_000)
    await submit(alice, examId)
    expect((await alice.get('/api/v01/assistant/conversations', 200)).body.conversations).toEqual([])
    await expect
      .poll(
        async () =>
          (await service.sql`select from assistant_questions where user_id = ${alice.id} and not hung_up`)
            .length,
      )
      .toBe(0)
    const { body } = await alice.post(
      '/api/v01/assistant/messages',
      { message: 'Explain', conversation_id: null },
      200,
    )
    expect(body.questions_remaining).toBe(49)
  })

  test('answers once the time of the attempt is over, and closes it', async () => {
    const { examId } = await lockingExam()
    const alice = await service.person()
    await start(alice, examId)
    await service.sql`update attempts set ends_at = now() - interval '1 hour' where user_id = ${alice.id}`
    await alice.post('/api/v01/assistant/messages', { message: 'Explain', conversation_id: null }, 200)
    expect(await service.sql`select status from attempts where user_id = ${alice.id}`).toEqual([
      { status: 'expired' },
    ])
  })
})

describe('the lock', () => {
  test('holds from the answer to the start on, even while messages are being sent', async () => {
    const { examId } = await lockingExam()
    const people = await Promise.all(Array.from({ length: 6 }, () => service.person()))
    await Promise.all(
      people.map(async (alice, index) => {
        const bob = people[(index + 1) % people.length] as Client
        if (index % 2) return
        const conversationId = await connect(alice, bob)
        let started = false
        let accepted = 0
        const sending = async (client: Client) => {
          while (accepted < 2_000) {
            const isLate = started
            const { status } = await client.send(conversationId, 'Now')
            if (isLate) expect(status).toBe(403)
            if (status === 403) return
            accepted += 1
          }
        }
        const senders = [sending(alice), sending(elsewhere(alice)), sending(alice)]
        await expect.poll(() => accepted).toBeGreaterThan(3)
        await start(index % 4 ? alice : elsewhere(alice), examId)
        started = true
        await Promise.all(senders)
      }),
    )
  })

  test('refuses a text that comes after the start, even if its request had begun before', async () => {
    const { examId } = await lockingExam()
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const conversationId = await connect(alice, bob)
    const { id } = (await alice.send(conversationId, 'Before', undefined, 201)).body.message
    const text = JSON.stringify({ message: 'Question 1 is: …' })
    const late = request(`${alice.url}/api/v01/chat/messages/${id}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${alice.accessToken}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
    })
    late.flushHeaders()
    const [socket] = await once(late, 'socket')
    if (socket.connecting) await once(socket, 'connect')
    await alice.get('/api/v01/chat/unread', 200)
    await start(alice, examId)
    late.end(text)
    const [answer] = await once(late, 'response')
    expect(answer.statusCode).toBe(403)
    answer.destroy()
    const { messages } = (await bob.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body
    expect(messages).toMatchObject([{ message: 'Before', is_edited: false }])
  })

  test('refuses the tutor also where there is none', async () => {
    const without = await withService()
    const { examId } = await createExam(without.sql, { lock_help: true })
    const alice = await without.person()
    const ask = { message: 'Explain', conversation_id: null }
    expect((await alice.post('/api/v01/assistant/messages', ask, 503)).body.code).toBe('not_configured')
    await start(alice, examId)
    expect((await alice.post('/api/v01/assistant/messages', ask, 403)).body.code).toBe('exam_in_progress')
  })

  test('is told to the first socket on a node that knows of it already', async () => {
    const { examId } = await lockingExam()
    const alice = await service.person()
    const known = vi.fn()
    // As an answer of the tutor does while it is written.
    const unfollow = helpWatchOf((service.nodes[1] as ServiceNode).core).follow(alice.id, known)
    await start(alice, examId)
    await vi.waitFor(() => expect(known).toHaveBeenCalledOnce())
    const socket = await elsewhere(alice).socket()
    expect(socket.frames[0]).toMatchObject({ type: 'ready', unread: null, requests: null })
    await socket.waitFor(({ type, exam_id }) => type === 'help_locked' && exam_id === examId)
    unfollow()
  })

  test('of two exams ends with the second one, and resync is sent once', async () => {
    const [one, other] = [await lockingExam(), await lockingExam({ duration_minutes: null })]
    const alice = await service.person()
    const socket = await alice.socket()
    await start(alice, one.examId)
    await start(elsewhere(alice), other.examId)
    await socket.until(() => socket.of('help_locked').length === 2)
    await submit(alice, one.examId)
    await socket.waitFor(({ type }) => type === 'help_unlocked')
    const refused = await alice.get('/api/v01/chat/unread', 403)
    expect(refused.body).toMatchObject({ code: 'exam_in_progress', exam_id: other.examId, ends_at: null })
    expect(socket.of('resync')).toEqual([])
    await submit(alice, other.examId)
    await socket.waitFor(({ type }) => type === 'resync')
    expect(
      socket.frames
        .filter(({ type }) => type !== 'ready' && type !== 'unread')
        .map(({ type, exam_id }) => [type, exam_id]),
    ).toEqual([
      ['help_locked', one.examId],
      ['help_locked', other.examId],
      ['help_unlocked', one.examId],
      ['help_unlocked', other.examId],
      ['resync', undefined],
    ])
    await alice.get('/api/v01/chat/unread', 200)
  })

  test.each(['reset', 'deletion', 'turning it off'])(
    'ends by %s, which sockets are told within a second',
    async (what) => {
      const { examId } = await lockingExam({ max_attempts: 3 })
      const alice = await service.person()
      const socket = await elsewhere(alice).socket()
      await start(alice, examId)
      await socket.waitFor(({ type }) => type === 'help_locked', 1_000)
      await alice.get('/api/v01/chat/unread', 403)
      const exam = `/api/v01/admin/exams/${examId}` as const
      if (what === 'deletion') await admin.delete(exam, 200)
      else if (what === 'reset')
        await admin.post(
          '/api/v01/admin/attempts/modify',
          { student_id: alice.id, exam_id: examId, action: 'reset' },
          200,
        )
      else await admin.patch(exam, { lock_help: false }, 200)
      await alice.get('/api/v01/chat/unread', 200)
      await socket.waitFor(({ type }) => type === 'resync', 1_000)
      if (what !== 'turning it off') return
      await admin.patch(exam, { lock_help: true }, 200)
      await socket.until(() => socket.of('help_locked').length === 2, 1_000)
      await alice.get('/api/v01/chat/unread', 403)
    },
  )

  test('is for students only, and only for exams that lock help', async () => {
    const locking = await lockingExam()
    const open = await createExam(service.sql)
    const alice = await service.person()
    await start(admin, locking.examId)
    await start(alice, open.examId)
    for (const person of [admin, alice]) {
      const socket = await person.socket()
      expect(socket.frames[0]).toMatchObject({ unread: expect.any(Number), requests: 0 })
      await person.get('/api/v01/chat/unread', 200)
      expect(socket.of('help_locked')).toEqual([])
    }
    await submit(admin, locking.examId)
  })

  test('covers the library, other people’s public notes and the results of earlier attempts at the exam', async () => {
    const { examId } = await lockingExam()
    const other = await createExam(service.sql)
    const [alice, bob] = [await service.person(), await service.person()]
    const notebook = (await bob.post('/api/v01/notebooks', { title: 'Answers', is_public: true }, 201)).body
      .notebook
    const mine = (await alice.post('/api/v01/notebooks', { title: 'Mine', is_public: true }, 201)).body
      .notebook
    const earlier = (await start(alice, examId)).body.attempt_id
    await submit(alice, examId)
    const elsewhereTaken = (await start(alice, other.examId)).body.attempt_id
    await submit(alice, other.examId)
    await alice.get(`/api/v01/attempts/${earlier}`, 200)
    await start(alice, examId)
    for (const path of [
      `/api/v01/attempts/${earlier}`,
      `/api/v01/notebooks/${notebook.id}`,
      `/api/v01/notebooks/${notebook.id}/pages`,
      `/api/v01/notebooks/${notebook.id}/print`,
    ])
      expect((await alice.get(path, 403)).body).toMatchObject({ code: 'exam_in_progress', exam_id: examId })
    await alice.get(`/api/v01/notebooks/${mine.id}`, 200)
    await alice.get(`/api/v01/attempts/${elsewhereTaken}`, 200)
    await submit(alice, examId)
    await alice.get(`/api/v01/attempts/${earlier}`, 200)
  })
})

test('without a lock, a send needs no additional statement', async () => {
  const alone = await startService()
  try {
    await createExam(alone.sql, { lock_help: true })
    const [alice, bob] = [await alone.person(), await alone.person()]
    const conversationId = await connect(alice, bob)
    const client = (alone.nodes[0] as TestService['nodes'][number]).core.db.$client
    const statements = vi.spyOn(client, 'unsafe')
    const SENDS = 30
    for (let count = 0; count < SENDS; count++) await alice.send(conversationId, 'Hello', undefined, 201)
    const counts = new Map<string, number>()
    for (const [statement] of statements.mock.calls) {
      const [text = ''] = statement.split(' -- plan ')
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    statements.mockRestore()
    // Statements of background work are less frequent.
    const often = [...counts].filter(([, count]) => count >= SENDS / 2)
    expect(often).toEqual([[expect.stringContaining('insert into messages'), SENDS]])
  } finally {
    await alone.close()
  }
})

test('without the bus the lock is as exact, and frames stop within a second on the other node', async () => {
  // Two nodes that share only the database, as during an outage of Redis.
  const apart = await startService({ nodes: 2, config: { redisUrl: undefined } as object })
  try {
    const { examId } = await createExam(apart.sql, { lock_help: true })
    const [alice, bob] = [await apart.person(), await apart.person()]
    const [here, there] = [alice, alice.at(apart.urls[1] as string)]
    const conversationId = await connect(alice, bob)
    const socket = await there.socket()
    await start(here, examId)
    expect((await there.send(conversationId, 'Psst')).status).toBe(403)
    await socket.waitFor(({ type }) => type === 'help_locked', 1_000)
    const seen = socket.frames.length
    await bob.at(apart.urls[1] as string).send(conversationId, 'C', undefined, 201)
    await submit(here, examId)
    await there.send(conversationId, 'At last', undefined, 201)
    await socket.waitFor(({ type }) => type === 'resync', 1_000)
    const between = socket.frames.slice(
      seen,
      socket.frames.findIndex(({ type }) => type === 'help_unlocked'),
    )
    expect(between.filter(({ type }) => !SENT.includes(type))).toEqual([])
  } finally {
    await apart.close()
  }
})

test('the lock ends by itself 30 s after the end of the exam, at the first request', async () => {
  let now = Date.now()
  const timed = await startService({ clock: () => now })
  try {
    const { examId } = await createExam(timed.sql, { lock_help: true, duration_minutes: 1 })
    const [alice, bob] = [await timed.person(), await timed.person()]
    const conversationId = await connect(alice, bob)
    await start(alice, examId)
    const socket = await alice.socket()
    now += 90_000
    await alice.send(conversationId, 'Too early', undefined, 403)
    now += 1
    await alice.send(conversationId, 'At last', undefined, 201)
    await socket.waitFor(({ type }) => type === 'resync', 2_000)
  } finally {
    await timed.close()
  }
})
