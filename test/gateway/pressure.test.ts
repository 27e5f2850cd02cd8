import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Client } from '../support/client.ts'
import { holdLocks } from '../support/locks.ts'
import { memoryInUse } from '../support/memory.ts'
import { connect, connectedPair, startService, type TestService } from '../support/service.ts'
import { refusedUpgrade, type TestSocket } from '../support/socket.ts'

// Bounds of what one person's sockets may cost, over all nodes.
let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

async function dial({ accessToken }: Client, node = 0, path = '/api/v01/ws'): Promise<WebSocket | undefined> {
  const url = (service.urls[node] as string).replace('http', 'ws')
  const ws = new WebSocket(url + path, { headers: { authorization: `Bearer ${accessToken}` } })
  ws.on('error', () => {})
  onTestFinished(() => ws.terminate())
  await Promise.race([once(ws, 'open'), once(ws, 'unexpected-response'), once(ws, 'close')])
  return ws.readyState === ws.OPEN ? ws : undefined
}

test('a person has at most 50 open sockets, over all nodes', async () => {
  const person = await service.person()
  const dialled = await Promise.all(Array.from({ length: 60 }, (_, n) => dial(person, n % 2)))
  const open = dialled.filter((ws) => ws !== undefined)
  expect(open).toHaveLength(50)
  expect(await refusedUpgrade({ url: service.urls[0] as string, token: person.accessToken })).toMatchObject({
    status: 429,
    body: { success: false, code: 'too_many', retry_after: expect.any(Number) },
  })
  // Other people are not affected, and when one socket closes, another can be opened.
  expect(await dial(await service.person())).toBeDefined()
  open[0]?.close()
  await expect.poll(() => dial(person, 1)).toBeDefined()
})

test('sockets can be opened at one address only', async () => {
  const person = await service.person()
  for (const path of [
    '/',
    '/healthz',
    '/api/v01/chat/unread',
    '/api/v01/ws/x',
    '/docs',
    '/files/a',
    '/nowhere',
  ])
    expect(await dial(person, 0, path), path).toBeUndefined()
})

test('subscriptions are limited per person, over all of their sockets', async () => {
  const admin = await service.admin()
  const exam = (await admin.post('/api/v01/admin/exams', { name: 'Long', is_published: true }, 201)).body.exam
    .id
  const questions = Array.from({ length: 201 }, () => ({
    question_text: 'Which?',
    option_a: 'a',
    option_b: 'b',
    correct_answer: 'A',
  }))
  await admin.post('/api/v01/admin/questions/bulk-add', { exam_id: exam, questions }, 201)
  const rows = await service.sql`select id from questions where exam_id = ${exam} order by id`
  const topics = rows.map(({ id }) => `question:${id}`)
  const person = await service.person()
  // Four sockets, since one may not send so many frames in ten seconds.
  const sockets = await Promise.all(
    [0, 1, 0, 1].map((node) => person.at(service.urls[node] as string).socket()),
  )
  const socketOf = (at: number) => sockets[at % sockets.length] as TestSocket
  const subscribe = (at: number) => socketOf(at).ask({ type: 'subscribe', topic: topics[at] as string })
  for (let at = 0; at < 200; at++) expect(await subscribe(at)).toMatchObject({ type: 'ack' })
  expect(await subscribe(200)).toMatchObject({ type: 'error', code: 'too_many' })
  await socketOf(1).ask({ type: 'unsubscribe', topic: topics[1] as string })
  await expect.poll(async () => (await subscribe(200)).type).toBe('ack')
})

test('frames behind a resume whose answer nobody reads are not read', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  for (let n = 0; n < 450; n += 50)
    await Promise.all(Array.from({ length: 50 }, () => alice.send(conversationId, 'x'.repeat(4_000))))
  const ws = (await dial(bob)) as WebSocket
  // From here on the client reads nothing.
  ws.pause()
  ws.send(JSON.stringify({ type: 'resume', conversations: { [conversationId]: 1 } }))
  const before = process.memoryUsage().heapUsed
  const junk = {
    type: 'typing',
    conversation_id: conversationId,
    ...Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`u${n}`, n])),
  }
  const frame = JSON.stringify(junk)
  for (let n = 0; n < 90; n++) {
    ws.send(frame)
    await setTimeout(20)
  }
  expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(100)
  // Other sockets, also of the same person, are still served.
  const socket = await bob.socket()
  expect(await socket.ask({ type: 'read', conversation_id: conversationId })).toMatchObject({ type: 'ack' })
  // When the client reads again, everything is answered.
  const frames: { type: string; ref?: string }[] = []
  ws.on('message', (data) => frames.push(JSON.parse(data.toString())))
  ws.send(JSON.stringify({ type: 'ping', ref: randomUUID() }))
  ws.resume()
  await expect.poll(() => frames.some(({ type }) => type === 'pong')).toBe(true)
}, 120_000)

/** The milliseconds of the slowest of a person's requests and frames, sent one after another until `done`. */
async function slowestOf(person: Client, conversationId: number, done: Promise<unknown>): Promise<number> {
  const socket = await person.socket()
  let isOver = false
  const over = done.finally(() => {
    isOver = true
  })
  let slowest = 0
  while (!isOver) {
    for (const ask of [
      () => person.get('/api/v01/chat/unread', 200),
      () => socket.ask({ type: 'read', conversation_id: conversationId }),
    ]) {
      const began = performance.now()
      await ask()
      slowest = Math.max(slowest, performance.now() - began)
    }
    // Stays below the limit of 100 frames in ten seconds.
    await setTimeout(150)
  }
  await over
  return slowest
}

