import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { type Device, PushService } from '../support/outside/push-service.ts'
import { openExam, sendReviews } from '../support/practice.ts'
import { connect, connectedPair, startService, type TestService, withService } from '../support/service.ts'

const PUSH = '/api/v01/push'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SUBJECT = 'mailto:admin@example.org'

let outside: PushService
/** One that nobody else uses. */
let silent: PushService
let service: TestService
/** What the clock of the service is ahead of the real one. */
let aheadMs = 0
beforeAll(async () => {
  outside = await PushService.start()
  silent = await PushService.start()
  service = await startService({
    nodes: 2,
    clock: () => Date.now() + aheadMs,
    config: { push: { subject: SUBJECT, allowedHosts: [outside.host, silent.host] } },
  })
})
beforeEach(async () => {
  aheadMs = 0
  // What earlier tests have left for a later time.
  await service.sql`delete from pushes`
})
afterAll(async () => {
  expect(outside.problems).toEqual([])
  await service.close()
  await Promise.all([outside.close(), silent.close()])
})

const pushesTo = (device: Device) => expect.poll(() => device.received.map(({ text }) => text))
/** Waits until nothing more is about to be sent to anybody. */
const untilIdle = () =>
  expect
    .poll(async () => {
      const [row] = await service.sql`
        select (select count(*)::int from pushes) as waiting, (select count(*)::int from push_causes) as causes,
               (select max(id) from messages) as newest, (select message_id from push_cursor) as seen`
      return row?.waiting + row?.causes + (row?.newest ?? 0) - (row?.seen ?? 0)
    })
    .toBe(0)
const say = (client: Client, conversationId: number, message = 'the secret of the message') =>
  client.send(conversationId, message, undefined, 201)
const subscriptionsOf = async (client: Client) => (await client.get(PUSH, 200)).body.subscriptions
const name = (client: Client) => client.username

async function groupOf(owner: Client, ...members: Client[]): Promise<number> {
  for (const member of members) await connect(owner, member)
  const { body } = await owner.post(
    '/api/v01/chat/groups',
    { name: 'the group', member_ids: members.map(({ id }) => id) },
    201,
  )
  return Number(body.conv_id)
}

