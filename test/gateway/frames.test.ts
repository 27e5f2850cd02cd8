import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { Compile } from 'typebox/compile'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ServerFrame } from '../../schemas/events.schemas.ts'
import type { ServiceNode } from '../../src/process/node.ts'
import type { Client } from '../support/client.ts'
import { connect, connectedPair, type SharedService, sharedService, withService } from '../support/service.ts'
import { refusedUpgrade, TestSocket } from '../support/socket.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const CHAT = '/api/v01/chat'
const frameSchema = Compile(ServerFrame)

function expectDocumented(socket: TestSocket): void {
  for (const frame of socket.frames) expect([...frameSchema.Errors(frame)], JSON.stringify(frame)).toEqual([])
}

describe('opening', () => {
  test('takes a bearer header or the subprotocol pair, and sends ready first', async () => {
    const person = await service.person()
    const [header, browser] = await Promise.all([
      person.socket(),
      person.socket({ protocols: ['exam-practice.v1', `bearer.${person.accessToken}`] }),
    ])
    expect(browser.ws.protocol).toBe('exam-practice.v1')
    for (const socket of [header, browser]) {
      expect(socket.frames[0]).toMatchObject({
        type: 'ready',
        user_id: person.id,
        heartbeat_seconds: 25,
        unread: 0,
        requests: 0,
      })
      expectDocumented(socket)
    }
  })

  test('handles frames that came before ready after it, without missing events in between', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const { bus } = (service.nodes[0] as ServiceNode).core
    const { subscribe } = bus
    onTestFinished(() => {
      bus.subscribe = subscribe
    })
    const listening = Promise.withResolvers<void>()
    bus.subscribe = (topic, listener) => {
      const subscription = subscribe(topic, listener)
      return topic === `user:${bob.id}` ? { ...subscription, ready: listening.promise } : subscription
    }
    const ws = new WebSocket(`${bob.url.replace('http', 'ws')}/api/v01/ws`, {
      headers: { authorization: `Bearer ${bob.accessToken}` },
    })
    const socket = new TestSocket(ws)
    await once(ws, 'open')
    socket.send({ type: 'resume', ref: 'first', conversations: { [conversationId]: 0 } })
    await alice.get(`${CHAT}/conversations`, 200)
    await alice.send(conversationId, 'meanwhile', undefined, 201)
    listening.resolve()
    await socket.waitFor(({ type }) => type === 'message')
    await socket.waitFor(({ ref }) => ref === 'first')
    expect(socket.frames[0]?.type).toBe('ready')
  })

  test('is refused without valid credentials, with the usual error body', async () => {
    const url = service.urls[0] as string
    expect(await refusedUpgrade({ url })).toMatchObject({
      status: 401,
      body: { code: 'authentication_required' },
    })
    for (const options of [{ token: 'x' }, { protocols: ['exam-practice.v1', 'bearer.x'] }])
      expect(await refusedUpgrade({ url, ...options })).toMatchObject({
        status: 401,
        body: { code: 'token_expired_or_invalid' },
      })
  })
})

