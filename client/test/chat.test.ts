import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  connect,
  connectedPair,
  type SharedService,
  sharedService,
  withService,
} from '../../test/support/service.ts'
import { type Chat, createChat, type RoomMessage } from '../src/chat/chat.ts'
import type { Platform } from '../src/index.ts'
import { node } from '../src/platforms/node.ts'
import { memoryStore } from '../src/storage/memory.ts'
import { newApp, openApp, until } from './support/app.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

async function pair() {
  const { alice, bob, conversationId } = await connectedPair(service)
  const [hers, his] = await Promise.all([openApp(alice), openApp(bob)])
  return {
    alice,
    bob,
    id: conversationId,
    hers: createChat(hers),
    his: createChat(his),
    herApp: hers,
    hisApp: his,
  }
}

const texts = (messages: readonly RoomMessage[]) => messages.map(({ message }) => message)

function unreadOf(chat: Chat, id: number) {
  return chat.$conversations.get()?.find((each) => each.id === id)?.unread
}

describe('chat', () => {
  test('shows a message on both sides, counts it, and tells that it was read', async () => {
    const { id, hers, his, bob } = await pair()
    await until(his.$conversations, (list) => list !== undefined)
    const hersRoom = hers.room(id)
    await until(hersRoom.$state, ({ status }) => status === 'ready')
    await hers.send(id, 'hello')
    await until(his.$unread, (unread) => unread === 1)
    expect(unreadOf(his, id)).toBe(1)
    const room = his.room(id)
    const [shown] = await until(room.$messages, (messages) => messages.length === 1)
    expect(shown).toMatchObject({ message: 'hello', state: 'sent', is_own: false, seq: 1 })
    his.read(id)
    expect(his.$unread.get()).toBe(0)
    await until(hersRoom.$readBy, (readBy) => readBy[bob.id] === 1)
    expect(hers.$conversations.get()?.[0]).toMatchObject({ last_message: { message: 'hello' }, unread: 0 })
  })

  test('shows what is written at once, and never twice: its key stays the same', async () => {
    const { id, hers } = await pair()
    const room = hers.room(id)
    await until(room.$state, ({ status }) => status === 'ready')
    const seen: string[][] = []
    room.$messages.listen((messages) => seen.push(messages.map(({ key, state }) => `${key} ${state}`)))
    const [{ clientId: one }, { clientId: two }] = await Promise.all([
      hers.send(id, 'one'),
      hers.send(id, 'two'),
    ])
    const end = await until(room.$messages, (all) => all.length === 2 && all.every(({ seq }) => seq !== null))
    expect(texts(end)).toEqual(['one', 'two'])
    await until(hers.$outgoing, (entries) => entries.length === 0)
    for (const each of seen) expect(new Set(each.map((line) => line.split(' ')[0])).size).toBe(each.length)
    expect(seen.at(-1)).toEqual([`${one} sent`, `${two} sent`])
  })

  test('keeps what is written before it returns: it goes out after a restart', async () => {
    const { alice, bob, conversationId: id } = await connectedPair(service)
    const store = memoryStore()
    const offline = { fetch: async () => Promise.reject(new TypeError('fetch failed')) }
    const app = await openApp(alice, { store })
    const lost = newApp(alice.url, { store, platform: offline })
    app.close()
    await until(lost.session.$user, (user) => user?.id === alice.id)
    const chat = createChat(lost)
    for (const text of ['a', 'b', 'c']) await chat.send(id, text)
    lost.close()

    createChat(newApp(alice.url, { store }))
    const his = createChat(await openApp(bob)).room(id)
    expect(texts(await until(his.$messages, (all) => all.length === 3))).toEqual(['a', 'b', 'c'])
  })

  test('waits as long as a 429 says and no longer, and keeps the order', async () => {
    const slow = await withService({ config: { chat: { sendIntervalMs: 2_000 } } })
    const { alice, conversationId: id } = await connectedPair(slow)
    const waits = new Set<number>()
    const { after } = node()
    const platform: Partial<Platform> = {
      random: () => 0.123,
      after(ms, work) {
        waits.add(ms)
        return after(ms, work)
      },
    }
    const chat = createChat(await openApp(alice, { platform }))
    for (const text of ['a', 'b', 'c']) await chat.send(id, text)
    const room = chat.room(id)
    const all = await until(
      room.$messages,
      (each) => each.length === 3 && each.every(({ seq }) => seq),
      15_000,
    )
    expect(texts(all)).toEqual(['a', 'b', 'c'])
    const seconds = [1_000, 2_000]
    expect(seconds.filter((ms) => waits.has(ms))).not.toEqual([])
    expect(seconds.filter((ms) => waits.has(ms + 0.123 * 2_000))).toEqual([])
  })

  test('shows a message that can never be sent as failed, and sends the rest', async () => {
    const { alice, id, hers } = await pair()
    const { body } = await alice.get('/api/v01/chat/conversations', 200)
    const conv = await connect(alice, await service.person())
    await alice.delete(`/api/v01/chat/connections/${body.conversations[0]?.conn_id}`, 200)
    const { clientId: refused } = await hers.send(id, 'nobody there')
    await hers.send(conv, 'somebody')
    const [failed] = await until(hers.$outgoing, (all) => all.length === 1 && all[0]?.state === 'failed')
    expect(failed).toMatchObject({ clientId: refused, error: 'not_connected' })
    await until(hers.room(conv).$messages, (all) => all.length === 1 && all[0]?.seq === 1)
    await hers.discard(refused)
    expect(hers.$outgoing.get()).toEqual([])
  })

  test('catches up on what it missed while it was disconnected, also after a long gap', {
    meta: { costly: 'misses more than a thousand messages' },
  }, async () => {
    const { alice, id, his, hisApp } = await pair()
    await alice.send(id, 'first')
    const room = his.room(id)
    await until(room.$messages, (all) => all.length === 1)
    // A resume brings at most 500 changes of a conversation; beyond that the client lists its messages again.
    for (const missed of [3, 520]) {
      hisApp.live.disconnect()
      const before = room.$messages.get().length
      for (let n = 0; n < missed; n += 20)
        await Promise.all(
          Array.from({ length: Math.min(20, missed) }, (_, at) => alice.send(id, `${n + at}`)),
        )
      const total = (await alice.get(`/api/v01/chat/conversations/${id}`, 200)).body.conversation.last_seq
      hisApp.live.connect()
      const all = await until(room.$messages, (each) => each.at(-1)?.seq === total, 15_000)
      expect(all.map(({ seq }) => seq)).toEqual(
        Array.from({ length: all.length }, (_, at) => total - all.length + at + 1),
      )
      expect(all.length).toBeGreaterThan(before)
      await until(his.$unread, (unread) => unread === total)
    }
    await room.more()
  })

  test('scrolls back to the first message without a hole', async () => {
    const { alice, id, his } = await pair()
    for (let n = 0; n < 130; n++) await alice.send(id, `${n}`)
    const room = his.room(id)
    await until(room.$state, ({ status }) => status === 'ready')
    while (room.$state.get().hasMore) await room.more()
    expect(texts(room.$messages.get())).toEqual(Array.from({ length: 130 }, (_, n) => `${n}`))
  })

  test('follows edits, deletions, requests, presence and typing', async () => {
    const { alice, bob, id, hers, his, herApp } = await pair()
    await until(his.$conversations, (list) => list?.length === 1)
    const sent = (await alice.send(id, 'teh')).body.message
    const room = his.room(id)
    await until(room.$messages, (all) => all.length === 1)
    await alice.patch(`/api/v01/chat/messages/${sent.id}`, { message: 'the' }, 200)
    await until(room.$messages, ([first]) => first?.message === 'the' && first.is_edited)
    await alice.delete(`/api/v01/chat/messages/${sent.id}`, 200)
    await until(room.$messages, ([first]) => first?.is_deleted === true)
    await until(his.$online, (online) => online[alice.id] === true)
    hers.typing(id)
    await until(his.$typing, (typing) => typing[id]?.[0] === alice.id)
    const other = await service.person()
    await other.post('/api/v01/chat/connections', { recipient_id: bob.id }, 201)
    await until(his.$requests, ([request]) => request?.from_id === other.id)
    herApp.close()
    await until(his.$online, (online) => online[alice.id] === false)
  })

  test('ignores who was online by an answer that a newer one or a logout has overtaken', async () => {
    const { alice, bob } = await connectedPair(service)
    const held: (() => void)[] = []
    const app = await openApp(bob, {
      platform: {
        async fetch(request) {
          const response = await fetch(request)
          if (request.url.endsWith('/presence') && held.length < 1)
            await new Promise<void>((resolve) => held.push(resolve))
          return response
        },
      },
    })
    const chat = createChat(app)
    const release = async () => {
      held.pop()?.()
      // By the time that another answer has come, the released one has been read.
      await fetch(`${bob.url}/healthz`)
      return chat.$online.get()
    }
    await expect.poll(() => held.length).toBe(1)
    app.live.disconnect()
    createChat(await openApp(alice))
    await expect
      .poll(async () => (await bob.get('/api/v01/chat/presence', 200)).body.status[alice.id])
      .toBe(true)
    app.live.connect()
    await until(chat.$online, (online) => online[alice.id] === true)
    expect(await release()).toMatchObject({ [alice.id]: true })

    app.live.disconnect()
    app.live.connect()
    await expect.poll(() => held.length).toBe(1)
    await app.session.logout()
    expect(await release()).toEqual({})
  })

  test('is empty after a logout, and nothing of it is left on the machine', async () => {
    const { alice, conversationId: id } = await connectedPair(service)
    const store = memoryStore()
    const refuse = (request: Request) =>
      request.url.endsWith('/messages') && request.method === 'POST'
        ? Promise.reject(new TypeError('fetch failed'))
        : fetch(request)
    const app = await openApp(alice, { store, platform: { fetch: refuse } })
    const chat = createChat(app)
    await chat.send(id, 'a secret')
    await until(chat.$conversations, (list) => list !== undefined)
    expect(JSON.stringify(await store.list(''))).toContain('a secret')
    await app.session.logout()
    expect(chat.$conversations.get()).toBeUndefined()
    expect(chat.$outgoing.get()).toEqual([])
    expect(await store.list('')).toEqual([])
  })
})

