import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { hasRedis } from '../support/outside/redis.ts'
import { connect, connectedPair, type SharedService, sharedService, withService } from '../support/service.ts'
import type { Frame } from '../support/socket.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const CHAT = '/api/v01/chat'
const THUMB = '👍'
/** The longest emoji that Unicode recommends: ten code points. */
const KISS = '👩🏻‍❤️‍💋‍👨🏼'

const at = (conversationId: number, messageId: number, emoji: string) =>
  `${CHAT}/conversations/${conversationId}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}` as const

async function send(client: Client, conversationId: number): Promise<number> {
  return (await client.send(conversationId, 'a message', undefined, 201)).body.message.id
}

async function messagesOf(client: Client, conversationId: number) {
  return (await client.get(`${CHAT}/conversations/${conversationId}/messages?peek=true`, 200)).body.messages
}

describe('a reaction', () => {
  test('takes a version, moves no counter, and is one frame with the same bytes for everybody', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    const [hers, his] = await Promise.all([alice.socket(), bob.socket()])

    const added = await bob.put(at(conversationId, id, KISS), {}, 200)
    const total = { emoji: KISS, count: 1, user_ids: [bob.id] }
    expect(added.body).toEqual({ success: true, reactions: [{ ...total, mine: true }], version: 2 })
    const frame = {
      type: 'reactions',
      conversation_id: conversationId,
      message_id: id,
      version: 2,
      reactions: [total],
      user_id: bob.id,
      emoji: KISS,
      added: true,
    }
    expect(await hers.waitFor(({ type }) => type === 'reactions')).toEqual(frame)
    expect(await his.waitFor(({ type }) => type === 'reactions')).toEqual(frame)

    const [seen] = await messagesOf(alice, conversationId)
    expect(seen).toMatchObject({ version: 2, is_edited: false, reactions: [{ ...total, mine: false }] })
    const { body } = await bob.get(`${CHAT}/conversations/${conversationId}`, 200)
    expect(body.conversation).toMatchObject({ unread: 1, version: 2, last_seq: 1 })

    const removed = await bob.delete(at(conversationId, id, KISS), 200)
    expect(removed.body).toEqual({ success: true, reactions: [], version: 3 })
    const gone = await hers.waitFor(({ type, added }) => type === 'reactions' && !added)
    expect(gone).toEqual({ ...frame, version: 3, reactions: [], added: false })
  })

  test('repeated changes nothing', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    const first = await bob.put(at(conversationId, id, THUMB), {}, 200)
    expect((await bob.put(at(conversationId, id, THUMB), {}, 200)).body).toEqual(first.body)
    await alice.delete(at(conversationId, id, THUMB), 200)
    const { body } = await bob.get(`${CHAT}/conversations/${conversationId}`, 200)
    expect(body.conversation.version).toBe(2)
  })

  test('keeps its place while anybody uses it, and comes last when it comes back', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    const emojiAfter = async (client: Client, method: 'put' | 'delete', emoji: string) => {
      const path = at(conversationId, id, emoji)
      const { body } = method === 'put' ? await client.put(path, {}, 200) : await client.delete(path, 200)
      return body.reactions.map((each) => each.emoji).join()
    }
    await emojiAfter(alice, 'put', '🎉')
    await emojiAfter(alice, 'put', THUMB)
    await emojiAfter(bob, 'put', '🎉')
    expect(await emojiAfter(alice, 'delete', '🎉')).toBe('🎉,👍')
    expect(await emojiAfter(alice, 'put', '🎉')).toBe('🎉,👍')
    await emojiAfter(alice, 'delete', '🎉')
    expect(await emojiAfter(bob, 'delete', '🎉')).toBe('👍')
    expect(await emojiAfter(bob, 'put', '🎉')).toBe('👍,🎉')
  })

  test.each([
    ['text', 'a'],
    ['a heart without its variation', '❤'],
    ['two emoji', '👍👍'],
    ['a lone skin tone modifier after text', 'x🏽'],
    ['half a flag', '🇩'],
    ['a digit', '1'],
  ])('%s is no emoji', async (_name, emoji) => {
    const { alice, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    const { body } = await alice.put(at(conversationId, id, emoji), {}, 400)
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: '/emoji' }] })
  })

  test('is for those who see the message and may send there', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const stranger = await service.person()
    const elsewhere = await connect(alice, stranger)
    const id = await send(alice, conversationId)
    await stranger.put(at(conversationId, id, THUMB), {}, 404)
    await stranger.put(at(elsewhere, id, THUMB), {}, 404)
    await alice.put(at(conversationId, 999_999, THUMB), {}, 404)

    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    expect((await bob.put(at(conversationId, id, THUMB), {}, 403)).body.code).toBe('not_connected')
    const [seen] = await messagesOf(alice, conversationId)
    expect(seen).toMatchObject({ version: 1, reactions: [] })
  })

  test('of 25 different ones at once on a message 20 stay', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    const faces = Array.from({ length: 25 }, (_, index) => String.fromCodePoint(0x1f600 + index))
    const answers = await Promise.all(
      faces.map((emoji, index) => (index % 2 ? alice : bob).put(at(conversationId, id, emoji), {})),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    for (const { status, body } of answers)
      if (status !== 200) expect(body).toMatchObject({ code: 'too_many' })
    const [seen] = await messagesOf(alice, conversationId)
    expect(seen).toMatchObject({ version: 21 })
    expect(seen?.reactions).toHaveLength(20)
    // A known one still finds room.
    await alice.put(at(conversationId, id, seen?.reactions[0]?.emoji ?? ''), {}, 200)
  })

  test('goes with its message, and a tombstone takes none', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    await bob.put(at(conversationId, id, THUMB), {}, 200)
    await alice.delete(`${CHAT}/messages/${id}`, 200)
    for (const method of ['PUT', 'DELETE']) {
      const refused = await bob.request(method, at(conversationId, id, THUMB), {}, 409)
      expect(refused.body).toMatchObject({ code: 'deleted' })
    }
    expect(await messagesOf(bob, conversationId)).toMatchObject([{ is_deleted: true, reactions: [] }])
  })

  test('is found by those who were away, once, as a change of the message', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    await send(alice, conversationId)
    for (const emoji of [THUMB, '🎉', '😀']) await bob.put(at(conversationId, id, emoji), {}, 200)
    const path = `${CHAT}/conversations/${conversationId}/changes?since=2` as const
    const { body } = await bob.get(path, 200)
    expect(body.messages).toMatchObject([{ id, version: 5, reactions: [{ mine: true }, {}, {}] }])
    expect(body.version).toBe(5)

    const his = await bob.socket()
    const ack = await his.ask({ type: 'resume', conversations: { [conversationId]: 2 } })
    expect(ack.conversations[conversationId]).toMatchObject({ version: 5 })
    const [frame, ...more] = his.frames.filter((each) => 'message' in each)
    expect(more).toEqual([])
    expect(frame).toMatchObject({ type: 'message_edited', message: { id, version: 5, is_edited: false } })
  })

  test('of a deleted account goes with it, and the others are told', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const id = await send(alice, conversationId)
    await alice.put(at(conversationId, id, THUMB), {}, 200)
    await bob.put(at(conversationId, id, THUMB), {}, 200)
    await bob.put(at(conversationId, id, '🎉'), {}, 200)
    const hers = await alice.socket()
    await bob.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    const frame = await hers.waitFor(({ type }) => type === 'message_edited')
    const left = [{ emoji: THUMB, count: 1, user_ids: [alice.id], mine: true }]
    expect(frame.message).toMatchObject({ id, reactions: left })
    expect(await messagesOf(alice, conversationId)).toMatchObject([{ reactions: left }])
  })

  test('names the first 20 people, and everybody sees their own', async () => {
    const [owner, ...others] = await Promise.all(Array.from({ length: 23 }, () => service.person()))
    if (!owner) throw new Error('nobody')
    for (const other of others) await connect(owner, other)
    const group = await owner.post(
      `${CHAT}/groups`,
      { name: 'many', member_ids: others.map(({ id }) => id) },
      201,
    )
    const conversationId = group.body.conv_id
    const id = await send(owner, conversationId)
    for (const other of others) await other.put(at(conversationId, id, THUMB), {}, 200)
    const [first, last] = [others[0], others[21]] as [Client, Client]
    const [seen] = await messagesOf(last, conversationId)
    const user_ids = others.slice(0, 20).map((each) => each.id)
    expect(seen?.reactions).toEqual([{ emoji: THUMB, count: 22, user_ids, mine: true }])

    // An edit shows each reader their own.
    const sockets = await Promise.all([owner, first, last].map((each) => each.socket()))
    await owner.patch(`${CHAT}/messages/${id}`, { message: 'edited' }, 200)
    const frames = await Promise.all(
      sockets.map((each) => each.waitFor(({ type }) => type === 'message_edited')),
    )
    expect(frames.map(({ message }) => message.reactions[0].mine)).toEqual([false, true, true])
  })
})

