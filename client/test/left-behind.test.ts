import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createChat } from '../src/chat/chat.ts'
import { listUndelivered, sendKeptAnswers } from '../src/exam/open-exam.ts'
import { Unreachable } from '../src/index.ts'
import { node } from '../src/platforms/node.ts'
import { practice } from '../src/practice/practice.ts'
import { App } from './simulation/app.ts'
import { ChatService } from './simulation/chat-service.ts'
import { ExamService } from './simulation/exam-service.ts'
import { Machine, World } from './simulation/world.ts'

const MINUTE_MS = 60_000

let world: World
let service: ExamService
let laptop: Machine
beforeEach(() => {
  world = new World()
  service = new ExamService(world)
  laptop = new Machine(world, service.serve)
})

async function begin(hasLocks = true) {
  const app = new App(laptop)
  if (!hasLocks) app.client.platform.locks = undefined
  await app.signIn(1)
  const exam = await app.open()
  await world.until(() => exam.$state.get().canWrite)
  return { app, exam }
}

/** Another tab of the same browser, somewhere else in the app. */
async function elsewhere(hasLocks = true) {
  const app = new App(laptop)
  if (!hasLocks) app.client.platform.locks = undefined
  await world.until(() => app.client.session.$user.get())
  return app
}

describe('answers that a closed page has left', () => {
  async function leave(isSubmitted = false) {
    const { app, exam } = await begin()
    laptop.network.isUp = false
    await app.run(exam.answer(1, 'x'))
    void exam.mark(2, true)
    if (isSubmitted) await app.run(exam.submit())
    await world.pass(3_000)
    app.die()
  }

  test('are shown, and sent when the line returns, wherever in the app somebody is', async () => {
    await leave()
    const app = await elsewhere()
    const sender = sendKeptAnswers(app.client)
    await world.until(() => sender.$kept.get().length > 0)
    expect(sender.$kept.get()).toEqual([{ examId: 7, attemptId: 1, unsynced: 1, isSubmitting: false }])
    await world.pass(5 * MINUTE_MS)
    laptop.network.isUp = true
    app.tab.tell('wake')
    await world.until(() => sender.$kept.get().length === 0, 5_000)
    expect(service.attempts).toMatchObject([{ isActive: true, answers: { 1: 'x' }, marked: [2] }])
  })

  test('are sent at the start and handed in, though nothing says that the line is back', async () => {
    await leave(true)
    const app = await elsewhere()
    const sender = sendKeptAnswers(app.client)
    await world.pass(MINUTE_MS)
    expect(sender.$kept.get()).toMatchObject([{ isSubmitting: true }])
    laptop.network.isUp = true
    await world.until(() => sender.$kept.get().length === 0, MINUTE_MS)
    expect(service.attempts).toMatchObject([{ isSubmitted: true, answers: { 1: 'x' } }])
    expect(await app.run(listUndelivered(app.client))).toEqual([])
  })

  test('of several tabs one sends them, and the others hear of it', async () => {
    await leave()
    const apps = [await elsewhere(), await elsewhere(), await elsewhere()]
    const senders = apps.map(({ client }) => sendKeptAnswers(client))
    await world.until(() => senders.every(({ $kept }) => $kept.get().length > 0))
    laptop.network.isUp = true
    for (const { tab } of apps) tab.tell('wake')
    await world.until(() => senders.every(({ $kept }) => $kept.get().length === 0), 10_000)
    expect(service.attempts).toMatchObject([{ answers: { 1: 'x' } }])
  })

  test.each([
    ['with locks and channels', true],
    ['without locks, as over plain HTTP', false],
  ])('make way for the page of the exam: %s', async (_, hasLocks) => {
    const { app, exam } = await begin(hasLocks)
    const other = await elsewhere(hasLocks)
    const sender = sendKeptAnswers(other.client)
    laptop.network.isUp = false
    for (let round = 1; round <= 10; round++) {
      await app.run(exam.answer(1, `${round}`))
      void sender.send()
      await world.pass(700)
      expect(exam.$state.get()).toMatchObject({ canWrite: true, unsynced: 1 })
    }
    app.die()
    // It is sending when a page is opened.
    laptop.network.isUp = true
    laptop.network.isHalfOpen = true
    other.tab.tell('wake')
    await world.pass(1_000)
    const page = await elsewhere(hasLocks)
    const opened = await page.open()
    expect(opened.$state.get()).toMatchObject({ canWrite: true, answers: { 1: '10' } })
  })
})