describe('the subscriptions', () => {
  test('are listed with the key, which is the same for everybody, on every node', async () => {
    const alice = await service.person()
    const [here, there] = await Promise.all([
      alice.get(PUSH, 200),
      alice.at(service.urls[1] as string).get(PUSH, 200),
    ])
    expect(here.body).toEqual({
      success: true,
      public_key: expect.stringMatching(/^B[\w-]{86}$/),
      subscriptions: [],
      settings: {
        messages: 'mentions',
        exams: true,
        practice: false,
        practice_hour: 18,
        preview: false,
        language: null,
        time_zone: null,
        notices: {
          exam_published: { push: true, mail: false },
          exam_closing: { push: true, mail: false },
          class_news: { push: true, mail: false },
        },
      },
    })
    expect(there.body.public_key).toBe(here.body.public_key)
    const device = outside.device()
    const added = await alice.post(`${PUSH}/subscriptions`, device.subscription, 201)
    const subscription = {
      id: expect.any(Number),
      endpoint_host: outside.host,
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
    }
    expect(added.body).toEqual({ success: true, subscription })
    const again = await alice.post(
      `${PUSH}/subscriptions`,
      { ...device.subscription, keys: outside.device().subscription.keys },
      201,
    )
    expect(again.body).toEqual(added.body)
    await alice.post(`${PUSH}/subscriptions`, device.subscription, 201)
    expect(await subscriptionsOf(alice)).toEqual([added.body.subscription])
  })

  test('need an endpoint on the internet and keys of a browser', async () => {
    const alice = await service.person()
    const { endpoint, keys } = outside.device().subscription
    const refused: [object, string][] = [
      [{ keys }, '/endpoint'],
      [{ endpoint, keys: { auth: keys.auth } }, '/keys/p256dh'],
      [{ endpoint, keys: { ...keys, auth: 'AAAA' } }, '/keys'],
      [{ endpoint, keys: { ...keys, p256dh: keys.auth } }, '/keys'],
      [{ endpoint: 'http://push.example.org/', keys }, '/endpoint'],
      [{ endpoint: 'https://127.0.0.1/', keys }, '/endpoint'],
      [{ endpoint: 'https://localhost/', keys }, '/endpoint'],
      [{ endpoint: 'https://LOCALHOST./', keys }, '/endpoint'],
      [{ endpoint: 'https://push.localhost:8443/', keys }, '/endpoint'],
      [{ endpoint: 'https://localhost.localdomain/', keys }, '/endpoint'],
      [{ endpoint: 'https://redis/', keys }, '/endpoint'],
      [{ endpoint: 'https://vault.internal/', keys }, '/endpoint'],
      [{ endpoint: 'https://0x7f.1/', keys }, '/endpoint'],
      [{ endpoint: 'https://[::1]/', keys }, '/endpoint'],
      [{ endpoint: 'https://[::ffff:10.0.0.1]/', keys }, '/endpoint'],
      [{ endpoint: 'https://192.168.1.1/', keys }, '/endpoint'],
      [{ endpoint: 'https://169.254.169.254/latest', keys }, '/endpoint'],
      [{ endpoint: `https://push.example.org/${'x'.repeat(2_048)}`, keys }, '/endpoint'],
    ]
    for (const [body, path] of refused) {
      const answer = await alice.post(`${PUSH}/subscriptions`, body, 400)
      expect(answer.body.errors?.[0]?.path, JSON.stringify(body)).toBe(path)
    }
    const wrong = { endpoint: 'https://10.0.0.1/', keys: { ...keys, auth: 'AAAA' } }
    const { errors } = (await alice.post(`${PUSH}/subscriptions`, wrong, 400)).body
    expect(errors?.map(({ path }) => path)).toEqual(['/endpoint', '/keys'])
    expect(await subscriptionsOf(alice)).toEqual([])
    await service.guest().get(PUSH, 401)
  })

  test('are at most twenty, however many are registered at once', async () => {
    const alice = await service.person()
    const tries = await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        alice.at(service.urls[n % 2] as string).post(`${PUSH}/subscriptions`, outside.device().subscription),
      ),
    )
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(5).fill(409)])
    const [first, second] = await subscriptionsOf(alice)
    const bob = await service.person()
    await bob.delete(`${PUSH}/subscriptions/${first?.id as number}`, 404)
    await alice.delete(`${PUSH}/subscriptions/${first?.id as number}`, 200)
    await alice.delete(`${PUSH}/subscriptions/${first?.id as number}`, 404)
    expect(await subscriptionsOf(alice)).toHaveLength(19)
    expect((await subscriptionsOf(alice))[0]).toEqual(second)
  })

  test('belong to whoever registered the endpoint last, with nothing that waited for the other', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const socket = await bob.socket()
    await socket.ask({ type: 'active' })
    const device = await outside.subscribe(bob)
    await say(alice, conversationId)
    await expect
      .poll(async () => (await service.sql`select 1 from pushes where user_id = ${bob.id}`).length)
      .toBe(1)
    const carol = await service.person()
    await carol.post(`${PUSH}/subscriptions`, device.subscription, 201)
    expect(await service.sql`select 1 from pushes where user_id = ${bob.id}`).toHaveLength(0)
    expect(await subscriptionsOf(bob)).toEqual([])
    expect(await subscriptionsOf(carol)).toHaveLength(1)
    await say(alice, conversationId)
    await untilIdle()
    expect(device.received).toEqual([])
  })

  test('belong to one of those who register an endpoint at the same time', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => service.person()))
    const { subscription } = outside.device()
    await Promise.all(
      people.map((each, n) =>
        each.at(service.urls[n % 2] as string).post(`${PUSH}/subscriptions`, subscription, 201),
      ),
    )
    const owners = await Promise.all(people.map(async (each) => (await subscriptionsOf(each)).length))
    expect(owners.toSorted()).toEqual([0, 0, 0, 0, 0, 1])
  })

  test('end with the session that made them, and with the account', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const devices = [await outside.subscribe(bob)]
    await bob.login(bob.username)
    devices.push(await outside.subscribe(bob))
    const { body } = await bob.get('/api/v01/account/sessions', 200)
    const other = body.sessions.find(({ current }) => !current) as { id: number }
    await bob.delete(`/api/v01/account/sessions/${other.id}`, 200)
    expect(await subscriptionsOf(bob)).toHaveLength(1)
    await say(alice, conversationId)
    await pushesTo(devices[1] as Device).toHaveLength(1)
    await bob.post('/api/v01/auth/logout', { refresh_token: bob.refreshToken }, 200)
    await say(alice, conversationId)
    await untilIdle()
    expect(devices.map(({ received }) => received.length)).toEqual([0, 1])

    await bob.login(bob.username)
    const device = await outside.subscribe(bob)
    await bob.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    await say(alice, conversationId).catch(() => {})
    await untilIdle()
    expect(device.received).toEqual([])
    expect(await service.sql`select 1 from push_subscriptions where user_id = ${bob.id}`).toHaveLength(0)
  })

  test('are off where nobody answers for the pushes', async () => {
    const quiet = await withService()
    const alice = await quiet.person()
    expect((await alice.get(PUSH, 200)).body.public_key).toBeNull()
    const { body } = await alice.post(
      `${PUSH}/subscriptions`,
      { ...outside.device().subscription, endpoint: 'https://push.example.org/a' },
      503,
    )
    expect(body.code).toBe('not_configured')
  })
})

