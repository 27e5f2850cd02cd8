import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect, connectedPair, startService, type TestService } from '../support/service.ts'
import type { Frame, TestSocket } from '../support/socket.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const CHAT = '/api/v01/chat'

/** The frames between a `resume` and its `ack`. */
async function resume(socket: TestSocket, conversations: Record<number, number>): Promise<Frame[]> {
  const from = socket.frames.length
  const ack = await socket.ask({ type: 'resume', conversations })
  expect(ack.type).toBe('ack')
  return socket.frames
    .slice(from, socket.frames.indexOf(ack))
    .filter(({ type }) => type !== 'unread' && type !== 'presence')
}

test('people who resume at once share statements, and each gets their own changes', async () => {
  const people = await Promise.all(Array.from({ length: 30 }, () => service.person()))
  const ids = people.map(({ id }) => id)
  const [group] = await service.sql<[{ id: number }]>`
    insert into conversations (is_group, name, last_seq, version) values (true, 'Group', 60, 60) returning id`
  await service.sql`
    insert into conversation_members (conversation_id, user_id, joined_at)
    select ${group.id}, id, now() + ord * interval '1 ms' from unnest(${ids}::int[]) with ordinality as person(id, ord)`
  await service.sql`
    insert into messages (conversation_id, seq, version, sender_id, message, created_at)
    select ${group.id}, n, n, (${ids}::int[])[n % 30 + 1], 'message ' || n, now() + n * interval '1 ms' from generate_series(1, 60) n`

  const sockets = await Promise.all(people.map((person) => person.socket()))
  const driver = service.nodes[0]?.core.db.$client as unknown as { unsafe: () => unknown }
  const statements = vi.spyOn(driver, 'unsafe')
  // Half of them missed more changes than a shared statement reads.
  const frames = await Promise.all(sockets.map((socket, n) => resume(socket, { [group.id]: n % 2 ? 0 : 40 })))
  expect(statements.mock.calls.length).toBeLessThan(2 * people.length)
  statements.mockRestore()
  for (const [n, own] of frames.entries()) {
    expect(own.map(({ message }) => message.seq)).toEqual(
      Array.from({ length: n % 2 ? 60 : 20 }, (_, index) => index + (n % 2 ? 1 : 41)),
    )
    for (const { message } of own) expect(message.is_own).toBe(message.sender_id === people[n]?.id)
  }
})