describe('the time of an exam', () => {
  test('is asked for when this machine’s clock is set forward, and until then nothing ends', async () => {
    const { app, exam } = await begin()
    laptop.network.isUp = false
    laptop.skewMs += 2 * 60 * MINUTE_MS
    await world.pass(10_000)
    expect(exam.remaining()).toBeUndefined()
    expect(exam.$state.get()).toMatchObject({ phase: 'active', canWrite: true })
    await app.run(exam.answer(1, 'x'))
    laptop.network.isUp = true
    await world.until(() => exam.remaining() !== undefined, 15_000)
    expect(Math.round((exam.remaining() as number) / MINUTE_MS)).toBe(60)
    await world.pass(61 * MINUTE_MS)
    expect(exam.$state.get().phase).toBe('closed')
  })

  test('is asked for at once where the service can be reached', async () => {
    const { exam } = await begin()
    laptop.skewMs += 2 * 60 * MINUTE_MS
    await world.until(() => exam.remaining() !== undefined, 3_000)
    expect(Math.round((exam.remaining() as number) / MINUTE_MS)).toBe(60)
  })
})

test('what makes it impossible to send an answer is in the state, and the loop goes on', async () => {
  const { app, exam } = await begin()
  // JSON has no such number: an error of the platform, in the middle of the loop.
  void exam.answer(1, 1n as never)
  void exam.answer(2, 'B')
  await world.until(() => exam.$state.get().fault)
  expect(exam.$state.get()).toMatchObject({ unsynced: 2, fault: expect.stringContaining('TypeError') })
  await app.run(exam.answer(1, null))
  await world.until(() => exam.$state.get().unsynced === 0)
  expect(exam.$state.get().fault).toBeUndefined()
  laptop.network.isUp = false
  void exam.answer(3, 'C')
  await world.until(() => exam.$state.get().fault === 'unreachable')
})

test('an exam is handed in where there is no TextEncoder, and signals say no reason', async () => {
  const { TextEncoder } = globalThis
  const reason = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'reason') as PropertyDescriptor
  Reflect.deleteProperty(globalThis, 'TextEncoder')
  Object.defineProperty(AbortSignal.prototype, 'reason', { get: () => undefined, configurable: true })
  onTestFinished(() => {
    globalThis.TextEncoder = TextEncoder
    Object.defineProperty(AbortSignal.prototype, 'reason', reason)
  })
  const { app, exam } = await begin()
  await app.run(exam.answer(1, 'ä€😀'))
  await app.run(exam.submit())
  await world.until(() => exam.$state.get().phase === 'submitted')
  expect(service.attempts).toMatchObject([{ answers: { 1: 'ä€😀' } }])
  const abort = new AbortController()
  const asked = app.client.GET('/api/v01/auth/me', { signal: abort.signal })
  abort.abort()
  await expect(app.run(asked)).rejects.toMatchObject({ name: 'AbortError' })
})