describe('the settings', () => {
  test('change one by one, and stay', async () => {
    const alice = await service.person()
    const changed = await alice.patch(`${PUSH}/settings`, { messages: 'all', time_zone: 'Asia/Kolkata' }, 200)
    expect(changed.body.settings).toMatchObject({ messages: 'all', time_zone: 'Asia/Kolkata', exams: true })
    await alice.patch(`${PUSH}/settings`, { practice: true, practice_hour: 7, preview: true }, 200)
    await alice.patch(`${PUSH}/settings`, { exams: false, language: 'ar', time_zone: null }, 200)
    const none = { push: false, mail: true }
    await alice.patch(`${PUSH}/settings`, { notices: { class_news: none } }, 200)
    await alice.patch(`${PUSH}/settings`, { notices: { exam_closing: none } }, 200)
    expect((await alice.get(PUSH, 200)).body.settings).toEqual({
      messages: 'all',
      exams: false,
      practice: true,
      practice_hour: 7,
      preview: true,
      language: 'ar',
      time_zone: null,
      notices: { exam_published: { push: true, mail: false }, exam_closing: none, class_news: none },
    })
    for (const wrong of [
      {},
      { messages: 'some' },
      { practice_hour: 24 },
      { practice_hour: 1.5 },
      { language: 'tlh' },
      { time_zone: 'Mars/Olympus' },
      { time_zone: '+02:00' },
      { preview: 'yes' },
      { notices: { class_news: { push: true } } },
      { notices: { class_news: 'yes' } },
    ])
      await alice.patch(`${PUSH}/settings`, wrong, 400)
  })
})

