import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { connect, connectedPair, type SharedService, sharedService } from '../support/service.ts'
import type { Frame } from '../support/socket.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const CHAT = '/api/v01/chat'

async function makeGroup(size: number) {
  const people = await Promise.all(Array.from({ length: size }, () => service.person()))
  const [owner, ...others] = people as [Client, ...Client[]]
  for (const other of others) await connect(owner, other)
  const { body } = await owner.post(
    `${CHAT}/groups`,
    { name: 'Study group', member_ids: others.map(({ id }) => id) },
    201,
  )
  return { owner, others, id: body.conv_id as number, conversation: body.conversation }
}

const about = (id: number) => (frame: Frame) => frame.type === 'conversation' && frame.conversation.id === id

function latestOf(frames: Frame[]): number {
  const versions = frames.flatMap(({ type, message, conversation }) =>
    type === 'message' ? message.version : type === 'conversation' ? conversation.version : [],
  )
  return Math.max(...versions)
}

describe('groups', () => {
  test('are announced to all members, and carry messages to all', async () => {
    const [owner, one, other] = await Promise.all([service.person(), service.person(), service.person()])
    await connect(owner, one)
    await connect(owner, other)
    const sockets = await Promise.all([owner.socket(), one.socket(), other.socket()])
    const { body } = await owner.post(`${CHAT}/groups`, { name: 'Trio', member_ids: [one.id, other.id] }, 201)
    expect(body.conversation).toMatchObject({ name: 'Trio', is_group: true, user_id: null, member_count: 3 })
    expect(body.conversation.members.map(({ is_owner }) => is_owner)).toEqual([true, false, false])
    for (const socket of sockets) await socket.waitFor(about(body.conv_id))
    await one.send(body.conv_id, 'hello all', undefined, 201)
    for (const socket of sockets)
      expect(await socket.waitFor(({ type }) => type === 'message')).toMatchObject({
        message: { message: 'hello all', sender_id: one.id },
      })
    // Members of a group see each other's presence even if they are not connected.
    expect(
      await sockets[1].waitFor(({ type, user_id }) => type === 'presence' && user_id === other.id),
    ).toMatchObject({
      online: true,
    })
  })

  test('take only accepted connections of the owner, 2 to 256 people', async () => {
    const { alice, bob } = await connectedPair(service)
    const stranger = await service.person()
    const refused = await alice.post(
      `${CHAT}/groups`,
      { name: 'No', member_ids: [bob.id, stranger.id, 999_999] },
      400,
    )
    expect(refused.body.code).toBe('not_connected')
    expect((refused.body.ids as number[]).sort()).toEqual([stranger.id, 999_999].sort())
    await alice.post(`${CHAT}/groups`, { name: 'Alone', member_ids: [alice.id] }, 400)
    await alice.post(`${CHAT}/groups`, { name: 'Alone', member_ids: [] }, 400)
    await alice.post(`${CHAT}/groups`, { name: ' ', member_ids: [bob.id] }, 400)
    await bob.put(`${CHAT}/blocks/${alice.id}`, {}, 200)
    await alice.post(`${CHAT}/groups`, { name: 'Blocked', member_ids: [bob.id] }, 400)
  })

  test('are changed by their owner alone, and strangers can’t tell that they exist', async () => {
    const { owner, others, id } = await makeGroup(3)
    const [one, other] = others as [Client, Client]
    const stranger = await service.person()
    expect((await one.patch(`${CHAT}/groups/${id}`, { name: 'Mine' }, 403)).body.code).toBe('owner_only')
    await one.post(`${CHAT}/groups/${id}/members`, { member_ids: [other.id] }, 403)
    await one.delete(`${CHAT}/groups/${id}/members/${other.id}`, 403)
    await stranger.patch(`${CHAT}/groups/${id}`, { name: 'Mine' }, 404)
    await stranger.delete(`${CHAT}/groups/${id}/members/${stranger.id}`, 404)
    const direct = await connect(one, other)
    await one.patch(`${CHAT}/groups/${direct}`, { name: 'No group' }, 404)
    await one.delete(`${CHAT}/groups/${direct}/members/${one.id}`, 404)

    const socket = await one.socket()
    await owner.patch(`${CHAT}/groups/${id}`, { name: 'Renamed' }, 200)
    expect(await socket.waitFor(about(id))).toMatchObject({ conversation: { name: 'Renamed', version: 1 } })
  })

  test('are sent with the version of the last message that was sent, though the name changes while everybody writes', async () => {
    const { owner, others, id } = await makeGroup(3)
    const socket = await (others[0] as Client).socket()
    const changes = Array.from({ length: 12 }, (_, n) => [
      owner.patch(`${CHAT}/groups/${id}`, { name: `Name ${n}` }, 200),
      ...others.map((person) => person.send(id, `message ${n}`, undefined, 201)),
    ])
    await Promise.all(changes.flat())
    await socket.until(() => socket.of('message').length === 24 && latestOf(socket.frames) === 36)
    for (const [at, { type, conversation }] of socket.frames.entries())
      if (type === 'conversation') {
        const later = socket.frames.slice(at).filter((frame) => frame.type === 'message')
        expect(Math.min(...later.map(({ message }) => message.version))).toBeGreaterThan(conversation.version)
      }
  })

  test('show a new member the history, with nothing unread', async () => {
    const { owner, id } = await makeGroup(2)
    const late = await service.person()
    await connect(owner, late)
    await owner.send(id, 'before')
    const socket = await late.socket()
    const added = await owner.post(`${CHAT}/groups/${id}/members`, { member_ids: [late.id, owner.id] }, 200)
    expect(added.body.conversation).toMatchObject({ member_count: 3, version: 2 })
    const again = await owner.post(`${CHAT}/groups/${id}/members`, { member_ids: [late.id] }, 200)
    expect(again.body.conversation.version).toBe(2)
    expect(await socket.waitFor(about(id))).toMatchObject({ conversation: { unread: 0, last_read_seq: 1 } })
    const { body } = await late.get(`${CHAT}/conversations/${id}/messages?peek=true`, 200)
    expect(body.messages).toHaveLength(1)
    await owner.send(id, 'after')
    await socket.waitFor(({ type, message }) => type === 'message' && message.seq === 2)
  })

  test('pass to the longest-standing member when the owner leaves, and end with the last one', async () => {
    const { owner, others, id } = await makeGroup(3)
    const [next, last] = others as [Client, Client]
    await owner.delete(`${CHAT}/groups/${id}/members/${owner.id}`, 200)
    await owner.get(`${CHAT}/conversations/${id}`, 404)
    const { body } = await last.get(`${CHAT}/conversations/${id}`, 200)
    expect(body.conversation.members).toMatchObject([
      { id: next.id, is_owner: true },
      { id: last.id, is_owner: false },
    ])
    await next.delete(`${CHAT}/groups/${id}/members/${last.id}`, 200)
    const socket = await next.socket()
    await next.delete(`${CHAT}/groups/${id}/members/${next.id}`, 200)
    expect(await socket.waitFor(about(id))).toMatchObject({ removed: true })
    expect(await service.sql`select id from conversations where id = ${id}`).toEqual([])
  })

  test('keep an owner if the owner and members leave at once', async () => {
    const { owner, others, id } = await makeGroup(4)
    await Promise.all(
      [owner, ...others.slice(0, 2)].map((person) =>
        person.delete(`${CHAT}/groups/${id}/members/${person.id}`, 200),
      ),
    )
    const [left] = others.slice(2) as [Client]
    const { body } = await left.get(`${CHAT}/conversations/${id}`, 200)
    expect(body.conversation).toMatchObject({ version: 3, members: [{ id: left.id, is_owner: true }] })
  })
})

