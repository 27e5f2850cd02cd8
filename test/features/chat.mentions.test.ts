import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { connect, connectedPair, type SharedService, sharedService } from '../support/service.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const CHAT = '/api/v01/chat'

async function mention(from: Client, conversationId: number, mentions: number[], message = 'look') {
  const path = `${CHAT}/conversations/${conversationId}/messages` as const
  return (await from.post(path, { message, mentions }, 201)).body.message
}

async function counted(person: Client, conversationId: number) {
  const [total, one] = await Promise.all([
    person.get(`${CHAT}/unread`, 200),
    person.get(`${CHAT}/conversations/${conversationId}`, 200),
  ])
  return [total.body.mentions, one.body.conversation.unread_mentions]
}

test('members are mentioned, others dropped, and each counts their own above the read pointer', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const stranger = await service.person()
  const his = await bob.socket()
  expect(his.of('ready')[0]).toMatchObject({ mentions: 0 })
  const first = await mention(alice, conversationId, [stranger.id, bob.id, alice.id, bob.id])
  expect(first.mentions).toEqual([bob.id, alice.id])
  await alice.send(conversationId, 'nobody', undefined, 201)
  await mention(alice, conversationId, [bob.id])
  await his.waitFor(({ type, mentions }) => type === 'unread' && mentions === 2)
  expect(await counted(bob, conversationId)).toEqual([2, 2])
  expect(await counted(alice, conversationId)).toEqual([0, 0])
  expect(await counted(stranger, await connect(alice, stranger))).toEqual([0, 0])

  await bob.patch(`${CHAT}/conversations/${conversationId}/settings`, { muted_until: '2999-01-01' }, 200)
  expect(await counted(bob, conversationId)).toEqual([2, 2])
  const ack = await his.ask({ type: 'resume', conversations: {} })
  expect(ack).toMatchObject({ mentions: 2, conversations: { [conversationId]: { unread_mentions: 2 } } })
  await bob.post(`${CHAT}/conversations/${conversationId}/read`, { up_to_seq: 1 }, 200)
  expect(await counted(bob, conversationId)).toEqual([1, 1])
  await his.waitFor(({ type, mentions }) => type === 'unread' && mentions === 1)
})

test('an edit leaves the mentions, changes them or takes them back; a deletion too', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { id } = await mention(alice, conversationId, [bob.id])
  const edit = async (change: object) =>
    (await alice.patch(`${CHAT}/messages/${id}`, { message: 'other', ...change }, 200)).body.message.mentions
  expect(await edit({})).toEqual([bob.id])
  expect(await edit({ mentions: [] })).toEqual([])
  expect(await counted(bob, conversationId)).toEqual([0, 0])
  expect(await edit({ mentions: [bob.id, 999_999] })).toEqual([bob.id])
  expect(await counted(bob, conversationId)).toEqual([1, 1])
  await alice.delete(`${CHAT}/messages/${id}`, 200)
  expect(await counted(bob, conversationId)).toEqual([0, 0])
  const path = `${CHAT}/conversations/${conversationId}/messages` as const
  const { messages } = (await bob.get(`${path}?peek=true`, 200)).body
  expect(messages).toMatchObject([{ is_deleted: true, mentions: [] }])
  const many = Array.from({ length: 51 }, (_, at) => at + 1)
  await alice.post(path, { message: 'all', mentions: many }, 400)
})

test('sends with and without mentions share statements, and a deleted account is mentioned nowhere', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      at % 2 ? mention(alice, conversationId, [bob.id]) : bob.send(conversationId, 'plain', undefined, 201),
    ),
  )
  const path = `${CHAT}/conversations/${conversationId}/messages?peek=true` as const
  const { messages } = (await alice.get(path, 200)).body
  expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
  expect(messages.filter(({ mentions }) => mentions.length > 0)).toHaveLength(10)
  await bob.delete('/api/v01/account', 200, { confirm: 'DELETE' })
  await expect
    .poll(async () => (await alice.get(path, 200)).body.messages.flatMap(({ mentions }) => mentions))
    .toEqual([])
  expect(await service.sql`select from mentions where conversation_id = ${conversationId}`).toHaveLength(0)
})
