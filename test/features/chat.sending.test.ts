import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HELD } from '../../src/db/batches.ts'
import { insertMessages, type Send } from '../../src/features/chat/messages/sending.store.ts'
import { connect, connectedPair, startService, type TestService, withService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

describe('sending', () => {
  test('stores the message once and sends it to both sides', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [hers, his] = await Promise.all([alice.socket(), bob.socket()])

    const sent = await alice.send(conversationId, '  Hello Bob  ', undefined, 201)
    expect(sent.body.message).toMatchObject({ message: 'Hello Bob', is_own: true, seq: 1, version: 1 })

    const own = await hers.waitFor(({ type }) => type === 'message')
    const received = await his.waitFor(({ type }) => type === 'message')
    expect(own).toEqual({ type: 'message', conversation_id: conversationId, message: sent.body.message })
    expect(received.message).toEqual({ ...sent.body.message, is_own: false, client_id: null })
    expect(await his.waitFor(({ type }) => type === 'unread')).toMatchObject({ unread: 1, requests: 0 })
  })

  test('50 sends at once with one client_id store one message, skip no seq, and get equal answers', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const clientId = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => alice.send(conversationId, 'once', clientId)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body)
    await alice.send(conversationId, 'next', undefined, 201)
    const rows = await service.sql`
      select seq, message from messages where conversation_id = ${conversationId} order by seq`
    expect(rows).toEqual([
      { seq: 1, message: 'once' },
      { seq: 2, message: 'next' },
    ])
  })

  test('of 20 different sends at once by one person, one is accepted and the others are 429', async () => {
    const slow = await withService({ config: { chat: { sendIntervalMs: 2_000 } } })
    const { alice, conversationId } = await connectedPair(slow)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => alice.send(conversationId, `message ${index}`)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(19)
    expect(refused[0]?.body).toMatchObject({ success: false, code: 'rate_limited', retry_after: 2 })
    expect(refused[0]?.headers.get('retry-after')).toBe('2')
    const [counted] =
      await slow.sql`select count(*)::int from messages where conversation_id = ${conversationId}`
    expect(counted).toEqual({ count: 1 })
  })

  test('neither a refused send nor a repeat uses up the slot', async () => {
    let now = Date.now()
    const slow = await withService({ config: { chat: { sendIntervalMs: 2_000 } }, clock: () => now })
    const { alice, bob, conversationId } = await connectedPair(slow)
    const clientId = randomUUID()

    await alice.send(999_999, 'nobody there', undefined, 404)
    await alice.post(`/api/v01/chat/conversations/${conversationId}/messages`, { message: ' ' }, 400)
    await alice.post(
      `/api/v01/chat/conversations/${conversationId}/messages`,
      { message: 'to nothing', reply_to_id: 999_999 },
      400,
    )
    const first = await alice.send(conversationId, 'first', clientId, 201)
    expect((await alice.send(conversationId, 'first', clientId, 200)).body).toEqual(first.body)
    await alice.send(conversationId, 'too soon', undefined, 429)
    await bob.send(conversationId, 'another person', undefined, 201)
    now += 2_001
    await alice.send(conversationId, 'second', undefined, 201)
    expect((await alice.send(conversationId, 'first', clientId, 200)).body).toEqual(first.body)
    await alice.send(conversationId, 'too soon', undefined, 429)
  })

  test('a text is read as it was written: directions, joiners and what can’t be seen', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const his = await bob.socket()
    const text = 'a\u202Eb\u200Bc 👩\u200D💻 e\u0301 \uFEFF\u2067א\u2069 z'
    await alice.send(conversationId, text, undefined, 201)
    const frame = await his.waitFor(({ type }) => type === 'message')
    const { messages } = (await bob.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body
    expect([frame.message.message, messages.at(-1)?.message]).toEqual([text, text])
  })

  test('a reply quotes a message, which must be of the same conversation', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const carol = await service.person()
    const elsewhere = await connect(alice, carol)
    const origin = (await alice.send(conversationId, '😀'.repeat(150))).body.message
    const path = `/api/v01/chat/conversations/${conversationId}/messages` as const

    const filled = await bob.post(path, { message: 'yes', reply_to_id: origin.id }, 201)
    expect(filled.body.message).toMatchObject({
      reply_to_id: origin.id,
      reply_to_text: '😀'.repeat(100),
      reply_to_name: alice.username,
    })
    // What somebody said is told by their message alone.
    const given = await bob.post(
      path,
      { message: 'yes', reply_to_id: origin.id, reply_to_text: 'x'.repeat(10_000), reply_to_name: 'Al' },
      201,
    )
    expect(given.body.message).toMatchObject({
      reply_to_text: '😀'.repeat(100),
      reply_to_name: alice.username,
    })
    const alone = await bob.post(
      path,
      { message: 'yes', reply_to_text: 'Never said', reply_to_name: 'Al' },
      201,
    )
    expect(alone.body.message).toMatchObject({ reply_to_id: null, reply_to_text: null, reply_to_name: null })
    const refused = await alice.post(
      `/api/v01/chat/conversations/${elsewhere}/messages`,
      { message: 'no', reply_to_id: origin.id },
      400,
    )
    expect(refused.body.code).toBe('invalid_reply')
  })

  test('when 40 people write at once, everybody gets each message of their conversations once and in order', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, () => service.person()))
    const pairs = await Promise.all(
      people.map(async (person, index) => {
        const other = people[(index + 1) % people.length] as typeof person
        return { person, other, conversationId: await connect(person, other) }
      }),
    )
    const sockets = await Promise.all(people.map((person) => person.socket()))
    const perSide = 5
    await Promise.all(
      pairs.flatMap(({ person, other, conversationId }) =>
        [person, other].flatMap((sender) =>
          Array.from({ length: perSide }, (_, n) =>
            sender.send(conversationId, `${sender.username} ${n}`, undefined, 201),
          ),
        ),
      ),
    )
    for (const [index, socket] of sockets.entries()) {
      await socket.until(() => socket.of('message').length >= 4 * perSide)
      const byConversation = Map.groupBy(socket.of('message'), (frame) => frame.conversation_id)
      expect(byConversation.size).toBe(2)
      for (const frames of byConversation.values())
        expect(frames.map((frame) => frame.message.seq)).toEqual(
          Array.from({ length: 2 * perSide }, (_, n) => n + 1),
        )
      const { body } = await (people[index] as (typeof people)[number]).get('/api/v01/chat/unread', 200)
      await socket.until(() => socket.of('unread').at(-1)?.unread === body.unread)
    }
  })
})

