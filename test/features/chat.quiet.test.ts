import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { connect, connectedPair, type SharedService, sharedService, withService } from '../support/service.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const CHAT = '/api/v01/chat'
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

const set = (person: Client, id: number, settings: object) =>
  person.patch(`${CHAT}/conversations/${id}/settings`, settings, 200)

async function listed(person: Client, query = '') {
  const { body } = await person.get(`${CHAT}/conversations${query}` as `${typeof CHAT}/conversations`, 200)
  return body.conversations.map(({ id }) => id)
}

async function counters(person: Client) {
  const { success, requests, ...unread } = (await person.get(`${CHAT}/unread`, 200)).body
  return unread
}

describe('settings', () => {
  test('are one’s own: nobody else is told, there is no version, and one’s devices get the conversation', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [hers, his] = await Promise.all([alice.socket(), bob.socket()])
    const muted_until = inAnHour()
    const { body } = await set(alice, conversationId, { muted_until, pinned: true })
    const settings = { muted_until, archived: false, pinned: true }
    expect(body.settings).toEqual(settings)
    const frame = await hers.waitFor(({ type }) => type === 'conversation')
    expect(frame.conversation).toMatchObject({ id: conversationId, version: 0, settings })

    const ack = await hers.ask({ type: 'resume', conversations: { [conversationId]: 0 } })
    expect(ack.conversations[conversationId]).toMatchObject({ version: 0, settings })
    const none = { muted_until: null, archived: false, pinned: false }
    const seen = await bob.get(`${CHAT}/conversations/${conversationId}`, 200)
    expect(seen.body.conversation).toMatchObject({ version: 0, settings: none })
    await his.ask({ type: 'read', conversation_id: conversationId })
    expect(his.of('conversation')).toEqual([])

    expect((await set(alice, conversationId, {})).body.settings).toEqual(settings)
    const back = await set(alice, conversationId, { muted_until: null, pinned: false })
    expect(back.body.settings).toEqual(none)
  })

  test('are for members, and have to fit', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const stranger = await service.person()
    const path = `${CHAT}/conversations/${conversationId}/settings` as const
    await stranger.patch(path, { pinned: true }, 404)
    for (const wrong of [{ muted_until: 'soon' }, { archived: 'perhaps' }, { pinned: 3 }])
      await alice.request('PATCH', path, wrong, 400)
  })

  test('go with their account, and somebody who comes back to a group begins anew', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const group = await alice.post(`${CHAT}/groups`, { name: 'a group', member_ids: [bob.id] }, 201)
    const groupId = group.body.conv_id
    await set(bob, groupId, { archived: true, muted_until: inAnHour() })
    await bob.delete(`${CHAT}/groups/${groupId}/members/${bob.id}`, 200)
    await alice.post(`${CHAT}/groups/${groupId}/members`, { member_ids: [bob.id] }, 200)
    expect(await listed(bob)).toContain(groupId)
    await set(bob, conversationId, { archived: true, pinned: true, muted_until: inAnHour() })
    await bob.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    const rows = await service.sql`
      select muted_until, archived_seq, pinned from conversation_members
       where conversation_id = ${conversationId} and user_id < 0`
    expect(rows).toEqual([{ muted_until: null, archived_seq: null, pinned: false }])
  })
})