test.runIf(hasRedis())(
  'ten people at once on two nodes: nothing is lost, and every version comes once',
  { meta: { costly: 'sends hundreds of reactions at once' } },
  async () => {
    const two = await withService({ nodes: 2 })
    const people = await Promise.all(
      Array.from({ length: 10 }, (_, index) => two.person(undefined, index % 2)),
    )
    const [owner, ...others] = people as [Client, ...Client[]]
    for (const other of others) await connect(owner, other)
    const group = await owner.post(
      `${CHAT}/groups`,
      { name: 'ten', member_ids: others.map(({ id }) => id) },
      201,
    )
    const conversationId = group.body.conv_id
    const id = await send(owner, conversationId)
    const { body } = await owner.get(`${CHAT}/conversations/${conversationId}`, 200)
    const before = body.conversation.version
    const sockets = await Promise.all(people.map((person) => person.socket()))
    const rounds = 10
    await Promise.all(
      people.map(async (person, index) => {
        const emoji = String.fromCodePoint(0x1f600 + (index % 5))
        for (let round = 0; round < rounds; round++)
          if (round % 2 === 0) await person.put(at(conversationId, id, emoji), {}, 200)
          else await person.delete(at(conversationId, id, emoji), 200)
        await person.put(at(conversationId, id, emoji), {}, 200)
      }),
    )
    const changes = people.length * (rounds + 1)
    for (const socket of sockets) {
      // A node that missed an event reads the message as it is then.
      const versionOf = (frame: Frame): number => frame.version ?? frame.message.version
      const come = () =>
        socket.frames.filter(({ type }) => type === 'reactions' || type === 'message_edited').map(versionOf)
      await socket.until(() => come().at(-1) === before + changes)
      expect(come()).toEqual([...new Set(come())].sort((one, other) => one - other))
    }
    const [seen] = await messagesOf(owner, conversationId)
    expect(seen?.version).toBe(before + changes)
    expect(seen?.reactions.map(({ count }) => count)).toEqual([2, 2, 2, 2, 2])
  },
)
