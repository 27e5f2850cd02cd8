import { beforeAll, expect, test } from 'vitest'
import { connectedPair, type SharedService, sharedService } from '../../test/support/service.ts'
import { createChat } from '../src/chat/chat.ts'
import { memoryStore } from '../src/storage/memory.ts'
import { newApp, openApp, until } from './support/app.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

async function pair() {
  const { alice, bob, conversationId: id } = await connectedPair(service)
  const [herApp, hisApp] = await Promise.all([openApp(alice), openApp(bob)])
  return { alice, bob, id, herApp, hisApp, hers: createChat(herApp), his: createChat(hisApp) }
}

test('a reaction is shown at once, known to everybody, and taken back; one that is refused vanishes', async () => {
  const { alice, bob, id, herApp, hers, his } = await pair()
  const { message } = (await alice.send(id, 'hello', undefined, 201)).body
  const rooms = [hers.room(id), his.room(id)] as const
  for (const room of rooms) await until(room.$messages, (all) => all.length === 1)
  const react = (added: boolean) =>
    hers.react({ conversationId: id, messageId: message.id, emoji: '👍', added })
  herApp.live.disconnect()
  await react(true)
  const mine = { emoji: '👍', count: 1, user_ids: [alice.id], mine: true }
  expect(rooms[0].$messages.get()[0]?.reactions).toEqual([mine])
  herApp.live.connect()
  await until(rooms[1].$messages, ([first]) => first?.reactions[0]?.mine === false)
  await his.react({ conversationId: id, messageId: message.id, emoji: '👍', added: true })
  const both = { ...mine, count: 2, user_ids: [alice.id, bob.id] }
  await until(rooms[0].$messages, ([first]) => first?.reactions[0]?.count === 2)
  expect(rooms[0].$messages.get()[0]).toMatchObject({ reactions: [both], is_edited: false })
  await react(false)
  await until(rooms[1].$messages, ([first]) => first?.reactions[0]?.count === 1)

  await hers.react({ conversationId: id, messageId: message.id, emoji: 'no emoji', added: true })
  await until(rooms[0].$messages, ([first]) => first?.reactions.every(({ emoji }) => emoji === '👍') === true)
})

test('a message with files goes out once they are uploaded, in their order, and not before a later text', async () => {
  const { id, hers, his } = await pair()
  const room = hers.room(id)
  await until(room.$state, ({ status }) => status === 'ready')
  const files = ['one.txt', 'two.txt'].map((name) => new File([name], name))
  const { clientId } = await hers.send(id, { message: 'here they are', files })
  const [waiting] = await until(room.$messages, (all) => all.length === 1)
  expect(waiting).toMatchObject({ key: clientId, files: [{ name: 'one.txt' }, { name: 'two.txt' }] })
  const theirs = his.room(id)
  const [sent] = await until(theirs.$messages, (all) => all.length === 1)
  expect(sent?.attachments).toMatchObject([{ name: 'one.txt' }, { name: 'two.txt' }])
  await until(hers.$outgoing, (all) => all.length === 0)
  expect(room.$messages.get()).toMatchObject([{ key: clientId, state: 'sent' }])
})

test('files that could not be uploaded are sent after a reload, and a refused one again or not at all', async () => {
  const { alice, id } = await pair()
  const store = memoryStore()
  let isDown = true
  const fetching = async (request: Request) => {
    if (isDown && request.method === 'POST' && request.url.endsWith('/attachments'))
      throw new TypeError('fetch failed')
    return fetch(request)
  }
  const platform = { fetch: fetching, upload: fetching }
  const first = await openApp(alice, { store, platform })
  const before = createChat(first)
  await before.send(id, { message: '', files: [new File(['kept'], 'kept.txt')] })
  await before.send(id, { message: 'not kept', files: [new File([], 'empty.txt')] })
  before.close()
  first.close()

  isDown = false
  const chat = createChat(newApp(alice.url, { store, platform }))
  const [failed] = await until(chat.$outgoing, (all) => all.length === 1 && all[0]?.state === 'failed')
  expect(failed).toMatchObject({ message: 'not kept', error: 'validation_failed' })
  const room = chat.room(id)
  const stored = await until(room.$messages, (all) => all.some(({ seq }) => seq === 1))
  expect(stored[0]?.attachments).toMatchObject([{ name: 'kept.txt', size: 4 }])
  await chat.discard(failed?.clientId ?? '')
  expect(chat.$outgoing.get()).toEqual([])
})

test('mentions are counted above the read pointer; muted and archived conversations don’t count as unread', async () => {
  const { alice, bob, id, hisApp, his } = await pair()
  await until(his.$conversations, (list) => list?.length === 1)
  const path = `/api/v01/chat/conversations/${id}/messages` as const
  for (const mentions of [[bob.id], [], [bob.id]]) await alice.post(path, { message: 'you', mentions }, 201)
  await until(his.$mentions, (mentions) => mentions === 2)
  his.read(id, 1)
  await until(his.$mentions, (mentions) => mentions === 1)
  expect(his.$unread.get()).toBe(2)
  const set = (body: object) =>
    hisApp.PATCH('/api/v01/chat/conversations/{id}/settings', { params: { path: { id } }, body })
  await set({ muted_until: '9999-01-01T00:00:00Z', pinned: true })
  await until(his.$unread, (unread) => unread === 0)
  expect(his.$mentions.get()).toBe(1)
  await set({ muted_until: null, archived: true })
  await until(his.$conversations, (list) => list?.[0]?.settings.archived === true)
  expect(his.$unread.get()).toBe(0)
  await alice.post(path, { message: 'back' }, 201)
  await until(his.$unread, (unread) => unread === 3)
  expect(his.$conversations.get()?.[0]?.settings).toMatchObject({ archived: false, pinned: true })
  his.read(id)
  await until(his.$mentions, (mentions) => mentions === 0)
})

test('a jump shows the messages around an old one, from where one scrolls to the newest without a hole', async () => {
  const { alice, id, his } = await pair()
  const ids: number[] = []
  for (let n = 1; n <= 160; n++) ids.push((await alice.send(id, `${n}`, undefined, 201)).body.message.id)
  const room = his.room(id)
  await until(room.$state, ({ status }) => status === 'ready')
  expect(await room.jump(ids[19] ?? 0)).toBe(true)
  const seqs = () => room.$messages.get().flatMap(({ seq }) => seq ?? [])
  expect(seqs()).toContain(20)
  expect(room.$state.get()).toMatchObject({ hasMore: false, hasNewer: true })
  // What comes meanwhile is there at the end.
  await alice.send(id, '161', undefined, 201)
  while (room.$state.get().hasNewer) await room.newer()
  expect(seqs()).toEqual(Array.from({ length: 161 }, (_, at) => at + 1))
  await room.jump(ids[0] ?? 0)
  expect(await room.jump(2_147_483_647)).toBe(false)
  await room.latest()
  expect(seqs().at(-1)).toBe(161)
})