describe('a message', () => {
  test('is pushed to each device of the other person, says who wrote, and not what', async () => {
    const { alice, bob, conversationId } = await connectedPair(service, [0, 1])
    const [one, other, own] = [
      await outside.subscribe(bob),
      await outside.subscribe(bob),
      await outside.subscribe(alice),
    ]
    await say(alice, conversationId)
    const text = {
      type: 'message',
      title: name(alice),
      body: 'New message',
      tag: `c${conversationId}`,
      url: `/desk/chat/${conversationId}`,
      id: conversationId,
    }
    await pushesTo(one).toEqual([text])
    await pushesTo(other).toEqual([text])
    await untilIdle()
    expect(own.received).toEqual([])
    expect(one.received[0]?.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '86400',
      urgency: 'high',
      topic: `c${conversationId}`,
    })
    expect((await subscriptionsOf(bob))[0]?.last_used_at).toMatch(/Z$/)

    await say(alice, conversationId)
    await pushesTo(one).toEqual([text, { ...text, body: '2 new messages' }])
  })

  test('is shown to those who want to see it', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    await bob.patch(`${PUSH}/settings`, { preview: true }, 200)
    const device = await outside.subscribe(bob)
    await say(alice, conversationId, `Hi! ${'é'.repeat(1_000)}`)
    await expect.poll(() => device.received[0]?.text.body).toMatch(/^Hi! é{235}…$/)
  })

  test('of a group is pushed to those who want all, or whom it mentions', async () => {
    const [owner, all, mentions, none, muted] = await Promise.all(
      Array.from({ length: 5 }, () => service.person()),
    )
    const people = [all, mentions, none, muted] as Client[]
    const id = await groupOf(owner as Client, ...people)
    for (const [client, messages] of [
      [all, 'all'],
      [none, 'none'],
      [muted, 'all'],
    ] as const)
      await client?.patch(`${PUSH}/settings`, { messages }, 200)
    await muted?.patch(
      `/api/v01/chat/conversations/${id}/settings`,
      { muted_until: '2099-01-01T00:00:00Z' },
      200,
    )
    const devices = await Promise.all(people.map((each) => outside.subscribe(each)))
    const counts = () => devices.map(({ received }) => received.length)
    await say(owner as Client, id)
    await expect.poll(counts).toEqual([1, 0, 0, 0])
    await untilIdle()
    await owner?.post(
      `/api/v01/chat/conversations/${id}/messages`,
      { message: 'all of you', mentions: people.map((each) => each.id) },
      201,
    )
    await expect.poll(counts).toEqual([2, 1, 0, 0])
    expect(devices[1]?.received[0]?.text).toMatchObject({
      title: 'the group',
      body: `${name(owner as Client)}: New message`,
    })
    await untilIdle()
    expect(counts()).toEqual([2, 1, 0, 0])
  })

  test('from somebody whom one has blocked is not pushed', async () => {
    const [owner, alice, bob] = [await service.person(), await service.person(), await service.person()]
    const id = await groupOf(owner, alice, bob)
    await bob.patch(`${PUSH}/settings`, { messages: 'all' }, 200)
    await bob.put(`/api/v01/chat/blocks/${alice.id}`, {}, 200)
    const device = await outside.subscribe(bob)
    await say(alice, id)
    await untilIdle()
    await say(owner, id)
    await pushesTo(device).toHaveLength(1)
    expect(device.received[0]?.text.body).toBe(`${name(owner)}: New message`)
  })

  test('waits while its reader is active on any node, and is not pushed once it is read', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const device = await outside.subscribe(bob)
    const socket = await bob.at(service.urls[1] as string).socket()
    expect(await socket.ask({ type: 'active' })).toEqual({ type: 'ack', ref: expect.any(String) })
    await say(alice, conversationId)
    await say(alice, conversationId)
    const waiting = () =>
      service.sql`select due_at, failures from pushes where user_id = ${bob.id} and kind = 'message'`
    await expect.poll(async () => (await waiting())[0]?.due_at.getTime() - Date.now()).toBeGreaterThan(15_000)
    expect(await waiting()).toMatchObject([{ failures: 0 }])
    expect(device.received).toEqual([])

    await socket.ask({ type: 'read', conversation_id: conversationId })
    aheadMs = 60_000
    await untilIdle()
    expect(device.received).toEqual([])
  })

  test('is pushed when its reader has gone, once for all that came meanwhile; pings keep nobody there', async () => {
    const brief = await withService({
      config: {
        push: { subject: SUBJECT, allowedHosts: [outside.host] },
        presence: { graceMs: 100, beatMs: 200, leaseMs: 600, activeMs: 1_500 },
      },
    })
    const { alice, bob, conversationId } = await connectedPair(brief)
    const device = await outside.subscribe(bob)
    const socket = await bob.socket()
    socket.send({ type: 'typing', conversation_id: conversationId })
    await socket.ask({ type: 'ping' })
    const began = performance.now()
    for (let n = 0; n < 3; n++) await say(alice, conversationId)
    const pinging = setInterval(() => socket.send({ type: 'ping' }), 100)
    await expect.poll(() => device.received.length).toBe(1)
    clearInterval(pinging)
    expect(performance.now() - began).toBeGreaterThan(1_400)
    expect(device.received[0]?.text.body).toBe('3 new messages')
  })

  test('waits for the end of an exam that locks help', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const device = await outside.subscribe(bob)
    const { examId } = await createExam(service.sql, { lock_help: true, duration_minutes: 60 })
    await bob.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await say(alice, conversationId)
    await expect
      .poll(async () => {
        const [row] = await service.sql`select due_at from pushes where user_id = ${bob.id}`
        return row?.due_at.getTime() - Date.now() > 12_000 && row?.due_at.getTime() - Date.now() <= 15_000
      })
      .toBe(true)
    expect(device.received).toEqual([])
    await bob.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    aheadMs = 20_000
    await pushesTo(device).toHaveLength(1)
  })

  test('that came before the device, or was deleted meanwhile, is not pushed', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    await say(alice, conversationId)
    const device = await outside.subscribe(bob)
    const socket = await bob.socket()
    await socket.ask({ type: 'active' })
    const { body } = await say(alice, conversationId)
    await expect
      .poll(async () => (await service.sql`select 1 from pushes where user_id = ${bob.id}`).length)
      .toBe(1)
    await alice.delete(`/api/v01/chat/messages/${body.message.id}`, 200)
    aheadMs = 60_000
    await untilIdle()
    expect(device.received).toEqual([])
  })

  test('whose transaction commits after one with a higher id is pushed as well', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const device = await outside.subscribe(bob)
    await untilIdle()
    const [late] = await service.sql`select nextval(pg_get_serial_sequence('messages', 'id'))::int as id`
    const other = await connectedPair(service)
    await say(other.alice, other.conversationId)
    await expect
      .poll(async () => (await service.sql`select 1 from push_gaps where message_id = ${late?.id}`).length)
      .toBe(1)
    await service.sql`
      with moved as (update conversations set last_seq = last_seq + 1, version = version + 1
                      where id = ${conversationId} returning id, last_seq, version)
      insert into messages (id, conversation_id, seq, version, sender_id, message, created_at)
      select ${late?.id}, id, last_seq, version, ${alice.id}, 'late', clock_timestamp() from moved`
    await pushesTo(device).toHaveLength(1)
    await expect
      .poll(async () => (await service.sql`select 1 from push_gaps where message_id = ${late?.id}`).length)
      .toBe(0)
  })
})