describe('pinned conversations', () => {
  test('come first; of twelve at once ten are pinned', async () => {
    const owner = await service.person()
    const ids: number[] = []
    for (let made = 0; made < 12; made++) ids.push(await connect(owner, await service.person()))
    const [first] = ids as [number]
    await set(owner, first, { pinned: true })
    expect((await listed(owner))[0]).toBe(first)
    const answers = await Promise.all(
      ids.map((id) => owner.patch(`${CHAT}/conversations/${id}/settings`, { pinned: true })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    for (const { status, body } of answers)
      if (status !== 200) expect(body).toMatchObject({ code: 'too_many' })
    const older = await owner.get('/api/chat/conversations', 200)
    expect(older.body.conversations.map(({ id }: { id: number }) => id)).toEqual([...ids].reverse())
  })
})

describe('archived conversations', () => {
  test('are listed apart until a message comes, one’s own too, but not by an edit or a reaction', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const { id } = (await bob.send(conversationId, 'one', undefined, 201)).body.message
    await set(alice, conversationId, { archived: true })
    await bob.patch(`${CHAT}/messages/${id}`, { message: 'two' }, 200)
    const reaction = encodeURIComponent('👍')
    await bob.put(`${CHAT}/conversations/${conversationId}/messages/${id}/reactions/${reaction}`, {}, 200)
    expect(await listed(alice)).toEqual([])
    expect(await listed(alice, '?archived=true')).toEqual([conversationId])
    expect(await counters(alice)).toMatchObject({ unread: 0, unread_all: 1 })
    const older = await alice.get('/api/chat/conversations', 200)
    expect(older.body.conversations).toHaveLength(1)
    expect((await alice.get('/api/chat/unread', 200)).body.unread).toBe(1)

    await bob.send(conversationId, 'three', undefined, 201)
    expect(await listed(alice)).toEqual([conversationId])
    expect(await counters(alice)).toMatchObject({ unread: 2, unread_all: 2 })
    await set(alice, conversationId, { archived: true })
    await alice.send(conversationId, 'four', undefined, 201)
    expect(await listed(alice)).toEqual([conversationId])
  })

  test('stay so while they are muted; what came then does not count later', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    await set(alice, conversationId, { archived: true, muted_until: inAnHour() })
    await bob.send(conversationId, 'while muted', undefined, 201)
    expect(await listed(alice)).toEqual([])
    const loud = await set(alice, conversationId, { muted_until: null })
    expect(loud.body.settings).toMatchObject({ archived: true, muted_until: null })
    await bob.send(conversationId, 'while loud', undefined, 201)
    expect(await listed(alice)).toEqual([conversationId])
    // Muting it again archives nothing.
    await set(alice, conversationId, { muted_until: inAnHour() })
    expect(await listed(alice)).toEqual([conversationId])
  })

  test('come back by a message that is stored while something else is set', async () => {
    const { alice, conversationId } = await connectedPair(service)
    await set(alice, conversationId, { archived: true })
    const { sql } = service
    const [setting] = await sql.begin(async (tx) => {
      // Settings can still be read, but not written.
      await tx`lock table conversation_members in share row exclusive mode`
      const setting = set(alice, conversationId, { pinned: true })
      await expect
        .poll(
          () => sql`select 1 from pg_locks where not granted and relation = 'conversation_members'::regclass`,
        )
        .toHaveLength(1)
      await tx`update conversations set last_seq = last_seq + 1 where id = ${conversationId}`
      return [setting]
    })
    expect((await setting).body.settings).toMatchObject({ archived: false, pinned: true })
  })
})

describe('muted conversations', () => {
  test('count apart, and on two nodes the frame follows when the mute ends by time', async () => {
    const two = await withService({ nodes: 2 })
    const { alice, bob, conversationId } = await connectedPair(two, [0, 1])
    const sockets = await Promise.all([alice.socket(), alice.at(two.urls[1] ?? '').socket()])
    await set(alice, conversationId, { muted_until: new Date(Date.now() + 1_500).toISOString() })
    await bob.send(conversationId, 'hush', undefined, 201)
    for (const socket of sockets) {
      await socket.waitFor(
        ({ type, unread, unread_all }) => type === 'unread' && unread === 0 && unread_all === 1,
      )
      await socket.waitFor(({ type, unread }) => type === 'unread' && unread === 1, 8_000)
    }
    expect(await counters(alice)).toMatchObject({ unread: 1, unread_all: 1 })
    const { body } = await alice.get(`${CHAT}/conversations/${conversationId}`, 200)
    expect(body.conversation.settings.muted_until).toBeNull()
    const later = await alice.socket()
    expect(later.of('ready')[0]).toMatchObject({ unread: 1, unread_all: 1 })
  })
})