describe('the socket', () => {
  test('is opened again with a new token when a change of role ends its own', async () => {
    const { alice } = await connectedPair(service)
    const app = await openApp(alice)
    const chat = createChat(app)
    await until(chat.$conversations, (list) => list !== undefined)
    const admin = await service.admin()
    await admin.post('/api/v01/admin/users/role', { user_id: alice.id, new_role: 'user,admin' }, 200)
    await until(app.live.$status, (status) => status !== 'online')
    await until(app.live.$status, (status) => status === 'online', 15_000)
    const what = app.diagnostics.entries().map(({ what: each }) => each)
    expect(what).toContain('session.refresh')
  })

  test('stays closed after a deliberate disconnect, even if the device wakes up', async () => {
    const { alice } = await connectedPair(service)
    const listeners: ((event: 'wake') => void)[] = []
    const app = await openApp(alice, {
      platform: {
        watch(tell) {
          listeners.push(tell)
          return () => {}
        },
      },
    })
    createChat(app)
    await until(app.live.$status, (status) => status === 'online')
    app.live.disconnect()
    for (const tell of listeners) tell('wake')
    // Long enough for a new connection to open, if the client tried one.
    await setTimeout(300)
    expect(app.live.$status.get()).toBe('offline')
    app.live.connect()
    await until(app.live.$status, (status) => status === 'online')
  })

  test('is given up when a ping stays unanswered, though nothing closed it', async () => {
    const { alice } = await connectedPair(service)
    const plain = node()
    const began = Date.now()
    const opened: { isHalfOpen: boolean }[] = []
    const listeners: ((event: 'wake') => void)[] = []
    const app = await openApp(alice, {
      platform: {
        // Clock and timers run 20 times as fast, so that the ping's time limit passes within the test.
        now: () => began + (Date.now() - began) * 20,
        after: (ms, run) => plain.after(ms / 20, run),
        watch(tell) {
          listeners.push(tell)
          return () => {}
        },
        openSocket(url, protocols) {
          const socket = plain.openSocket(url, protocols)
          const state = { isHalfOpen: false }
          opened.push(state)
          const { send } = socket
          // A half-open connection: what is sent is lost, so no answer comes.
          socket.send = (text) => {
            if (!state.isHalfOpen) send.call(socket, text)
          }
          return socket
        },
      },
    })
    createChat(app)
    await until(app.live.$status, (status) => status === 'online')
    const [first] = opened as [{ isHalfOpen: boolean }]
    first.isHalfOpen = true
    for (const tell of listeners) tell('wake')
    await until(app.live.$status, (status) => status !== 'online')
    await until(app.live.$status, (status) => status === 'online')
    // Where a connection takes longer than it may at this speed, it is tried once more.
    expect(opened.length).toBeGreaterThan(1)
    expect(app.diagnostics.entries().map(({ what }) => what)).toContain('socket.dead')
  })
})