describe('other news', () => {
  test('a request to connect is pushed, unless it was answered meanwhile', async () => {
    const [alice, bob, carol] = [await service.person(), await service.person(), await service.person()]
    const device = await outside.subscribe(bob)
    const { body } = await alice.post('/api/v01/chat/connections', { recipient_id: bob.id }, 201)
    await pushesTo(device).toEqual([
      {
        type: 'connection_request',
        title: name(alice),
        body: 'Wants to connect with you',
        tag: `q${body.conn_id}`,
        url: '/desk/people',
        id: body.conn_id,
      },
    ])
    await (await bob.socket()).ask({ type: 'active' })
    await carol.post('/api/v01/chat/connections', { recipient_id: bob.id }, 201)
    await bob.post('/api/v01/chat/connections', { recipient_id: carol.id }, 200)
    aheadMs = 60_000
    await untilIdle()
    expect(device.received).toHaveLength(1)
  })

  test('a pair’s requests are pushed once a day, however often they are withdrawn and made again', async () => {
    const [alice, bob] = [await service.person(), await service.person()]
    const device = await outside.subscribe(bob)
    const ask = async (from: Client, to: Client) => {
      const { body } = await from.post('/api/v01/chat/connections', { recipient_id: to.id }, 201)
      await untilIdle()
      return body.conn_id
    }
    for (let n = 0; n < 3; n++) {
      const connId = await ask(alice, bob)
      await alice.delete(`/api/v01/chat/connections/${connId}`, 200)
    }
    expect(device.received).toHaveLength(1)
    await service.sql`update connections set pushed_at = pushed_at - interval '1 day' where requester_id = ${alice.id}`
    await ask(alice, bob)
    await pushesTo(device).toHaveLength(2)
  })

  test('results that are released or changed are pushed to those who have them', async () => {
    const admin = await service.admin()
    const { examId, questionIds } = await createExam(service.sql, { result_mode: 'on_release' })
    const [alice, bob, idle] = [await service.person(), await service.person(), await service.person()]
    for (const student of [alice, bob]) {
      await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
      await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    }
    await bob.patch(`${PUSH}/settings`, { exams: false }, 200)
    await alice.patch(`${PUSH}/settings`, { preview: true }, 200)
    const devices = await Promise.all([alice, bob, idle].map((each) => outside.subscribe(each)))
    const release = (released: boolean) =>
      admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released }, 200)
    const kinds = () => devices.map(({ received }) => received.map(({ text }) => text.type))
    await release(true)
    await expect.poll(kinds).toEqual([['released'], [], []])
    expect(devices[0]?.received[0]?.text).toMatchObject({
      body: 'Your result is out',
      url: `/desk/exams/${examId}`,
    })
    await release(true)
    await untilIdle()
    const correct = { question_id: questionIds[0] as number, action: 'credit_all' as const }
    await admin.post(`/api/v01/admin/exams/${examId}/regrades`, correct, 201)
    await expect.poll(kinds).toEqual([['released', 'changed'], [], []])
    await release(false)
    const other = { question_id: questionIds[0] as number, action: 'drop' as const }
    await admin.post(`/api/v01/admin/exams/${examId}/regrades`, other, 201)
    await untilIdle()
    expect(kinds()).toEqual([['released', 'changed'], [], []])
  })

  test('an exam that opens in 15 minutes is announced once, to each at their own time', async () => {
    const start = Date.now() + 10 * DAY_MS
    const { examId } = await createExam(service.sql, { opens_at: new Date(start) })
    const hidden = await createExam(service.sql, { opens_at: new Date(start), published: false })
    const [alice, early] = [await service.person(), await service.person()]
    await service.sql`insert into accommodations (exam_id, user_id, opens_at)
                      values (${examId}, ${early.id}, ${new Date(start - DAY_MS)})`
    const devices = await Promise.all([alice, early].map((each) => outside.subscribe(each)))
    const counts = () =>
      devices.map(({ received }) => received.filter(({ text }) => text.id === examId).length)
    await service.sql`update sessions set expires_at = now() + interval '60 days'`
    aheadMs = start - DAY_MS - Date.now() - 14 * 60_000
    await expect.poll(counts).toEqual([0, 1])
    aheadMs = start - Date.now() - 16 * 60_000
    await untilIdle()
    expect(counts()).toEqual([0, 1])
    aheadMs = start - Date.now() - 14 * 60_000
    await expect.poll(counts).toEqual([1, 1])
    expect(devices[0]?.received.at(-1)?.text).toMatchObject({
      type: 'opening',
      title: 'Exam',
      body: 'Opens in 15 minutes',
    })
    expect(devices.flatMap(({ received }) => received).some(({ text }) => text.id === hidden.examId)).toBe(
      false,
    )
  })

  test('an exam is announced while somebody lets hundreds for a class of theirs open at once', {
    timeout: 60_000,
    meta: { costly: 'announces an exam to thousands' },
  }, async () => {
    const own = await withService({
      config: { push: { subject: SUBJECT, allowedHosts: [outside.host] } },
    })
    const { sql } = own
    await sql`
      with people as (
        insert into users (username, email, full_name, role)
        select 'u' || n, 'u' || n || '@example.org', 'u', 'user' from generate_series(1, 20000) n returning id
      ), opened as (
        insert into sessions (user_id, kind, expires_at)
        select id, 'client', now() + interval '1 day' from people returning id, user_id)
      insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
      select user_id, id, 'https://' || ${silent.host} || '/' || id, 'none', 'none' from opened`
    await sql`analyze`
    const [admin, teacher] = [await own.admin(), await own.person()]
    const device = await outside.subscribe(teacher)
    const { body } = await admin.post('/api/v01/admin/classes', { name: 'C', teacher_ids: [teacher.id] }, 201)
    const opens = new Date(Date.now() + 10 * 60_000)
    await sql`
      with made as (
        insert into exams (name, for_classes, published, opens_at)
        select 'E', true, true, ${opens} from generate_series(1, 800) returning id)
      insert into exam_classes (exam_id, class_id) select id, ${body.class.id} from made`
    await expect.poll(() => device.received.length, { timeout: 30_000 }).toBe(800)
  })
})