describe('an upgrade', () => {
  const ask = (path: string, headers: Record<string, string>) =>
    new Promise<IncomingMessage>((resolve, reject) =>
      request(`${service.urls[0]}${path}`, { headers }, resolve).on('error', reject).end(),
    )

  test('that is refused is answered with `connection: close`', async () => {
    const refused = await ask('/api/v01/ws', {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    })
    expect(refused).toMatchObject({ statusCode: 401, headers: { connection: 'close' } })
  })

  test('that is accepted has the `x-request-id` of its request', async () => {
    const { accessToken } = await service.person()
    const headers = { authorization: `Bearer ${accessToken}`, 'x-request-id': 'its-own' }
    const ws = new WebSocket(`${service.urls[0]?.replace('http', 'ws')}/api/v01/ws`, { headers })
    const [accepted] = await once(ws, 'upgrade')
    expect(accepted).toMatchObject({ statusCode: 101, headers: { 'x-request-id': 'its-own' } })
    ws.terminate()
  })

  test('to another protocol is answered as an ordinary request', async () => {
    const offered = { connection: 'upgrade, http2-settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
    expect((await ask('/healthz', offered)).statusCode).toBe(200)
  })
})

describe('commands', () => {
  test('are answered with an ack and their result, or with an error, both with their ref', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [hers, his] = await Promise.all([alice.socket(), bob.socket()])
    const sent = await hers.ask({ type: 'send', conversation_id: conversationId, message: ' hi ' })
    expect(sent).toMatchObject({ type: 'ack', message: { message: 'hi', seq: 1, is_own: true } })
    const read = await his.ask({ type: 'read', conversation_id: conversationId })
    expect(read).toMatchObject({ type: 'ack', unread: 0 })
    expect(await his.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
    expect(await his.ask({ type: 'unsubscribe', topic: 'question:7' })).toMatchObject({ topic: 'question:7' })
    expect(await his.ask({ type: 'subscribe', topic: `ai_job:${'0'.repeat(36)}` })).toMatchObject({
      type: 'error',
      code: 'forbidden',
    })
    for (const topic of ['question:999999', 'question:9999999999'])
      expect(await his.ask({ type: 'subscribe', topic })).toMatchObject({ type: 'error', code: 'not_found' })
    expect(await his.ask({ type: 'send', conversation_id: conversationId, message: '' })).toMatchObject({
      type: 'error',
      code: 'validation_failed',
      errors: [{ path: '/message' }],
    })
    expect(await his.ask({ type: 'read', conversation_id: 999_999 })).toMatchObject({ code: 'not_found' })
    expect(await his.ask({ type: 'resume', conversations: { x: 1 } })).toMatchObject({
      code: 'validation_failed',
    })
    // Code points count, of which these are 64.
    const faces = '😀'.repeat(64)
    his.send({ type: 'read', conversation_id: conversationId, ref: faces })
    await his.waitFor(({ type, ref }) => type === 'ack' && ref === faces)
    his.send('{"type":"nonsense","ref":"mine"}')
    expect(await his.waitFor(({ ref }) => ref === 'mine')).toMatchObject({ code: 'invalid_frame' })
    for (const socket of [hers, his]) expectDocumented(socket)
  })

  test('obey the rate limit that they share with HTTP', async () => {
    const slow = await withService({ config: { chat: { sendIntervalMs: 2_000 } } })
    const { alice, conversationId } = await connectedPair(slow)
    const socket = await alice.socket()
    const send = { type: 'send', conversation_id: conversationId, message: 'x' }
    expect(await socket.ask(send)).toMatchObject({ type: 'ack' })
    expect(await socket.ask(send)).toMatchObject({ type: 'error', code: 'rate_limited', retry_after: 2 })
    await alice.send(conversationId, 'over HTTP', undefined, 429)
  })
})

describe('read', () => {
  test('on one device updates the others within a second, and is shown to the other person', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const devices = await Promise.all([bob.socket(), bob.socket(), bob.socket()])
    const hers = await alice.socket()
    for (let n = 0; n < 3; n++) await alice.send(conversationId, `${n}`)
    for (const device of devices) await device.until(() => device.of('unread').at(-1)?.unread === 3)

    expect(
      await devices[0].ask({ type: 'read', conversation_id: conversationId, up_to_seq: 2 }),
    ).toMatchObject({
      unread: 1,
    })
    for (const device of devices) {
      await device.until(() => device.of('unread').at(-1)?.unread === 1, 1_000)
      expect(device.of('unread').at(-1)).toMatchObject({
        conversation_id: conversationId,
        conversation_unread: 1,
      })
    }
    await bob.get(`${CHAT}/conversations/${conversationId}/messages`, 200)
    for (const device of devices) await device.until(() => device.of('unread').at(-1)?.unread === 0, 1_000)
    for (const socket of [...devices, hers]) {
      await socket.waitFor(({ type, up_to_seq }) => type === 'read' && up_to_seq === 3)
      expect(socket.of('read')).toEqual(
        [2, 3].map((up_to_seq) => ({
          type: 'read',
          conversation_id: conversationId,
          user_id: bob.id,
          up_to_seq,
        })),
      )
      expectDocumented(socket)
    }
  })

  test('sends counters at most twice a second, the last of them exact', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const socket = await bob.socket()
    const began = performance.now()
    for (let n = 0; n < 40; n++) await alice.send(conversationId, `${n}`)
    await socket.until(() => socket.of('unread').at(-1)?.unread === 40)
    expect(socket.of('unread').length).toBeLessThanOrEqual(2 + (performance.now() - began) / 500)
    expect((await bob.get(`${CHAT}/unread`, 200)).body.unread).toBe(40)
  })
})

test('unread frames are at least 500 ms apart, even if counting for the first one was slow', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const socket = await bob.socket()
  // The frames of connecting are past, so the next one is sent at once.
  await setTimeout(600)
  const cameAt: number[] = []
  socket.ws.on('message', (data) => {
    if (JSON.parse(data.toString()).type === 'unread') cameAt.push(performance.now())
  })
  await service.sql.begin(async (tx) => {
    await tx`lock table connections in access exclusive mode`
    await alice.send(conversationId, 'one', undefined, 201)
    // Counting waits for the lock for this long.
    await setTimeout(300)
  })
  await socket.until(() => cameAt.length === 1)
  await alice.send(conversationId, 'another', undefined, 201)
  await socket.until(() => cameAt.length === 2)
  expect((cameAt[1] as number) - (cameAt[0] as number)).toBeGreaterThanOrEqual(500)
})

