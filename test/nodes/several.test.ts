import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ServiceNode } from '../../src/process/node.ts'
import type { Client } from '../support/client.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { connect, connectedPair, type TestService, withService } from '../support/service.ts'
import type { TestSocket } from '../support/socket.ts'

/** How long Redis stays away; half a minute in long runs. */
const AWAY_MS = process.env.LONG_TESTS ? 30_000 : 1_500

describe.runIf(hasRedis())('two nodes', () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await RedisServer.start()
  })
  afterAll(() => redis.stop())

  const twoNodes = (config = {}) => withService({ nodes: 2, config: { redisUrl: redis.url, ...config } })

  const busIsUp = (service: TestService) =>
    expect
      .poll(() => Promise.all(service.nodes.map(({ core }) => core.bus.ping().then(() => 'up', String))), {
        timeout: PATIENCE_MS,
      })
      .toEqual(['up', 'up'])

  const seqsOf = (socket: TestSocket, conversationId: number) =>
    socket
      .of('message')
      .filter((frame) => frame.conversation_id === conversationId)
      .map((frame) => frame.message.seq)

  /** Waits until the last `unread` frame equals the answer to GET. */
  async function expectExactCounters(person: Client, socket: TestSocket): Promise<void> {
    const { body } = await person.get('/api/v01/chat/unread', 200)
    await socket.until(() => socket.of('unread').at(-1)?.unread === body.unread, 10_000)
  }

  test('act as one: a person’s devices, connecting, messages, reading and counters', async () => {
    const service = await twoNodes()
    const [alice, bob] = [await service.person(undefined, 0), await service.person(undefined, 1)]
    const [hers, his, hersElsewhere] = await Promise.all([
      alice.socket(),
      bob.socket(),
      alice.at(service.urls[1] as string).socket(),
    ])
    const conversationId = await connect(alice, bob)
    for (const socket of [hers, his, hersElsewhere])
      await socket.waitFor(
        (frame) => frame.type === 'conversation' && frame.conversation.id === conversationId,
      )
    for (let n = 1; n <= 20; n++)
      await (n % 2 ? alice : bob).send(conversationId, `message ${n}`, undefined, 201)
    const all = Array.from({ length: 20 }, (_, n) => n + 1)
    for (const socket of [hers, his, hersElsewhere]) {
      await socket.until(() => seqsOf(socket, conversationId).length >= 20)
      expect(seqsOf(socket, conversationId)).toEqual(all)
    }
    for (const { message } of his.of('message')) expect(message.is_own).toBe(message.sender_id === bob.id)

    await alice.at(service.urls[1] as string).post(`/api/v01/chat/conversations/${conversationId}/read`)
    for (const socket of [hers, his, hersElsewhere])
      expect(
        await socket.waitFor(({ type, user_id }) => type === 'read' && user_id === alice.id),
      ).toMatchObject({ up_to_seq: 20 })
    for (const socket of [hers, hersElsewhere])
      await socket.until(() => socket.of('unread').at(-1)?.unread === 0)
  })

  test('accept one message of a person per interval, whichever of them it is sent to', async () => {
    const service = await twoNodes({ chat: { sendIntervalMs: 60_000 } })
    const { alice, conversationId } = await connectedPair(service)
    const elsewhere = alice.at(service.urls[1] as string)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? alice : elsewhere).send(conversationId, `message ${n}`)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(19)
  })

  test('deliver messages without gaps and in order when events are lost, repeated, reordered or invalid', async () => {
    const service = await twoNodes()
    const { alice, bob, conversationId } = await connectedPair(service, [0, 1])
    const his = await bob.socket()
    const channel = await channelOf(conversationId)
    const observer = new Redis(redis.url)
    onTestFinished(() => observer.disconnect())
    const eavesdropped: string[] = []
    await observer.subscribe(channel)
    observer.on('message', (_, text) => eavesdropped.push(text))

    await alice.send(conversationId, 'first', undefined, 201)
    await expect.poll(() => eavesdropped.length).toBe(1)
    const text = eavesdropped[0] as string
    const event = JSON.parse(text.slice(text.indexOf('{')))
    const publisher = new Redis(redis.url)
    onTestFinished(() => publisher.disconnect())
    const publish = (change: object) => publisher.publish(channel, randomUUID() + JSON.stringify(change))

    // As if stored by a node that died before it could publish.
    const store = (seq: number) => service.sql`
      with counted as (update conversations set last_seq = ${seq}, version = ${seq} where id = ${conversationId})
      insert into messages (conversation_id, seq, version, sender_id, message, created_at)
      values (${conversationId}, ${seq}, ${seq}, ${alice.id}, ${`message ${seq}`}, now())
      returning id`
    for (const seq of [2, 3, 4, 5]) await store(seq)
    await publish({ ...event, version: 4, message: { ...event.message, seq: 4, version: 4 } })
    await publish({ ...event, version: 3, message: { ...event.message, seq: 3, version: 3 } })
    await publish(event)
    await publish({ kind: 'message' })
    await publisher.publish(channel, 'nonsense')
    await his.until(() => seqsOf(his, conversationId).length >= 5)
    await alice.send(conversationId, 'sixth', undefined, 201)
    await his.until(() => seqsOf(his, conversationId).includes(6))
    expect(seqsOf(his, conversationId)).toEqual([1, 2, 3, 4, 5, 6])
    expect(his.of('message').map(({ message }) => message.message)).toEqual(
      expect.arrayContaining(['first', 'message 2', 'message 3', 'message 4', 'message 5', 'sixth']),
    )

    // A regular check finds changes without any event: a message, and a new conversation.
    await store(7)
    const [begun] =
      await service.sql`insert into conversations (is_group, name) values (true, 'Begun') returning id`
    for (const { id } of [alice, bob])
      await service.sql`insert into conversation_members (conversation_id, user_id) values (${begun?.id}, ${id})`
    await his.until(() => seqsOf(his, conversationId).includes(7), 10_000)
    await his.waitFor((frame) => frame.conversation?.name === 'Begun', 10_000)
    await alice.send(begun?.id, 'first', undefined, 201)
    await his.until(() => seqsOf(his, begun?.id).includes(1))
    await expectExactCounters(bob, his)
  })

  test('tell at last that somebody is online who has left one of them and come back to the other one', async () => {
    const service = await twoNodes()
    const { alice, bob } = await connectedPair(service, [0, 1])
    const hers = await alice.socket()
    const told = () =>
      hers.of('presence').flatMap(({ user_id, online }) => (user_id === bob.id ? [online] : []))
    const his = await bob.socket()
    await expect.poll(told).toEqual([true])

    // The node that he leaves reads that he is gone, and stalls before it tells that.
    const { presence } = (service.nodes[1] as ServiceNode).core
    const [hasRead, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const read = presence.online
    vi.spyOn(presence, 'online').mockImplementation(async (userIds) => {
      const online = await read(userIds)
      if (userIds.includes(bob.id) && !online.has(bob.id)) {
        hasRead.resolve()
        await goesOn.promise
      }
      return online
    })
    his.ws.terminate()
    await hasRead.promise
    await bob.at(service.urls[0] as string).socket()
    await expect.poll(told).toEqual([true, true])
    goesOn.resolve()
    // A slow socket gets the last of several.
    await expect.poll(() => told().length).toBeGreaterThan(2)
    await expect.poll(() => told().at(-1)).toBe(true)
  })

  test('serve their own clients while Redis is away; on its return nobody has missed anything', async () => {
    const service = await twoNodes()
    const { alice, bob, conversationId } = await connectedPair(service, [0, 1])
    const carol = await service.person(undefined, 1)
    const [hers, his, hersElsewhere, carols] = await Promise.all([
      alice.socket(),
      bob.socket(),
      alice.at(service.urls[1] as string).socket(),
      carol.socket(),
    ])
    let sent = 0
    let slowest = 0
    async function send(sender: Client): Promise<void> {
      const started = performance.now()
      await sender.send(conversationId, `message ${sent}`, undefined, 201)
      slowest = Math.max(slowest, performance.now() - started)
      sent += 1
    }
    await send(alice)
    await redis.stop()
    const stopped = performance.now()
    while (performance.now() - stopped < AWAY_MS) {
      await send(alice)
      await hers.until(() => seqsOf(hers, conversationId).includes(sent))
      await send(bob)
      await his.until(() => seqsOf(his, conversationId).includes(sent))
      await setTimeout(20)
    }
    expect(slowest).toBeLessThan(1_500)
    // A new conversation, too, of which the other node hears nothing.
    const theirs = await connect(alice, carol)
    await alice.send(theirs, 'hello', undefined, 201)

    await redis.start()
    // Sends continue while the nodes reconnect one after the other.
    const returned = performance.now()
    while (hers.of('resync').length === 0 || his.of('resync').length === 0) {
      expect(performance.now() - returned).toBeLessThan(10_000)
      await send(alice)
    }
    await busIsUp(service)
    await send(alice)
    const all = Array.from({ length: sent }, (_, n) => n + 1)
    for (const socket of [hers, his, hersElsewhere]) {
      await socket.until(() => seqsOf(socket, conversationId).includes(sent), 10_000)
      expect(seqsOf(socket, conversationId)).toEqual(all)
      await socket.waitFor(({ type }) => type === 'resync')
    }
    // Carol's node subscribes to the conversation although it got no event about it.
    await carols.waitFor(({ type }) => type === 'resync')
    expect((await carols.ask({ type: 'resume', conversations: {} })).type).toBe('ack')
    expect(carols.frames.some((frame) => frame.conversation?.id === theirs)).toBe(true)
    await alice.send(theirs, 'are you there?', undefined, 201)
    await carols.until(() => seqsOf(carols, theirs).includes(2))
    await expectExactCounters(bob, his)
    await expectExactCounters(alice, hersElsewhere)
    await expectExactCounters(carol, carols)
  }, 90_000)

  test('lose nothing when Redis is flushed', async () => {
    const service = await twoNodes()
    const { alice, bob, conversationId } = await connectedPair(service, [0, 1])
    const his = await bob.socket()
    const admin = new Redis(redis.url)
    onTestFinished(() => admin.disconnect())
    for (let n = 1; n <= 30; n++) {
      await alice.send(conversationId, `message ${n}`, undefined, 201)
      if (n % 10 === 0) await admin.flushall()
    }
    await his.until(() => seqsOf(his, conversationId).includes(30))
    expect(seqsOf(his, conversationId)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
    await expectExactCounters(bob, his)
  })

  test('end tokens and sockets within a second of a logout on the other one, with and without Redis', async () => {
    const service = await twoNodes()
    for (const away of [false, true]) {
      const alice = await service.person()
      const elsewhere = alice.at(service.urls[1] as string)
      const socket = await elsewhere.socket()
      if (away) await redis.stop()
      const loggedOut = performance.now()
      await alice.post('/api/v01/auth/logout', { refresh_token: alice.refreshToken }, 200)
      expect(await socket.closure()).toMatchObject({ code: 4001 })
      expect(performance.now() - loggedOut).toBeLessThan(1_000)
      await elsewhere.get('/api/v01/chat/unread', 401)
    }
    await redis.start()
  })

  /** The channel of this conversation, which has subscribers. */
  async function channelOf(conversationId: number): Promise<string> {
    const client = new Redis(redis.url)
    try {
      const channels = (await client.pubsub('CHANNELS', `*:conversation:${conversationId}`)) as string[]
      expect(channels).toHaveLength(1)
      return channels[0] as string
    } finally {
      client.disconnect()
    }
  }
})