describe('practice', () => {
  test('that is due is pushed once a day at the hour that somebody has set, in their time zone', async () => {
    const { questionIds } = await openExam(service.sql, 2)
    const [alice, late, off] = [await service.person(), await service.person(), await service.person()]
    // An hour that has just begun.
    aheadMs = HOUR_MS - (Date.now() % HOUR_MS)
    const now = Date.now() + aheadMs
    const hour = (new Date(now).getUTCHours() + 3) % 24
    const settings = { practice: true, practice_hour: hour, time_zone: 'Africa/Nairobi' }
    await alice.patch(`${PUSH}/settings`, settings, 200)
    await late.patch(`${PUSH}/settings`, { ...settings, practice_hour: (hour + 2) % 24 }, 200)
    await off.patch(`${PUSH}/settings`, { ...settings, practice: false }, 200)
    const devices = await Promise.all([alice, late, off].map((each) => outside.subscribe(each)))
    const counts = () => devices.map(({ received }) => received.length)
    const yesterday = new Date(now - DAY_MS).toISOString()
    for (const each of [alice, late, off])
      for (const question_id of questionIds) await sendReviews(each, { question_id, answered_at: yesterday })
    await expect.poll(counts).toEqual([1, 0, 0])
    expect(devices[0]?.received[0]?.text).toEqual({
      type: 'practice',
      title: 'Practice',
      body: '2 questions are due',
      tag: 'p',
      url: '/desk/practice',
      id: 0,
    })
    await service.sql`update push_settings set practice_hour = ${hour} where user_id = ${late.id}`
    await expect.poll(counts).toEqual([1, 1, 0])
    await service.sql`update sessions set expires_at = now() + interval '60 days'`
    aheadMs += DAY_MS
    await expect.poll(counts).toEqual([2, 2, 0])
  })
})

