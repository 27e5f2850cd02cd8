import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetDecided } from '../../src/features/reports/reports.service.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())

const PATH = '/api/v01/admin/reports'
const report = (by: Client, messageId: number, status?: number, reason = ' Rude ') =>
  by.post(`/api/v01/chat/messages/${messageId}/report`, { reason }, status)
const open = async (id: number) => {
  const { body } = await admin.get(`${PATH}?status=open`, 200)
  return body.reports.find((each) => each.id === id)
}

const core = () => (service.nodes[0] as (typeof service.nodes)[number]).core

test('a reported message is shown with the five before and after it; when it is deleted, a tombstone is left', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const ids: number[] = []
  for (let index = 0; index < 15; index++)
    ids.push((await alice.send(conversationId, `message ${index}`, undefined, 201)).body.message.id)
  const reported = ids[7] as number
  const first = await report(bob, reported, 201)
  expect(first.body).toEqual({ success: true, report_id: expect.any(Number) })
  expect((await report(bob, reported, 200)).body).toEqual(first.body)
  const id = first.body.report_id
  // The report keeps the text, even if its author edits the message.
  await alice.patch(`/api/v01/chat/messages/${reported}`, { message: 'nothing' }, 200)

  const person = (who: Client) => ({ id: who.id, username: who.username, full_name: who.username })
  const shown = await open(id)
  expect(shown).toMatchObject({
    kind: 'message',
    message_id: reported,
    comment_id: null,
    text: 'message 7',
    reason: 'Rude',
    status: 'open',
    note: null,
    resolved_by: null,
    resolved_at: null,
    author: { id: alice.id, username: alice.username },
    reporter: { id: bob.id, username: bob.username },
  })
  expect(Object.keys(shown?.author ?? {})).toEqual(Object.keys(person(alice)))
  expect(shown?.context.map((each) => each.id)).toEqual(ids.slice(2, 13))
  expect(shown?.context[5]).toMatchObject({ id: reported, is_reported: true, text: 'nothing' })

  const socket = await bob.socket()
  const resolved = await admin.post(`${PATH}/${id}/resolve`, { action: 'delete', note: 'Not here' }, 200)
  expect(resolved.body).toMatchObject({
    success: true,
    report: { id, status: 'deleted', note: 'Not here', resolved_by: admin.username, text: 'message 7' },
  })
  await socket.waitFor((frame) => {
    const text = JSON.stringify(frame)
    return text.includes(`"id":${reported}`) && text.includes('"is_deleted":true')
  })
  const { body } = await alice.get(`/api/v01/chat/conversations/${conversationId}/messages?limit=100`, 200)
  expect(body.messages[7]).toMatchObject({ id: reported, message: '', is_deleted: true, seq: 8 })
  const again = await admin.post(`${PATH}/${id}/resolve`, { action: 'dismiss' }, 409)
  expect(again.body.code).toBe('already_processed')
  await report(alice, reported, 404)

  // What was decided on stays as it was then, so that the decision can be reviewed.
  await alice.patch(`/api/v01/chat/messages/${ids[6] as number}`, { message: 'changed since' }, 200)
  const decided = async () =>
    (await admin.get(`${PATH}?status=deleted`, 200)).body.reports.find((each) => each.id === id)
  expect((await decided())?.context.map(({ text, is_reported }) => [text, is_reported])).toEqual(
    ids
      .slice(2, 13)
      .map((each, index) => [each === reported ? 'nothing' : `message ${index + 2}`, each === reported]),
  )
  await alice.delete('/api/v01/account', 200, { confirm: 'DELETE' })
  const authors = async () =>
    (
      await service.sql`select jsonb_path_query_array(context, '$[*].authorId') as ids from reports where id = ${id}`
    )[0]?.ids
  await expect.poll(authors, { timeout: PATIENCE_MS }).toEqual(Array(11).fill(-1))
  expect((await decided())?.context[0]?.author.username).toBe('Deleted Account')
  await service.sql`update reports set resolved_at = resolved_at - interval '89 days' where id = ${id}`
  await forgetDecided(core())
  expect(await decided()).toMatchObject({ text: 'message 7' })
  await service.sql`update reports set resolved_at = resolved_at - interval '1 day' where id = ${id}`
  await forgetDecided(core())
  expect(await decided()).toMatchObject({ text: '', context: [] })
})

