import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExam } from '../support/content/exams.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

const CHAT = '/api/v01/chat'

// Frames reach other people at a limited rate, whichever nodes their sender uses.
let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2, config: { chat: { sendIntervalMs: 2_000 } } })
})
afterAll(() => service.close())

test('edits, names, requests and blocks may follow one another, unlike messages', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { id } = (await alice.send(conversationId, 'first', undefined, 201)).body.message
  for (const message of ['second', 'third']) await alice.patch(`${CHAT}/messages/${id}`, { message }, 200)
  const { questionIds } = await createExam(service.sql)
  const { comment } = (await alice.post(`/api/v01/discussions/${questionIds[0]}`, { message: 'first' }, 201))
    .body
  for (const message of ['second', 'third'])
    await alice.patch(`/api/v01/discussions/comments/${comment.id}`, { message }, 200)
  const { conv_id } = (await alice.post(`${CHAT}/groups`, { name: 'Us', member_ids: [bob.id] }, 201)).body
  for (const name of ['One', 'Two']) await alice.patch(`${CHAT}/groups/${conv_id}`, { name }, 200)
  for (let n = 0; n < 2; n++) {
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    await alice.delete(`${CHAT}/blocks/${bob.id}`, 200)
  }
  const carol = await service.person()
  for (let n = 0; n < 2; n++) {
    const { body } = await carol.post(`${CHAT}/connections`, { recipient_id: bob.id }, 201)
    await carol.delete(`${CHAT}/connections/${body.conn_id}`, 200)
  }
})

test('a person makes at most twenty such changes a second; more wait', async () => {
  const { alice, conversationId } = await connectedPair(service)
  const { id } = (await alice.send(conversationId, 'hers', undefined, 201)).body.message
  const began = performance.now()
  await Promise.all(
    Array.from({ length: 21 }, (_, n) =>
      alice.patch(`${CHAT}/messages/${id}`, { message: `edit ${n}` }, 200),
    ),
  )
  expect(performance.now() - began).toBeGreaterThan(950)
})

test('typing is shown at most once a second, however many sockets send it', async () => {
  const { alice, bob, conversationId } = await connectedPair(service, [0, 1])
  const his = await bob.socket()
  const typing = { type: 'typing', conversation_id: conversationId }
  const sockets = await Promise.all(
    Array.from({ length: 10 }, (_, n) => alice.at(service.urls[n % 2] as string).socket()),
  )
  for (let n = 0; n < 50; n++) for (const socket of sockets) socket.send(typing)
  for (const socket of sockets) await socket.ask({ type: 'ping' })
  for (const socket of sockets) await socket.ask({ type: 'read', conversation_id: conversationId })
  await his.waitFor(({ type }) => type === 'typing')
  expect(his.of('typing').length).toBeLessThan(10)
  const before = his.of('typing').length
  await expect
    .poll(() => {
      sockets[0]?.send(typing)
      return his.of('typing').length
    })
    .toBeGreaterThan(before)
})

test('ending a connection again and again sends at most one more frame', async () => {
  const { alice, bob } = await connectedPair(service)
  const { body } = await alice.post(`${CHAT}/connections`, { recipient_id: bob.id }, 409)
  const his = await bob.socket()
  for (let n = 0; n < 10; n++) await alice.delete(`${CHAT}/connections/${body.conn_id}`, 200)
  await his.ask({ type: 'resume', conversations: {} })
  // From the end itself, from its first repetition, and from the resume.
  await his.until(() => his.of('conversation').length >= 2)
  // Long enough for further frames, if there were any.
  await setTimeout(200)
  expect(his.of('conversation').length).toBeLessThanOrEqual(3)
})

test('at most 1,000 people may be asked in a day', async () => {
  const [alice, bob] = [await service.person(), await service.person()]
  await service.sql`
    with people as (
      insert into users (username, email, full_name, role)
      select 'asked.' || n, 'asked.' || n || '@example.org', 'Asked', 'user' from generate_series(1, 999) n returning id
    ) insert into connections (requester_id, recipient_id, status) select ${alice.id}, id, 'ended' from people`
  const ask = (recipient_id: number, status: number) =>
    alice.post(`${CHAT}/connections`, { recipient_id }, status)
  const carol = await service.person()
  await ask(bob.id, 201)
  expect((await ask(carol.id, 409)).body).toMatchObject({ code: 'too_many' })
  // Those who were asked may still accept, and ask others.
  await bob.post(`${CHAT}/connections`, { recipient_id: alice.id }, 200)
  await bob.post(`${CHAT}/connections`, { recipient_id: carol.id }, 201)
  await service.sql`update connections set created_at = now() - interval '1 day' where requester_id = ${alice.id}`
  await ask(carol.id, 201)
})

test('one person may be asked five times in a day, however often the request is withdrawn', async () => {
  const [alice, bob] = [await service.person(), await service.person()]
  const ask = (status: number) => alice.post(`${CHAT}/connections`, { recipient_id: bob.id }, status)
  const withdraw = async (id: number) => alice.delete(`${CHAT}/connections/${id}`, 200)
  for (let n = 0; n < 5; n++) await withdraw((await ask(201)).body.conn_id)
  expect((await ask(409)).body.code).toBe('too_many')
  const { conn_id } = (await bob.post(`${CHAT}/connections`, { recipient_id: alice.id }, 201)).body
  await bob.delete(`${CHAT}/connections/${conn_id}`, 200)
  await service.sql`update connections set pushed_at = pushed_at - interval '1 day' where id = ${conn_id}`
  await ask(201)
})

test('a repeated send tells nothing to somebody who was removed from its group', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const made = await alice.post(`${CHAT}/groups`, { name: 'Us', member_ids: [bob.id] }, 201)
  const group = `${CHAT}/conversations/${made.body.conv_id}/messages` as const
  const send = { message: 'mine', client_id: randomUUID() }
  const { id } = (await bob.post(group, send, 201)).body.message
  expect((await bob.post(group, send, 200)).body.message.id).toBe(id)
  await alice.delete(`${CHAT}/groups/${made.body.conv_id}/members/${bob.id}`, 200)
  await alice.put(`${group}/${id}/reactions/${encodeURIComponent('👍')}`, {}, 200)
  await setTimeout(2_000)
  // Another send holds the pause, so that this one can only be a repeat.
  await bob.send(conversationId, 'elsewhere', undefined, 201)
  await bob.post(group, send, 429)
  await setTimeout(2_000)
  await bob.post(group, send, 404)
  // Nor where they may write: the name is taken.
  await bob.send(conversationId, 'mine', send.client_id, 404)
})