describe('somebody who was removed', () => {
  test('gets no later message, neither live nor by resume', async () => {
    const { owner, others, id } = await makeGroup(3)
    const [gone, stays] = others as [Client, Client]
    const [his, theirs] = await Promise.all([gone.socket(), stays.socket()])
    await owner.send(id, 'for all')
    // Messages are being sent while the removal happens.
    const sending = Promise.all(Array.from({ length: 20 }, (_, n) => owner.send(id, `message ${n}`)))
    await owner.delete(`${CHAT}/groups/${id}/members/${gone.id}`, 200)
    await sending
    await owner.send(id, 'not for him')
    await theirs.waitFor(({ type, message }) => type === 'message' && message.message === 'not for him')
    await his.waitFor(({ type, removed }) => type === 'conversation' && removed === true)

    const [removal] = await service.sql`select members_version from conversations where id = ${id}`
    const versions = his.of('message').map(({ message }) => message.version)
    expect(Math.max(...versions)).toBeLessThan(removal?.members_version)
    expect(his.frames.at(-1)?.type === 'message').toBe(false)
    expect(await his.ask({ type: 'resume', conversations: { [id]: 1 } })).toMatchObject({ type: 'ack' })
    expect(his.of('message').map(({ message }) => message.version)).toEqual(versions)
    expect(his.frames.filter(({ removed }) => removed)).toHaveLength(2)
    expect(await his.ask({ type: 'send', conversation_id: id, message: 'let me in' })).toMatchObject({
      type: 'error',
      code: 'not_found',
    })
    await gone.get(`${CHAT}/conversations/${id}/changes?since=0`, 404)
    expect((await gone.get(`${CHAT}/unread`, 200)).body.unread).toBe(0)

    await owner.post(`${CHAT}/groups/${id}/members`, { member_ids: [gone.id] }, 200)
    await his.waitFor(
      ({ type, conversation, removed }) => type === 'conversation' && conversation.id === id && !removed,
    )
    await owner.send(id, 'welcome back')
    await his.waitFor(({ type, message }) => type === 'message' && message.message === 'welcome back')
  })

  test('a message sent before new members were told of the group counts as unread for them', async () => {
    const { owner, id } = await makeGroup(2)
    const added = await Promise.all(Array.from({ length: 12 }, () => service.person()))
    for (const person of added) await connect(owner, person)
    const sockets = await Promise.all(added.map((person) => person.socket()))
    const adding = owner.post(
      `${CHAT}/groups/${id}/members`,
      { member_ids: added.map((each) => each.id) },
      200,
    )
    await untilVersion(id, 1)
    await owner.send(id, 'at once')
    await adding
    for (const socket of sockets) await socket.until(() => socket.of('unread').at(-1)?.unread === 1)
  })

  /** Waits in the database for the commit of a change, which comes before its answer. */
  async function untilVersion(id: number, version: number): Promise<void> {
    for (;;) {
      const [row] = await service.sql`select version from conversations where id = ${id}`
      if (row?.version >= version) return
    }
  }
})

