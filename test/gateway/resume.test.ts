import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectedPair, startService, type TestService } from '../support/service.ts'
import type { Frame, TestSocket } from '../support/socket.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const CHAT = '/api/v01/chat'

/** What came between a `resume` and its `ack`. */
async function resume(socket: TestSocket, conversations: Record<number, number>): Promise<Frame[]> {
  const from = socket.frames.length
  const ack = await socket.ask({ type: 'resume', conversations })
  expect(ack.type).toBe('ack')
  return socket.frames
    .slice(from, socket.frames.indexOf(ack))
    .filter(({ type }) => type !== 'unread' && type !== 'presence')
}

describe('resume', () => {
  test('brings every change since, in the order of the versions', async () => {
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

  test('tells conversations that the client does not know, new names, and those that it left', async () => {
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

  test('more than 500 changes come as a gap that says where the conversation stands', async () => {
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

  test('what is sent meanwhile comes after it, once and in order', async () => {
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
      // What was there before the resume was asked for may come by it a second time.
      const seqs = socket.of('message').map(({ message }) => message.seq)
      const resumed = seqs.slice(seqs.indexOf(1, before === 0 ? 0 : undefined))
      expect(resumed).toEqual(Array.from({ length: last }, (_, n) => n + 1))
      await socket.close()
    }
  })
})