test('among sends with files or mentions, one without is stored as among others without', async () => {
  const db = service.nodes[0]?.core.db
  if (!db) throw new Error('the service has no node')
  const outcomesBeside = async (others: Send[]) => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [stranger] = await Promise.all([service.person(), alice.send(conversationId, 'first')])
    const [first] = await service.sql`select id from messages where conversation_id = ${conversationId}`
    const base = { conversationId, clientId: null, replyToId: null, attachmentIds: [], mentions: [] }
    const sends: Send[] = [
      { ...base, senderId: alice.id, message: 'second', clientId: randomUUID() },
      { ...base, senderId: bob.id, message: 'an answer', replyToId: first?.id },
      { ...base, senderId: stranger.id, message: 'from outside' },
      { ...base, senderId: bob.id, message: 'to nothing', replyToId: 999_999 },
      { ...base, senderId: bob.id, message: 'last' },
    ]
    // What follows the first message may have locked the conversation for a moment.
    const insert = () => insertMessages(db, [...sends, ...others], 0)
    let outcomes = await insert()
    while (outcomes[0] === HELD) outcomes = await insert()
    const rows = await service.sql`
      select message.seq, message.version, message.message, client_id is null as anonymous, reply_to_text,
             reply_to_name is not null as is_reply, mentions, attachments, member.last_read_seq, c.last_seq,
             message.created_at > lag(message.created_at) over (order by seq) as is_later
        from messages message
        join conversations c on c.id = message.conversation_id
        join conversation_members member
          on member.conversation_id = message.conversation_id and member.user_id = message.sender_id
       where message.conversation_id = ${conversationId} order by seq`
    const known = outcomes
      .slice(0, sends.length)
      .map(
        (each) =>
          typeof each === 'object' && { seq: each.seq, version: each.version, reply: each.replyToText },
      )
    return { known, rows: [...rows] }
  }
  const { alice, bob, conversationId } = await connectedPair(service)
  const rich = { conversationId, clientId: null, replyToId: null, attachmentIds: [], message: 'rich' }
  const plain = await outcomesBeside([])
  expect(plain.known).toEqual([
    { seq: 2, version: 2, reply: null },
    { seq: 3, version: 3, reply: 'first' },
    false,
    false,
    { seq: 4, version: 4, reply: null },
  ])
  expect(plain.rows).toHaveLength(4)
  expect(await outcomesBeside([{ ...rich, senderId: alice.id, mentions: [bob.id] }])).toEqual(plain)
})