describe('an own message', () => {
  let chats: ChatService
  beforeEach(() => {
    chats = new ChatService(world)
    chats.group(1, [1, 2])
    laptop = new Machine(world, chats.serve, (line) => chats.accept(line, () => {}))
  })

  async function openChat() {
    const app = new App(laptop)
    await app.run(app.client.session.ready)
    if (!app.client.session.$user.get()) await app.signIn(1)
    const chat = createChat(app.client)
    const room = chat.room(1)
    await world.until(() => room.$state.get().status === 'ready')
    const seen: string[][] = []
    room.$messages.subscribe((messages) => seen.push(messages.map(({ message }) => message)))
    return { app, chat, room, seen }
  }

  test('stays in a page that comes back from the page cache, though another tab has sent it', async () => {
    const first = await openChat()
    const second = await openChat()
    laptop.network.isUp = false
    laptop.cut()
    await first.app.run(first.chat.send(1, 'written'))
    await world.until(() => second.chat.$outgoing.get().length === 1)
    first.app.tab.leave()
    laptop.network.isUp = true
    await world.until(() => second.room.$messages.get().at(-1)?.seq === 1, 60_000)
    await world.pass(MINUTE_MS)
    // Its room can't be read at once.
    laptop.network.isUp = false
    laptop.cut()
    first.seen.length = 0
    first.app.tab.comeBack()
    await world.pass(10_000)
    laptop.network.isUp = true
    await world.until(() => first.room.$messages.get().at(-1)?.seq === 1, MINUTE_MS)
    for (const messages of first.seen) expect(messages).toEqual(['written'])
    expect(first.chat.$outgoing.get()).toEqual([])
  })

  test('vanishes there if it was discarded meanwhile', async () => {
    const first = await openChat()
    const second = await openChat()
    laptop.network.isUp = false
    laptop.cut()
    const { clientId } = await first.app.run(first.chat.send(1, 'discarded'))
    await world.until(() => second.chat.$outgoing.get().length === 1)
    first.app.tab.leave()
    await second.app.run(second.chat.discard(clientId))
    laptop.network.isUp = true
    first.app.tab.comeBack()
    await world.until(() => first.room.$messages.get().length === 0, MINUTE_MS)
    expect(chats.groups.get(1)?.messages).toEqual([])
  })

  test('stays, once sent, when another tab says that it is gone', async () => {
    const { app, chat, room, seen } = await openChat()
    // The room isn't told, so that it is shown as sent.
    chats.isDeaf = true
    await app.run(chat.send(1, 'written'))
    await world.until(() => chat.$outgoing.get()[0]?.state === 'sent')
    const [key] = [...laptop.entries.keys()].filter((each) => each.includes('/messages/'))
    expect(key).toBeUndefined()
    const other = await openChat()
    const owner = app.client.session.owner()
    const name = `exam-practice:${app.client.baseUrl}:cache/${owner?.userId}/${owner?.stay}/messages/`
    const at = String(Math.floor(Date.parse(chat.$outgoing.get()[0]?.createdAt ?? ''))).padStart(15, '0')
    const gone = `cache/${owner?.userId}/${owner?.stay}/messages/${at}-${chat.$outgoing.get()[0]?.clientId}`
    seen.length = 0
    other.app.client.platform.openChannel?.(name, () => {}).post({ key: gone, entry: null, isStored: false })
    await world.pass(1_000)
    for (const messages of seen) expect(messages).toEqual(['written'])
    expect(room.$messages.get()).toMatchObject([{ message: 'written' }])
  })
})

describe('practice', () => {
  const review = { question_id: 5, question_version: 1, answer: 'B', sure: true }

  test('has the stored reviews from the beginning, so that none of their cards is asked again', async () => {
    const app = new App(laptop)
    await app.signIn(1)
    laptop.network.isUp = false
    const practised = await app.run(practice(app.client))
    await app.run(practised.review(review))
    app.die()
    laptop.storeMs = 400
    const again = await elsewhere()
    const { $reviews } = await again.run(practice(again.client))
    expect($reviews.get()).toMatchObject([{ review }])
  })

  test('dates reviews by the service’s clock, each after those before it', async () => {
    const app = new App(laptop)
    await app.signIn(1)
    await app.open()
    laptop.network.isUp = false
    const practised = await app.run(practice(app.client))
    const before = world.now
    await app.run(practised.review(review))
    laptop.skewMs -= 60 * MINUTE_MS
    await app.run(practised.review({ ...review, question_id: 6 }))
    await Promise.all([practised.review(review), practised.review(review)].map((each) => app.run(each)))
    const times = practised.$reviews.get().map((each) => Date.parse(each.review.answered_at ?? ''))
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other))
    expect(Math.abs((times[0] as number) - before)).toBeLessThan(MINUTE_MS)
    expect(Math.abs((times.at(-1) as number) - world.now)).toBeLessThan(MINUTE_MS)
  })
})

test('a closed client has no timers, no sockets and no waiting requests', async () => {
  const { app, exam } = await begin()
  const chat = createChat(app.client)
  const practised = await app.run(practice(app.client))
  const ahead = practised.cards()
  const sender = sendKeptAnswers(app.client)
  laptop.network.isHalfOpen = true
  const asked = app.client.GET('/api/v01/auth/me')
  void exam.answer(1, 'x')
  void chat.send(1, 'x')
  await world.pass(500)
  app.client.close()
  await expect(app.run(asked)).rejects.toThrow(Unreachable)
  expect(exam.$state.get().canWrite).toBe(false)
  await world.pass(100)
  expect(world.timers).toBe(0)
  expect(laptop.locks.held.size).toBe(0)
  for (const part of [chat, practised, ahead, sender, exam]) part.close()
})

test('where WebSocket is missing, as in Node.js 20, one sentence says what is needed', () => {
  const { WebSocket } = globalThis
  onTestFinished(() => {
    globalThis.WebSocket = WebSocket
  })
  Reflect.deleteProperty(globalThis, 'WebSocket')
  expect(() => node()).toThrow(/^The client needs Node\.js 22 or newer.*: WebSocket is missing here\.$/)
})