describe('a push service', () => {
  test('that says nobody is there ends the subscription', async () => {
    for (const status of [404, 410]) {
      const { alice, bob, conversationId } = await connectedPair(service)
      const device = await outside.subscribe(bob)
      outside.answer(device, { status })
      await say(alice, conversationId)
      await expect.poll(() => subscriptionsOf(bob)).toEqual([])
      expect(device.received).toEqual([])
    }
  })

  test('that is busy is asked again when it says so, up to five times', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const device = await outside.subscribe(bob)
    const asked = () => outside.asked.filter((each) => each === device.name).length
    outside.answer(
      device,
      { status: 429, headers: { 'retry-after': '120' } },
      ...Array.from({ length: 5 }, () => ({ status: 503, headers: { 'retry-after': '120' } })),
    )
    await say(alice, conversationId)
    for (let tries = 1; tries <= 6; tries++) {
      await expect.poll(asked).toBe(tries)
      if (tries === 6) break
      await expect
        .poll(
          async () => (await service.sql`select failures from pushes where user_id = ${bob.id}`)[0]?.failures,
        )
        .toBe(tries)
      const [row] = await service.sql`select due_at from pushes where user_id = ${bob.id}`
      expect(row?.due_at.getTime() - Date.now() - aheadMs).toBeGreaterThan(100_000)
      aheadMs += 121_000
    }
    await untilIdle()
    expect(device.received).toEqual([])
    expect(await subscriptionsOf(bob)).toHaveLength(1)
    await say(alice, conversationId)
    await pushesTo(device).toHaveLength(1)
  })

  test('that fails for a week ends the subscription; one that works meanwhile does not', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const device = await outside.subscribe(bob)
    await service.sql`update sessions set expires_at = now() + interval '60 days'`
    const fail = async () => {
      outside.answer(device, { status: 400 })
      const before = outside.asked.filter((each) => each === device.name).length
      await say(alice, conversationId)
      await expect.poll(() => outside.asked.filter((each) => each === device.name).length).toBe(before + 1)
      await untilIdle()
    }
    const failing = async () =>
      (await service.sql`select failing_since from push_subscriptions where user_id = ${bob.id}`)[0]
        ?.failing_since
    await fail()
    expect(await failing()).not.toBeNull()
    await say(alice, conversationId)
    await pushesTo(device).toHaveLength(1)
    await expect.poll(failing).toBeNull()
    await fail()
    await fail()
    expect(await failing()).not.toBeNull()
    aheadMs = 7 * DAY_MS + 60_000
    await alice.login(alice.username)
    await fail()
    await expect
      .poll(
        async () => (await service.sql`select 1 from push_subscriptions where user_id = ${bob.id}`).length,
      )
      .toBe(0)
  })

  test('that is slow holds up neither sends nor other pushes, and misses nothing', async () => {
    const [one, other] = [await connectedPair(service), await connectedPair(service)]
    const slow = await outside.subscribe(one.bob)
    const quick = await outside.subscribe(other.bob)
    outside.answer(slow, { status: 201, afterMs: 2_000 })
    await say(one.alice, one.conversationId)
    await expect.poll(() => slow.received.length).toBe(1)
    const began = performance.now()
    await say(one.alice, one.conversationId)
    await say(other.alice, other.conversationId)
    await pushesTo(quick).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(1_900)
    await expect
      .poll(() => slow.received.map(({ text }) => text.body))
      .toEqual(['New message', '2 new messages'])
  })

  test('of somebody whose push service never answers hold up nobody else', async () => {
    const DEVICES = 20
    const GROUPS = 14
    const { alice, bob, conversationId } = await connectedPair(service)
    const quick = await outside.subscribe(bob)
    const [mallory, accomplice] = await Promise.all([service.person(), service.person()])
    for (let count = 0; count < DEVICES; count++) {
      const answers = Array.from({ length: GROUPS }, () => ({ status: 201, afterMs: 20_000 }))
      silent.answer(await silent.subscribe(mallory), ...answers)
    }
    await mallory.patch(`${PUSH}/settings`, { messages: 'all' }, 200)
    await connect(accomplice, mallory)
    for (let count = 0; count < GROUPS; count++) {
      const group = { name: 'the group', member_ids: [mallory.id] }
      const { body } = await accomplice.post('/api/v01/chat/groups', group, 201)
      await say(accomplice, Number(body.conv_id))
    }
    await expect.poll(() => silent.asked.length).toBeGreaterThan(10)
    const began = performance.now()
    await say(alice, conversationId)
    await pushesTo(quick).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})

