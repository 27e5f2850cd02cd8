import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExam } from '../../support/content/exams.ts'
import { connectedPair, startService, type TestService } from '../../support/service.ts'

const CHAT = '/api/v01/chat'

// Frames reach other people at a limited rate, whichever nodes their sender uses.
let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2, config: { chat: { sendIntervalMs: 2_000 } } })
})
afterAll(() => service.close())

test('comments are edited at most once in two seconds; a refused edit does not count', async () => {
  const { questionIds } = await createExam(service.sql)
  const [alice, bob] = [await service.person(), await service.person()]
  const path = `/api/v01/discussions/${questionIds[0]}` as const
  const mine = (await alice.post(path, { message: 'first' }, 201)).body.comment
  const his = (await bob.post(path, { message: 'his' }, 201)).body.comment
  const edit = (by: typeof alice, id: number, status: number) =>
    by.patch(`/api/v01/discussions/comments/${id}`, { message: 'anew' }, status)
  await edit(alice, 999_999, 404)
  await edit(alice, his.id, 403)
  await edit(alice, mine.id, 200)
  const refused = await edit(alice.at(service.urls[1] as string), mine.id, 429)
  expect(refused.body).toMatchObject({ success: false, code: 'rate_limited', retry_after: 2 })
  await edit(bob, his.id, 200)
  // The interval.
  await setTimeout(2_000)
  await edit(alice, mine.id, 200)
})

test('groups are renamed at most once in two seconds', async () => {
  const { alice, bob } = await connectedPair(service)
  const { conv_id } = (await alice.post(`${CHAT}/groups`, { name: 'Us', member_ids: [bob.id] }, 201)).body
  await bob.patch(`${CHAT}/groups/${conv_id}`, { name: 'Mine' }, 403)
  await alice.patch(`${CHAT}/groups/${conv_id}`, { name: 'One' }, 200)
  const again = await alice.patch(`${CHAT}/groups/${conv_id}`, { name: 'Two' }, 429)
  expect(again.body).toMatchObject({ code: 'rate_limited', retry_after: 2 })
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