test('whatever one person’s sockets ask for at once, others are answered while it waits for a row', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const sockets = await Promise.all(Array.from({ length: 20 }, () => alice.socket()))
  const release = await holdLocks(
    service.sql,
    (tx) => tx`select from conversation_members where user_id = ${alice.id} for update`,
  )
  await bob.send(conversationId, 'unread', undefined, 201)
  const reads = sockets.map((socket) => socket.ask({ type: 'read', conversation_id: conversationId }))
  await expect.poll(service.lockWaits).not.toHaveLength(0)
  expect(await slowestOf(bob, conversationId, setTimeout(1_500))).toBeLessThan(1_000)
  await release()
  for (const { type } of await Promise.all(reads)) expect(type).toBe('ack')
})

test('20 sockets of one person that resume thousands of conversations at once make nobody else wait', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  await service.sql`
    with made as (
      insert into conversations (is_group, name) select true, 'Group ' || n from generate_series(1, 2000) n returning id
    ) insert into conversation_members (conversation_id, user_id) select id, ${alice.id} from made`
  const sockets = await Promise.all(Array.from({ length: 20 }, () => alice.socket()))
  const resumes = Promise.all(
    sockets.map(async (socket) => {
      const ref = randomUUID()
      socket.send({ type: 'resume', ref, conversations: {} })
      await socket.waitFor((frame) => frame.ref === ref, 100_000)
      const told = socket.of('conversation').map(({ conversation }) => conversation.id)
      expect(new Set(told).size).toBe(2_001)
    }),
  )
  expect(await slowestOf(bob, conversationId, resumes)).toBeLessThan(1_000)
}, 120_000)

test('many sends of one person over two nodes, some to a locked conversation, make nobody else wait', async () => {
  const { alice, conversationId: theirs } = await connectedPair(service)
  const { bob, alice: carol, conversationId } = await connectedPair(service, [0, 1])
  const dan = await service.person()
  const held = await connect(alice, dan)
  const sockets = await Promise.all(
    Array.from({ length: 24 }, (_, n) => alice.at(service.urls[n % 2] as string).socket()),
  )
  const release = await holdLocks(
    service.sql,
    (tx) => tx`select from conversations where id = ${held} for update`,
  )
  // 15 each, which is below the limit of 100 frames in ten seconds.
  const sends = sockets.flatMap((socket, at) =>
    Array.from({ length: 15 }, async (_, n) => {
      const ref = `${at} ${n}`
      // A quarter of them wait for the locked row.
      const conversation_id = at % 4 === 0 ? held : theirs
      socket.send({ type: 'send', ref, conversation_id, message: ref })
      return socket.waitFor((frame) => frame.ref === ref, 60_000)
    }),
  )
  const his = await bob.socket()
  const hers = await carol.socket()
  let slowest = 0
  for (let n = 0; n < 20; n++)
    for (const socket of [his, hers]) {
      const began = performance.now()
      const frame = { type: 'send', conversation_id: conversationId, message: `${n}` }
      expect(await socket.ask(frame)).toMatchObject({ type: 'ack' })
      slowest = Math.max(slowest, performance.now() - began)
    }
  expect(slowest).toBeLessThan(1_000)
  await release()
  for (const answer of await Promise.all(sends))
    expect(['ack', 'unavailable']).toContain(answer.type === 'ack' ? 'ack' : answer.code)
  // Each socket gets its answers in the order of its frames.
  for (const [at, socket] of sockets.entries()) {
    const refs = socket.frames.flatMap(({ ref }) => (typeof ref === 'string' ? [ref] : []))
    expect(refs).toEqual(Array.from({ length: 15 }, (_, n) => `${at} ${n}`))
  }
}, 90_000)

test('a person’s frame is read after only a few of the large frames of many sockets', async () => {
  const people = await Promise.all([service.person(), service.person()])
  const padding = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`u${n}`, 0]))
  const large = JSON.stringify({ type: 'ping', ...padding })
  const sockets = await Promise.all(
    people.flatMap((person) => Array.from({ length: 50 }, () => dial(person))),
  )
  let answered = 0
  for (const socket of sockets) socket?.on('message', () => (answered += 1))
  const other = await (await service.person()).socket()
  await other.ask({ type: 'ping' })
  const memoryBefore = await memoryInUse()
  const before = answered
  for (let n = 0; n < 6; n++) for (const socket of sockets) socket?.send(large)
  let mostBetween = 0
  while (answered < before + 600) {
    const then = answered
    expect(await other.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
    mostBetween = Math.max(mostBetween, answered - then)
    // Stays below the limit of 100 frames in ten seconds.
    await setTimeout(110)
  }
  expect(mostBetween).toBeLessThan(60)
  // The memory of waiting frames is freed.
  for (const socket of sockets) socket?.terminate()
  await expect.poll(async () => (await memoryInUse()) - memoryBefore).toBeLessThan(20)
}, 60_000)