test('events that a dying node did not publish are published when the client repeats its request', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const carol = await service.person()
  const socket = await bob.socket()
  const { bus } = (service.nodes[0] as ServiceNode).core
  const { publish } = bus
  onTestFinished(() => {
    bus.publish = publish
  })
  const withoutPublishing = async <A>(change: () => Promise<A>) => {
    bus.publish = () => {}
    const answer = await change()
    bus.publish = publish
    return answer
  }
  const counters = ({ unread = 0, requests = 0 }) =>
    socket.until(() => {
      const last = socket.of('unread').at(-1)
      return last?.unread === unread && last.requests === requests
    })
  await alice.send(conversationId, 'hi', undefined, 201)
  await counters({ unread: 1 })

  const read = () => bob.post(`${CHAT}/conversations/${conversationId}/read`, {}, 200)
  await withoutPublishing(read)
  await read()
  await counters({})

  const ask = (status: number) => carol.post(`${CHAT}/connections`, { recipient_id: bob.id }, status)
  const asked = await withoutPublishing(() => ask(201))
  await ask(409)
  await counters({ requests: 1 })

  const reject = (status: number) =>
    bob.post(`${CHAT}/connections/${asked.body.conn_id}/respond`, { action: 'reject' }, status)
  await withoutPublishing(() => reject(200))
  await reject(409)
  await counters({})
})

describe('typing', () => {
  test('is shown to the other members only, and only by those who may send', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const stranger = await service.person()
    const [hers, his, theirs] = await Promise.all([alice.socket(), bob.socket(), stranger.socket()])
    hers.send({ type: 'typing', conversation_id: conversationId })
    expect(await his.waitFor(({ type }) => type === 'typing')).toEqual({
      type: 'typing',
      conversation_id: conversationId,
      user_id: alice.id,
    })
    expect(await theirs.ask({ type: 'typing', conversation_id: conversationId })).toMatchObject({
      code: 'not_found',
    })
    await bob.put(`${CHAT}/blocks/${alice.id}`, {}, 200)
    expect(await hers.ask({ type: 'typing', conversation_id: conversationId })).toMatchObject({
      code: 'not_connected',
    })
    await hers.ask({ type: 'ping' })
    expect(hers.of('typing')).toEqual([])
    expect(his.of('typing')).toHaveLength(1)
    expectDocumented(his)
  })
})

