import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client, PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { compareCounts } from '../support/counts.ts'
import { holdLocks } from '../support/locks.ts'
import { connect, connectedPair, startService, type TestService } from '../support/service.ts'

const PATH = '/api/v01/account'

let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

/** Messages as somebody would have written them in years. */
async function insertMessages(conversationId: number, { id }: Client, count: number): Promise<void> {
  await service.sql`
    insert into messages (conversation_id, seq, version, sender_id, client_id, message, created_at)
    select c.id, c.last_seq + n, c.version + n, ${id}, gen_random_uuid(), 'text', now() + n * interval '1 ms'
      from conversations c, generate_series(1, ${count}::int) n where c.id = ${conversationId}`
  await service.sql`
    update conversations set last_seq = last_seq + ${count}, version = version + ${count} where id = ${conversationId}`
}

async function isLeft({ id }: Client): Promise<boolean> {
  const rows = await service.sql`select id from users where id = ${id}`
  return rows.length > 0
}

async function countErased(url: string): Promise<number> {
  const { body: text } = await (await Client.guest(url)).get('/metrics', 200)
  return Number(/^accounts_erased_total (\d+)$/m.exec(text)?.[1])
}

test('an account is gone at once though its messages are locked, and they are erased later though a connection is lost', async () => {
  const { alice, bob, conversationId } = await connectedPair(service, [0, 1])
  const carol = await service.person(undefined, 1)
  const { conn_id } = (await alice.post('/api/v01/chat/connections', { recipient_id: carol.id }, 201)).body
  await alice.send(conversationId, 'mine', undefined, 201)
  const { questionIds } = await createExam(service.sql)
  await alice.post(`/api/v01/discussions/${questionIds[0]}`, { message: 'mine' }, 201)
  const { notebook } = (await alice.post('/api/v01/notebooks', { title: 'Public', is_public: true }, 201))
    .body
  const admin = await service.admin(undefined, 1)
  const { total_users } = (await admin.get('/api/v01/admin/users/counts', 200)).body
  const before = await countErased(alice.url)

  const release = await holdLocks(
    service.sql,
    (tx) => tx`select from messages where conversation_id = ${conversationId} for update`,
  )
  await alice.delete(PATH, 200, { confirm: 'DELETE' })
  expect(await isLeft(alice)).toBe(true)

  await expect.poll(async () => (await alice.get('/api/v01/auth/me')).status).toBe(401)
  for (const username of [alice.username, `${alice.username}@example.org`])
    await service.guest(1).post('/api/v01/auth/login', { username, password: PASSWORD }, 401)
  await service.person(alice.username, 1)
  await bob.get(`/api/v01/library/${notebook.id}`, 404)
  await bob.post('/api/v01/chat/connections', { recipient_id: alice.id }, 404)
  await bob.put(`/api/v01/chat/blocks/${alice.id}`, undefined, 404)
  await carol.post(`/api/v01/chat/connections/${conn_id}/respond`, { action: 'accept' }, 404)
  expect((await carol.get('/api/v01/chat/connections/requests', 200)).body.requests).toEqual([])
  for (const q of ['Deleted', alice.username]) {
    const found = (await bob.get(`/api/v01/chat/users?q=${q}`, 200)).body.users
    expect(found).not.toContainEqual(expect.objectContaining({ id: alice.id }))
    const listed = (await admin.get(`/api/v01/admin/users?q=${q}`, 200)).body.users
    expect(listed).not.toContainEqual(expect.objectContaining({ id: alice.id }))
  }
  await admin.post('/api/v01/admin/users/role', { user_id: alice.id, new_role: 'admin' }, 404)
  // One person less, and one more: the new account of the same name.
  expect((await admin.get('/api/v01/admin/users/counts', 200)).body.total_users).toBe(total_users)
  const { messages } = (await bob.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body
  expect(messages).toMatchObject([{ message: 'mine', sender_name: 'Deleted Account' }])

  const { comments } = (await bob.get(`/api/v01/discussions/${questionIds[0]}`, 200)).body
  expect(comments).toMatchObject([{ message: 'mine', username: 'Deleted Account' }])

  // The connection that waits for the lock in order to erase is lost.
  for (const { pid } of await service.lockWaits()) await service.sql`select pg_terminate_backend(${pid})`
  await release()
  await expect.poll(() => isLeft(alice)).toBe(false)
  expect(await countErased(alice.url)).toBe(before + 1)
  const after = (await bob.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body
  expect(after.messages).toMatchObject([{ message: 'mine', sender_id: -1, sender_name: 'Deleted Account' }])
  expect((await bob.send(conversationId, 'hello?', undefined, 403)).body.code).toBe('not_connected')
  const { kept, counted } = await compareCounts(service.sql)
  expect(kept).toEqual(counted)
})

test('nobody waits while tens of thousands of messages and thousands of groups are erased', async () => {
  const { alice, bob, conversationId } = await connectedPair(service, [0, 1])
  const carol = await service.person(undefined, 1)
  await connect(carol, alice)
  await connect(carol, bob)
  const member_ids = [alice.id, bob.id]
  const { conversation } = (await carol.post('/api/v01/chat/groups', { name: 'All of us', member_ids }, 201))
    .body
  await insertMessages(conversation.id, alice, 20_000)
  await insertMessages(conversationId, bob, 5_000)
  // Of the groups that she owns, half are hers alone; the others pass to Bob.
  await service.sql`
    with made as (
      insert into conversations (is_group, name, creator_id)
      select true, 'Group ' || n, ${alice.id} from generate_series(1, 2000) n returning id
    ), own as (
      insert into conversation_members (conversation_id, user_id, joined_at)
      select id, ${alice.id}, now() - interval '1 day' from made
    )
    insert into conversation_members (conversation_id, user_id) select id, ${bob.id} from made where id % 2 = 0`
  const [origin] = (await bob.get(`/api/v01/chat/conversations/${conversation.id}/messages`, 200)).body
    .messages
  const quoting = await bob.post(
    `/api/v01/chat/conversations/${conversation.id}/messages`,
    { message: 'yes', reply_to_id: Number(origin?.id) },
    201,
  )

  const deleting = alice.delete(PATH, 200, { confirm: 'DELETE' })
  let longest = 0
  for (let left = true; left; left = await isLeft(alice)) {
    const began = performance.now()
    await carol.send(conversation.id, 'still here', undefined, 201)
    longest = Math.max(longest, performance.now() - began)
  }
  await deleting
  expect(longest).toBeLessThan(1_000)

  const [left] = await service.sql`
    select (select count(*)::int from messages where sender_id = ${alice.id}) as messages,
           (select count(*)::int from conversation_members where user_id = ${alice.id}) as members,
           (select count(*)::int from conversations c
             where not exists (select from conversation_members where conversation_id = c.id)) as empty,
           (select count(*)::int from conversations where name like 'Group %') as groups,
           (select reply_to_name from messages where id = ${quoting.body.message.id}) as quoted`
  expect(left).toEqual({ messages: 0, members: 0, empty: 0, groups: 1_000, quoted: 'Deleted Account' })
  const [group] = await service.sql`select id from conversations where name like 'Group %' limit 1`
  await bob.patch(`/api/v01/chat/groups/${group?.id}`, { name: 'Mine now' }, 200)
})

test('a reply to one’s own message quotes the ghost after the deletion', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const first = (await alice.send(conversationId, 'one', undefined, 201)).body.message
  const path = `/api/v01/chat/conversations/${conversationId}/messages` as const
  await alice.post(path, { message: 'two', reply_to_id: first.id }, 201)
  await alice.delete(PATH, 200, { confirm: 'DELETE' })
  expect((await bob.get(path, 200)).body.messages[1]).toMatchObject({ reply_to_name: 'Deleted Account' })
})