describe('resume', () => {
  test('brings every later change, in the order of versions', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const ids: number[] = []
    for (let n = 1; n <= 4; n++) ids.push((await alice.send(conversationId, `${n}`)).body.message.id)
    await alice.patch(`${CHAT}/messages/${ids[0]}`, { message: 'edited' }, 200)
    await alice.delete(`${CHAT}/messages/${ids[2]}`, 200)
    await bob.send(conversationId, '5')

    const socket = await bob.socket()
    const frames = await resume(socket, { [conversationId]: 2 })
    expect(frames.map(({ type, message }) => [type, message.seq, message.version, message.is_own])).toEqual([
      ['message', 4, 4, false],
      ['message_edited', 1, 5, false],
      ['message_deleted', 3, 6, false],
      ['message', 5, 7, true],
    ])
    expect(await resume(socket, { [conversationId]: 7 })).toEqual([])
  })

  test('brings unknown conversations, new names, and conversations that were left', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const { conv_id } = (await alice.post(`${CHAT}/groups`, { name: 'Old', member_ids: [bob.id] }, 201)).body
    await alice.patch(`${CHAT}/groups/${conv_id}`, { name: 'New' }, 200)
    const socket = await bob.socket()
    const [renamed, unknown] = await resume(socket, { [conv_id]: 0 })
    expect(renamed).toMatchObject({
      type: 'conversation',
      conversation: { id: conv_id, name: 'New', version: 1 },
    })
    expect(unknown).toMatchObject({ type: 'conversation', conversation: { id: conversationId } })
    expect(await resume(socket, { [conv_id]: 1, [conversationId]: 0, 999999: 3 })).toEqual([
      { type: 'conversation', conversation: { id: 999_999 }, removed: true },
    ])
  })

  test('is acknowledged with the state of every conversation, including read pointers', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const other = await service.person()
    const empty = await connect(other, bob)
    for (let n = 1; n <= 3; n++) await alice.send(conversationId, `${n}`)
    await bob.post(`${CHAT}/conversations/${conversationId}/read`, { up_to_seq: 2 }, 200)
    const socket = await bob.socket()
    const asked: Record<string, number>[] = [{ [conversationId]: 3, [empty]: 0 }, { [conversationId]: 1 }, {}]
    for (const conversations of asked)
      expect(await socket.ask({ type: 'resume', conversations })).toMatchObject({
        type: 'ack',
        conversations: {
          [conversationId]: { version: 3, last_read_seq: 2, unread: 1 },
          [empty]: { version: 0, last_read_seq: 0, unread: 0 },
        },
        unread: 1,
        requests: 0,
      })
  })

  test("shows a message's client_id to its sender alone", async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const clientId = randomUUID()
    const hers = await alice.socket()
    const his = await bob.socket()
    const path = `${CHAT}/conversations/${conversationId}` as const
    const { body } = await alice.post(
      `${path}/messages`,
      { message: 'x', client_id: clientId.toUpperCase() },
      201,
    )
    expect(body.message.client_id).toBe(clientId)
    const echo = async (socket: TestSocket) =>
      (await socket.waitFor(({ type }) => type === 'message')).message
    expect((await echo(hers)).client_id).toBe(clientId)
    expect((await echo(his)).client_id).toBeNull()
    for (const [reader, shown] of [
      [alice, clientId],
      [bob, null],
    ] as const) {
      const [listed, changed] = [
        await reader.get(`${path}/messages`, 200),
        await reader.get(`${path}/changes?since=0`, 200),
      ]
      const [resumed] = await resume(await reader.socket(), { [conversationId]: 0 })
      for (const message of [listed.body.messages[0], changed.body.messages[0], resumed?.message])
        expect(message.client_id).toBe(shown)
    }
    const edited = await alice.patch(`${CHAT}/messages/${body.message.id}`, { message: 'y' }, 200)
    expect(edited.body.message.client_id).toBe(clientId)
    const again = await alice.send(conversationId, 'x', clientId, 200)
    expect(again.body.message.client_id).toBe(clientId)
  })

  test('brings more than 500 changes as a gap, with the version of the conversation', {
    meta: { costly: 'makes more than 500 changes' },
  }, async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    for (let n = 0; n < 501; n += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, 501 - n) }, () => alice.send(conversationId, 'x', undefined, 201)),
      )
    const socket = await bob.socket()
    expect(await resume(socket, { [conversationId]: 1 })).toHaveLength(500)
    expect(await resume(socket, { [conversationId]: 0 })).toEqual([
      { type: 'gap', conversation_id: conversationId, version: 501 },
    ])
    const { body } = await bob.get(`${CHAT}/conversations/${conversationId}/changes?since=0`, 200)
    expect(body).toMatchObject({ version: 500, has_more: true })
  })

  test('is not followed by what it has sent, even if the node learns of it later', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const { bus } = (service.nodes[0] as (typeof service.nodes)[number]).core
    const socket = await bob.socket()
    await alice.send(conversationId, '1', undefined, 201)
    await socket.until(() => socket.of('message').length === 1)
    // Between its commit and its event a message can be read already.
    const late: Parameters<typeof bus.publish>[] = []
    const publish = vi.spyOn(bus, 'publish').mockImplementation((...event) => void late.push(event))
    for (const text of ['2', '3', '4']) await alice.send(conversationId, text, undefined, 201)
    publish.mockRestore()
    const resumed = await resume(socket, { [conversationId]: 1 })
    expect(resumed.map(({ message }) => message.seq)).toEqual([2, 3, 4])
    const soFar = socket.of('message').length
    for (const event of late) bus.publish(...event)
    await alice.send(conversationId, '5', undefined, 201)
    await socket.until(() => socket.of('message').at(-1)?.message.seq === 5)
    expect(
      socket
        .of('message')
        .slice(soFar)
        .map(({ message }) => message.seq),
    ).toEqual([5])
  })

  test('is followed by messages that are sent meanwhile, once and in order', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    for (let round = 0; round < 10; round++) {
      const socket = await bob.socket()
      const before = round * 20
      const [, ...sent] = await Promise.all([
        socket.ask({ type: 'resume', conversations: { [conversationId]: 0 } }),
        ...Array.from({ length: 20 }, (_, n) => alice.send(conversationId, `${round} ${n}`, undefined, 201)),
      ])
      expect(sent).toHaveLength(20)
      const last = before + 20
      await socket.until(() => socket.of('message').at(-1)?.message.seq === last)
      // Messages sent before the service handled the resume may come a second time with it.
      const seqs = socket.of('message').map(({ message }) => message.seq)
      const resumed = seqs.slice(seqs.lastIndexOf(1))
      expect(resumed).toEqual(Array.from({ length: last }, (_, n) => n + 1))
      await socket.close()
    }
  })
})