describe('a deleted account', () => {
  test('leaves the ghost in direct conversations, and passes its groups on', async () => {
    const { owner, others, id } = await makeGroup(3)
    const [one] = others as [Client]
    const { conversations } = (await one.get(`${CHAT}/conversations`, 200)).body
    const direct = Number(conversations.find(({ user_id }) => user_id === owner.id)?.id)
    await owner.send(direct, 'mine', 'a0000000-0000-4000-8000-000000000000')
    const [origin] = (await one.get(`${CHAT}/conversations/${direct}/messages`, 200)).body.messages
    await one.post(
      `${CHAT}/conversations/${direct}/messages`,
      { message: 'yours', reply_to_id: Number(origin?.id) },
      201,
    )
    const asked = await service.person()
    await owner.post(`${CHAT}/connections`, { recipient_id: asked.id }, 201)
    const [socket, theirs] = await Promise.all([one.socket(), asked.socket()])
    await owner.delete('/api/v01/account', 200, { confirm: 'DELETE' })

    expect(await socket.waitFor(about(direct))).toMatchObject({
      conversation: { user_id: -1, name: 'Deleted Account', can_send: false, conn_id: null, version: 3 },
    })
    expect(await socket.waitFor(about(id))).toMatchObject({ conversation: { member_count: 2 } })
    const { body } = await one.get(`${CHAT}/conversations/${direct}/messages`, 200)
    expect(body.messages).toMatchObject([
      { message: 'mine', sender_id: -1, sender_name: 'Deleted Account' },
      { message: 'yours', sender_id: one.id, reply_to_name: 'Deleted Account' },
    ])
    await theirs.waitFor(({ type, requests }) => type === 'unread' && requests === 0)
    await one.send(direct, 'anybody?', undefined, 403)
    const group = await one.get(`${CHAT}/conversations/${id}`, 200)
    expect(group.body.conversation.members[0]).toMatchObject({ id: one.id, is_owner: true })

    await one.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    expect(await service.sql`select id from conversations where id = ${direct}`).toEqual([])
  })

  test('is deleted even if another deleted account used the same client_ids', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const clientId = 'b0000000-0000-4000-8000-000000000000'
    await alice.send(conversationId, 'one', clientId, 201)
    await bob.send(conversationId, 'other', clientId, 201)
    for (const person of [alice, bob]) await person.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    expect(await service.sql`select id from messages where conversation_id = ${conversationId}`).toEqual([])
  })
})