test('a reported comment is shown with its neighbours; when the report is dismissed, the comment stays', async () => {
  const { questionIds } = await createExam(service.sql)
  const [alice, bob] = [await service.person(), await service.person()]
  const write = async (message: string, parent_id?: number) =>
    (
      await alice.post(
        `/api/v01/discussions/${questionIds[0]}`,
        { message, ...(parent_id ? { parent_id } : {}) },
        201,
      )
    ).body.comment.id as number
  const [one, two] = [await write('one'), await write('two')]
  const reply = await write('a reply', two)
  const file = (id: number, status: number) =>
    bob.post(`/api/v01/discussions/comments/${id}/report`, { reason: 'Wrong' }, status)
  const [first, second] = [(await file(one, 201)).body.report_id, (await file(two, 201)).body.report_id]
  expect((await open(second))?.context).toMatchObject([
    { id: one, text: 'one', is_reported: false },
    { id: two, text: 'two', is_reported: true },
    { id: reply, text: 'a reply', is_reported: false },
  ])
  await admin.post(`${PATH}/${first}/resolve`, { action: 'dismiss' }, 200)
  await admin.post(`${PATH}/${second}/resolve`, { action: 'delete' }, 200)
  const { body } = await bob.get(`/api/v01/discussions/${questionIds[0]}`, 200)
  expect(body.comments).toMatchObject([
    { id: one, message: 'one' },
    { id: two, message: '', replies: [{ id: reply, message: 'a reply' }] },
  ])
  const { reports } = (await admin.get(`${PATH}?status=dismissed`, 200)).body
  expect(reports.find(({ id }) => id === first)).toMatchObject({
    text: 'one',
    context: [{ id: one }, { id: two }, { id: reply }],
  })
  // The same report again, by somebody whose answer was lost.
  expect((await file(two, 200)).body.report_id).toBe(second)
  await file(999_999, 404)
})

test('only visible messages can be reported, with a reason, and at most 100 a day', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { body } = await alice.send(conversationId, 'hello', undefined, 201)
  const stranger = await service.person()
  await report(stranger, body.message.id, 404)
  await report(bob, body.message.id, 400, '  ')
  await report(bob, body.message.id, 400, 'x'.repeat(1_001))
  await bob.get(PATH, 403)
  await bob.post(`${PATH}/1/resolve`, { action: 'dismiss' }, 403)
  await admin.post(`${PATH}/999999/resolve`, { action: 'dismiss' }, 404)
  await service.sql`
    insert into reports (reporter_id, kind, author_id, reported_text, reason, status, created_at)
    select ${bob.id}, 'message', ${alice.id}, '', 'x', 'dismissed', now() - interval '23 hours' from generate_series(1, 99)`
  const two = (await alice.send(conversationId, 'two', undefined, 201)).body.message.id
  // Of two at once, the last one for today is taken.
  const statuses = (await Promise.all([report(bob, body.message.id), report(bob, two)])).map(
    ({ status }) => status,
  )
  expect(statuses.sort()).toEqual([201, 409])
})

test('of simultaneous decisions one holds; a deleted reporter is shown as the ghost', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { body } = await alice.send(conversationId, 'hello', undefined, 201)
  const id = (await report(bob, body.message.id, 201)).body.report_id
  await bob.delete('/api/v01/account', 200, { confirm: 'DELETE' })
  expect((await open(id))?.reporter).toMatchObject({ id: -1 })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => admin.post(`${PATH}/${id}/resolve`, { action: 'delete' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  const log = await admin.get(`/api/v01/admin/audit?subject=report:${id}`, 200)
  expect(log.body.entries).toMatchObject([{ action: 'report.resolve', actor_id: admin.id }])
})