test('thousands who are told of one exam are each told once, by two nodes', {
  meta: { costly: 'pushes to thousands' },
}, async () => {
  const PEOPLE = 1_000
  const admin = await service.admin()
  const { examId } = await createExam(service.sql, { result_mode: 'on_release' })
  const student = await service.person()
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const devices = Array.from({ length: PEOPLE }, () => outside.device())
  const endpoints = devices.map(({ subscription }) => subscription.endpoint)
  const keys = (name: 'p256dh' | 'auth') => devices.map(({ subscription }) => subscription.keys[name])
  await service.sql`
    with people as (
      insert into users (username, email, full_name, role)
      select 'told' || n, 'told' || n || '@example.org', 'told', 'user' from generate_series(1, ${PEOPLE}::int) n
      returning id, substr(username, 5)::int as n
    ), opened as (
      insert into sessions (user_id, kind, expires_at) select id, 'client', now() + interval '1 day' from people
      returning id, user_id
    ), attempted as (
      insert into attempts
      overriding user value
      select (jsonb_populate_record(attempt, jsonb_build_object('user_id', people.id))).*
        from people, attempts attempt where attempt.user_id = ${student.id}
    )
    insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
    select people.id, opened.id, (${endpoints}::text[])[n], (${keys('p256dh')}::text[])[n], (${keys('auth')}::text[])[n]
      from people join opened on opened.user_id = people.id`
  await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
  await expect.poll(() => devices.filter(({ received }) => received.length > 0).length).toBe(PEOPLE)
  await untilIdle()
  expect(devices.every(({ received }) => received.length === 1)).toBe(true)
})

test('notices are pushed to who wants that, and not once they are read', async () => {
  const [teacher, ann, ben, carl] = await Promise.all([
    service.person(),
    service.person(),
    service.person(),
    service.person(),
  ])
  const classId = await createClass(service.sql, { teachers: [teacher], students: [ann, ben, carl] })
  const devices = await Promise.all(
    [ann, ben, carl].map(async (person) => {
      const device = outside.device()
      await person.post(`${PUSH}/subscriptions`, device.subscription, 201)
      return device
    }),
  )
  const [toAnn, toBen, toCarl] = devices as [Device, Device, Device]
  await ben.patch(`${PUSH}/settings`, { notices: { class_news: { push: false, mail: false } } }, 200)
  // Carl is here, and reads it.
  const socket = await carl.socket()
  await socket.ask({ type: 'active' })
  const { news } = (await teacher.post(`/api/v01/classes/${classId}/news`, { text: 'A ruler' }, 201)).body
  aheadMs = 60_000
  const { notice } = await socket.waitFor(({ type }) => type === 'notice')
  await carl.post('/api/v01/notices/read', { up_to: notice.id }, 200)
  await pushesTo(toAnn).toEqual([
    {
      type: 'class_news',
      title: '10 b',
      body: 'There are news',
      tag: `n${news.id}`,
      url: `/desk/classes/${classId}`,
      id: news.id,
    },
  ])
  // What waits for Carl is looked at when he may have gone.
  aheadMs = 120_000
  await untilIdle()
  expect([toBen.received, toCarl.received]).toEqual([[], []])
})