describe('presence', () => {
  const seen = (socket: TestSocket, { id }: Client) =>
    socket
      .of('presence')
      .filter(({ user_id }) => user_id === id)
      .map(({ online }) => online)

  test('counts several sockets as one person, and does not show a reload', async () => {
    const { alice, bob } = await connectedPair(service)
    const stranger = await service.person()
    const [his, theirs] = await Promise.all([bob.socket(), stranger.socket()])
    const [first, second] = [await alice.socket(), await alice.socket()]
    await his.until(() => seen(his, alice).length === 1)
    await first.close()
    await second.close()
    const third = await alice.socket()
    await third.close()
    await his.until(() => seen(his, alice).length === 2)
    expect(seen(his, alice)).toEqual([true, false])
    expect(theirs.of('presence')).toEqual([])
    expect((await bob.get(`${CHAT}/presence`, 200)).body).toEqual({
      success: true,
      status: { [alice.id]: false },
    })
    expectDocumented(his)
  })

  test('is sent to people who begin to share a conversation', async () => {
    const [one, other] = await Promise.all([service.person(), service.person()])
    const [hers, his] = await Promise.all([one.socket(), other.socket()])
    await connect(one, other)
    await hers.until(() => seen(hers, other).at(-1))
    await his.until(() => seen(his, one).at(-1))
    const { body } = await one.get(`${CHAT}/conversations`, 200)
    expect(body.conversations[0]?.online).toBe(true)
  })

  test('a block hides typing and reading in both directions, in direct conversations and groups', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const carol = await service.person()
    await Promise.all([connect(alice, carol), connect(bob, carol)])
    const { body } = await carol.post(
      `${CHAT}/groups`,
      { name: 'Three', member_ids: [alice.id, bob.id] },
      201,
    )
    const group: number = body.conv_id
    for (const id of [conversationId, group]) await bob.send(id, 'Before', undefined, 201)
    await bob.put(`${CHAT}/blocks/${alice.id}`, {}, 200)
    const sockets = { alice: await alice.socket(), bob: await bob.socket(), carol: await carol.socket() }
    const phone = await alice.socket()

    for (const [who, id] of [
      ['alice', group],
      ['bob', group],
      ['bob', conversationId],
    ] as const)
      sockets[who].send({ type: 'typing', conversation_id: id })
    for (const id of [group, conversationId])
      expect(await sockets.alice.ask({ type: 'read', conversation_id: id })).toMatchObject({ type: 'ack' })
    await carol.send(group, 'After', undefined, 201)
    await bob.get(`${CHAT}/conversations/${group}/messages`, 200)
    await sockets.carol.waitFor(({ type, user_id }) => type === 'typing' && user_id === alice.id)
    await sockets.carol.waitFor(({ type, user_id }) => type === 'typing' && user_id === bob.id)
    await sockets.carol.waitFor(({ type, user_id }) => type === 'read' && user_id === bob.id)
    await sockets.carol.waitFor(({ type, user_id }) => type === 'read' && user_id === alice.id)
    // Her own devices are told that she has read it.
    await phone.waitFor(({ type, conversation_id }) => type === 'read' && conversation_id === conversationId)
    for (const each of [sockets.alice, sockets.bob]) {
      each.send({ type: 'ping' })
      await each.waitFor(({ type }) => type === 'pong')
    }
    const about = (socket: TestSocket, userId: number) =>
      socket.frames.filter(
        ({ type, user_id }) => (type === 'typing' || type === 'read') && user_id === userId,
      )
    expect(about(sockets.bob, alice.id)).toEqual([])
    expect(about(sockets.alice, bob.id)).toEqual([])

    const seen = async (by: Client, of: Client) =>
      (await by.get(`${CHAT}/conversations/${group}`, 200)).body.conversation.members.find(
        ({ id }) => id === of.id,
      )?.last_read_seq
    expect(await seen(carol, bob)).toBe(2)
    expect([await seen(alice, bob), await seen(bob, alice)]).toEqual([0, 0])
    expect(await seen(bob, bob)).toBe(2)
  })

  test('is hidden by a block and shown again after it, also for people who only share a group', async () => {
    const [owner, one, other] = await Promise.all([service.person(), service.person(), service.person()])
    await Promise.all([connect(owner, one), connect(owner, other)])
    await owner.post(`${CHAT}/groups`, { name: 'Group', member_ids: [one.id, other.id] }, 201)
    const hers = await one.socket()
    const his = await other.socket()
    const both = (online: boolean) =>
      Promise.all([
        hers.until(() => seen(hers, other).at(-1) === online),
        his.until(() => seen(his, one).at(-1) === online),
      ])
    // She was connected first, so she is told when he connects.
    await hers.until(() => seen(hers, other).at(-1) === true)
    await one.put(`${CHAT}/blocks/${other.id}`, {}, 200)
    await both(false)
    await one.delete(`${CHAT}/blocks/${other.id}`, 200)
    await both(true)
  })
})

describe('the token of a socket', () => {
  test('is renewed by auth; its end is announced, and closes the socket', async () => {
    let aheadMs = 0
    const service = await withService({ clock: () => Date.now() + aheadMs })
    const [person, other] = await Promise.all([service.person(), service.person()])
    const socket = await person.socket()
    expect(await socket.ask({ type: 'auth', access_token: other.accessToken })).toMatchObject({
      type: 'error',
      code: 'token_expired_or_invalid',
    })
    aheadMs = 3_000_000
    await person.login(person.username)
    expect(await socket.ask({ type: 'auth', access_token: person.accessToken })).toMatchObject({
      type: 'ack',
      expires_in: expect.closeTo(3_600, -1),
    })
    aheadMs += 3_545_000
    const notice = await socket.waitFor(({ type }) => type === 'auth_expiring')
    expect(notice.expires_in).toBeGreaterThan(50)
    expect(notice.expires_in).toBeLessThanOrEqual(60)
    expect(await socket.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
    aheadMs += 60_000
    expect(await socket.closure()).toMatchObject({ code: 4001 })
    expect(socket.of('auth_expiring')).toHaveLength(1)
    expectDocumented(socket)
  })

  test('a logout closes it with 4001', async () => {
    const person = await service.person()
    const socket = await person.socket()
    await person.post('/api/v01/auth/logout', { refresh_token: person.refreshToken }, 200)
    expect(await socket.closure(1_000)).toMatchObject({ code: 4001 })
  })
})
