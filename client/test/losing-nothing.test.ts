import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createChat, type Room } from '../src/chat/chat.ts'
import { Ledger } from '../src/chat/ledger.ts'
import type { ChatMessage, Conversation, ReactionsFrame } from '../src/chat/types.ts'
import { listUndelivered, openExam } from '../src/exam/open-exam.ts'
import { withProgress } from '../src/files/with-progress.ts'
import type { Upload } from '../src/index.ts'
import { Outbox } from '../src/outbox/outbox.ts'
import { App } from './simulation/app.ts'
import { ChatService } from './simulation/chat-service.ts'
import { PROXY_ANSWERS, proxyPage } from './simulation/cluster.ts'
import { EXAM_ID, ExamService } from './simulation/exam-service.ts'
import { Machine, World } from './simulation/world.ts'

// Named by a variable, so that its file is not checked here: its types are those of pages, not of Node.
const XHR = '../src/platforms/xhr.ts'
const { uploadByXhr }: { uploadByXhr: Upload } = await import(XHR)

let world: World
let service: ExamService
let laptop: Machine
beforeEach(() => {
  world = new World()
  service = new ExamService(world)
  laptop = new Machine(world, service.serve)
})

const MINUTE_MS = 60_000

async function begin(machine = laptop, userId = 1) {
  const app = new App(machine)
  await app.signIn(userId)
  const exam = await app.open()
  await world.until(() => exam.$state.get().canWrite)
  return { app, exam }
}

/** The refusals of an operation that don't end by themselves, as the service documents them. */
async function refusalsOf(method: string, path: string): Promise<[status: number, code: string][]> {
  const operations = await readFile(new URL('../src/generated/openapi.ts', import.meta.url), 'utf8')
  const [, rest = ''] = operations.split(`  '${path}': {`)
  const operation = rest.slice(rest.indexOf(`    ${method}: {`))
  const responses = operation.slice(0, operation.indexOf('\n    }\n'))
  const found = [...responses.matchAll(/(4\d\d): .*Failure<(.*)>/g)].flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/'(\w+)'/g)].map(([, code = '']): [number, string] => [Number(status), code]),
  )
  const passing = [401, 429]
  const passingCodes = ['exam_in_progress', 'cross_site_request']
  return found.filter(([status, code]) => !passing.includes(status) && !passingCodes.includes(code))
}

describe('an exam', () => {
  test.each([800, 900, 1_000, 1_100, 1_200, 1_300, 1_400])(
    'is handed in only if somebody asks, though the page is hidden %i ms after an answer, while that is being stored',
    async (ms) => {
      const { app, exam } = await begin()
      laptop.storeMs = 400
      void exam.answer(1, 'x')
      await world.pass(ms)
      app.tab.hide()
      await world.pass(5 * MINUTE_MS)
      expect(service.attempts).toMatchObject([{ isActive: true, isSubmitted: false, answers: { 1: 'x' } }])
      expect(exam.$state.get()).toMatchObject({ phase: 'active', unsynced: 0 })
    },
  )

  test('keeps what was answered in an earlier attempt out of the next one', async () => {
    service.durationMs = 10 * MINUTE_MS
    const { app, exam } = await begin()
    laptop.network.isUp = false
    void exam.answer(1, 'of the first attempt')
    void exam.submit()
    await world.pass(20 * MINUTE_MS)
    const phone = await begin(new Machine(world, service.serve))
    void phone.exam.answer(1, 'of the second')
    await world.pass(2_000)
    laptop.network.isUp = true
    await world.pass(2 * MINUTE_MS)
    expect(service.attempts.map(({ id, isSubmitted, answers }) => [id, isSubmitted, answers])).toEqual([
      [1, false, {}],
      [2, false, { 1: 'of the second' }],
    ])
    expect(exam.$state.get()).toMatchObject({ phase: 'closed', unsynced: 1 })
    expect(await app.run(listUndelivered(app.client))).toMatchObject([
      { attemptId: 1, unsynced: { 1: 'of the first attempt' } },
    ])
  })

  test("never sends one person's answer as another's, however late a retry comes", async () => {
    const { app, exam } = await begin()
    laptop.network.next = ['busy']
    void exam.answer(1, 'of person 1')
    await world.pass(900)
    await app.run(app.client.session.logout())
    await app.signIn(2)
    await app.open()
    await world.pass(5 * MINUTE_MS)
    expect(service.attempts.map(({ userId, answers }) => [userId, answers])).toEqual([
      [1, {}],
      [2, {}],
    ])
    // Person 1 goes on where they were.
    void app.client.session.logout()
    await world.pass(1_000)
    await app.signIn(1)
    await app.open()
    await world.pass(5_000)
    expect(service.attempts[0]).toMatchObject({ userId: 1, answers: { 1: 'of person 1' } })
  })

  test.each([...PROXY_ANSWERS, 'cut short'] as const)(
    'goes on after %s from a proxy, whatever was asked',
    async (fault) => {
      const { app, exam } = await begin()
      const faults = [fault, fault, fault, fault] as const
      laptop.network.next = [...faults]
      void exam.answer(1, 'x')
      await world.pass(2_000)
      await app.run(exam.answer(2, 'y'))
      await world.until(() => exam.$state.get().unsynced === 0)
      expect(exam.$state.get().phase).toBe('active')
      // The paper is read.
      laptop.network.next = [...faults]
      await app.run(exam.refresh().catch(() => {}))
      await world.pass(MINUTE_MS)
      expect(exam.$state.get()).toMatchObject({ phase: 'active', answers: { 1: 'x', 2: 'y' } })
      // The token has expired, too.
      await world.pass(11 * MINUTE_MS)
      laptop.network.next = [...faults]
      void exam.answer(3, 'z')
      await world.pass(3 * MINUTE_MS)
      expect(app.client.session.$user.get()?.id).toBe(1)
      expect(service.attempts).toMatchObject([{ isActive: true, answers: { 1: 'x', 2: 'y', 3: 'z' } }])
      laptop.network.next = [...faults]
      void exam.submit()
      await world.pass(1_000)
      expect(exam.$state.get().phase).toBe('submitting')
      await world.pass(3 * MINUTE_MS)
      expect(exam.$state.get()).toMatchObject({ phase: 'submitted', rejected: {} })
      expect(service.attempts).toMatchObject([{ isSubmitted: true }])
    },
  )

  test.each(PROXY_ANSWERS)('is opened again after %s from a proxy', async (fault) => {
    laptop.network.next = [fault]
    const app = new App(laptop)
    await app.signIn(1).catch(() => {})
    if (!app.client.session.owner()) await app.signIn(1)
    laptop.network.next = [fault, fault, fault, fault, fault, fault]
    for (let tries = 0; tries < 10 && !app.exam; tries++) await app.open().catch(() => {})
    await app.run(app.exam?.answer(1, 'x') ?? Promise.reject(new Error('It never opened')))
    await world.pass(2_000)
    expect(service.attempts).toMatchObject([{ answers: { 1: 'x' } }])
    expect(app.exam?.remaining()).toBeGreaterThan(0)
  })

  test.each(['the service', 'a proxy'])('sends in parts what is too large for %s', async (who) => {
    const { exam } = await begin()
    if (who === 'the service') service.longest = 500
    else laptop.network.mostBytes = 500
    laptop.network.next = ['html 413']
    for (const question of [1, 2]) void exam.answer(question, `${question}`.repeat(300))
    void exam.answer(3, 'x'.repeat(1_000))
    await world.until(() => exam.$state.get().unsynced === (who === 'the service' ? 0 : 1))
    const stored = { 1: '1'.repeat(300), 2: '2'.repeat(300) }
    expect(service.attempts).toMatchObject([{ answers: stored }])
    expect(exam.$state.get().rejected).toEqual(who === 'the service' ? { 3: 'payload_too_large' } : {})
    // Whatever comes after it goes its way.
    void exam.answer(1, 'later')
    await world.pass(MINUTE_MS)
    expect(service.attempts).toMatchObject([{ answers: { ...stored, 1: 'later' } }])
  })

  test('asks in parts which answers of an ended attempt have arrived, where they are too large together', async () => {
    service.durationMs = 10 * MINUTE_MS
    const { app, exam } = await begin()
    laptop.network.next = ['lose answer']
    for (const question of [1, 2]) void exam.answer(question, `${question}`.repeat(300))
    await world.until(() => service.attempts[0]?.answers[2])
    await app.run(exam.answer(3, '3'.repeat(300)))
    app.die()
    await world.pass(20 * MINUTE_MS)
    service.longest = 500
    const again = new App(laptop)
    await again.run(again.client.session.ready)
    const undelivered = await again.run(listUndelivered(again.client))
    expect(undelivered.map(({ unsynced }) => Object.keys(unsynced))).toEqual([['3']])
  })

  test('takes no older answers from a paper that comes after a newer sync', async () => {
    const { app, exam } = await begin()
    void exam.answer(1, 'old')
    await world.pass(2_000)
    void exam.refresh()
    await world.pass(5)
    // The service has read the paper before the next sync, but its answer comes long after that.
    laptop.network.ms = 8_000
    await world.pass(40)
    laptop.network.ms = 10
    await app.run(exam.answer(1, 'new'))
    await world.pass(2_000)
    const shown = new Set<unknown>()
    exam.$state.listen(({ answers }) => shown.add(answers[1]))
    await world.pass(MINUTE_MS)
    expect(shown).toEqual(new Set(['new']))
    expect(exam.$state.get()).toMatchObject({ answers: { 1: 'new' }, unsynced: 0 })
  })

  test('has one writer: a page that comes back from the back/forward cache reads what the other one wrote', async () => {
    const { app, exam } = await begin()
    await app.run(exam.answer(1, 'first'))
    app.tab.leave()
    const other = new App(laptop)
    await world.until(() => other.client.session.$user.get())
    const next = await other.open()
    await world.until(() => next.$state.get().canWrite)
    await other.run(next.answer(1, 'second'))
    app.tab.comeBack()
    await expect(app.run(exam.answer(2, 'beside it'))).rejects.toThrow('only be read')
    await world.pass(1_000)
    expect(exam.$state.get()).toMatchObject({ canWrite: false, answers: { 1: 'second' } })
    other.die()
    await world.pass(1_000)
    expect(exam.$state.get()).toMatchObject({ canWrite: true, answers: { 1: 'second' } })
    await world.pass(MINUTE_MS)
    expect(service.attempts).toMatchObject([{ answers: { 1: 'second' } }])
  })

  test('refuses what a suspended tab writes after another one has taken over', async () => {
    const { app, exam } = await begin()
    const other = new App(laptop)
    await world.until(() => other.client.session.$user.get())
    const next = await other.open()
    app.tab.freeze()
    next.takeOver()
    await world.until(() => next.$state.get().canWrite)
    await other.run(next.answer(1, 'second'))
    // What it was doing runs on before it hears of anything.
    app.tab.isFrozen = false
    const late = exam.answer(1, 'late')
    app.tab.thaw()
    await expect(app.run(late)).rejects.toThrow('only be read')
    other.die()
    app.die()
    const again = new App(laptop)
    await world.until(() => again.client.session.$user.get())
    expect((await again.open()).$state.get().answers).toEqual({ 1: 'second' })
  })

  test('can be written where it is opened twice and closed once, as by StrictMode', async () => {
    const app = new App(laptop)
    await app.signIn(1)
    const [first, second] = [openExam(app.client, EXAM_ID), openExam(app.client, EXAM_ID)]
    void first.then(({ exam }) => exam?.close())
    const { exam } = await app.run(second)
    await world.pass(100)
    expect(exam?.$state.get().canWrite).toBe(true)
    expect((await first).exam?.$state.get().canWrite).toBe(false)
  })

  test('shows what lies on this machine at once, though the line is half open', async () => {
    const { app, exam } = await begin()
    laptop.network.isUp = false
    await app.run(exam.answer(1, 'x'))
    app.die()
    laptop.network = { ...laptop.network, isUp: true, isHalfOpen: true }
    const again = new App(laptop)
    await world.until(() => again.client.session.$user.get())
    const at = world.now
    expect((await again.open()).$state.get().answers).toEqual({ 1: 'x' })
    expect(world.now - at).toBeLessThan(1_000)
  })

  test('says that its time is up, sends the last answers, and waits for the service to close it', async () => {
    service.durationMs = 10 * MINUTE_MS
    const { app, exam } = await begin()
    await world.pass(10 * MINUTE_MS - 600)
    void exam.answer(1, 'at the last moment')
    await world.pass(700)
    expect(exam.$state.get()).toMatchObject({ phase: 'over', canWrite: false })
    await expect(app.run(exam.answer(2, 'too late'))).rejects.toThrow()
    await world.pass(MINUTE_MS)
    expect(service.attempts).toMatchObject([
      { isActive: false, isSubmitted: false, answers: { 1: 'at the last moment' } },
    ])
    expect(exam.$state.get().phase).toBe('closed')
    expect(await app.run(listUndelivered(app.client))).toEqual([])
  })

  test('is closed within seconds of its time where the service has everything, and another device was never there', async () => {
    service.durationMs = 10 * MINUTE_MS
    const { exam } = await begin()
    void exam.answer(1, 'x')
    await world.pass(10 * MINUTE_MS + 3_000)
    expect(exam.$state.get()).toMatchObject({ phase: 'closed', unsynced: 0 })
    expect(service.attempts).toMatchObject([{ isActive: false, isSubmitted: false, answers: { 1: 'x' } }])
  })

  test('waits for the answers of the other device that was there', async () => {
    service.durationMs = 10 * MINUTE_MS
    const { exam } = await begin()
    const phone = new Machine(world, service.serve)
    const other = await begin(phone)
    phone.network.isUp = false
    void other.exam.answer(2, 'of the phone')
    await world.pass(10 * MINUTE_MS + 3_000)
    expect(exam.$state.get().phase).toBe('over')
    phone.network.isUp = true
    other.app.tab.show()
    await world.pass(MINUTE_MS)
    expect(exam.$state.get().phase).toBe('closed')
    expect(service.attempts).toMatchObject([{ answers: { 2: 'of the phone' } }])
  })

  test('goes on where it was closed, if a teacher gives it more time, with what had come too late', async () => {
    service.durationMs = 10 * MINUTE_MS
    const { app, exam } = await begin()
    void exam.answer(1, 'in time')
    await world.pass(5_000)
    laptop.network.isUp = false
    void exam.answer(2, 'too late')
    await world.pass(11 * MINUTE_MS)
    laptop.network.isUp = true
    app.tab.show()
    await world.until(() => exam.$state.get().phase === 'closed')
    const [attempt] = service.attempts
    if (!attempt) throw new Error('There is no attempt')
    attempt.endsAt = world.now + 5 * MINUTE_MS
    attempt.isActive = true
    await world.pass(MINUTE_MS)
    app.tab.hide()
    app.tab.show()
    await world.until(() => exam.$state.get().phase === 'active')
    expect(exam.$state.get()).toMatchObject({ canWrite: true, answers: { 1: 'in time', 2: 'too late' } })
    await world.pass(5_000)
    expect(attempt.answers).toEqual({ 1: 'in time', 2: 'too late' })
    app.die()
    // What it needs without the service is stored again.
    laptop.network.isUp = false
    const offline = new App(laptop)
    await offline.run(offline.client.session.ready)
    const again = await offline.open()
    expect(again.$state.get().answers).toEqual({ 1: 'in time', 2: 'too late' })
    expect(again.$state.get().questions).not.toEqual([])
  })
})

test('an exam has one writer, though a tab can ask for no lock for a moment', async () => {
  const { app, exam } = await begin()
  const other = new App(laptop)
  await world.until(() => other.client.session.$user.get())
  const { platform } = other.client
  const { locks } = platform
  // A page that is being left isn't active.
  platform.locks = { request: () => Promise.reject(new DOMException('', 'InvalidStateError')) }
  const next = await other.open()
  await world.pass(10_000)
  expect([exam, next].map(({ $state }) => $state.get().canWrite)).toEqual([true, false])
  platform.locks = locks
  app.die()
  await world.until(() => next.$state.get().canWrite)
})

describe('an exam that is over', () => {
  test.each(['never opened again', 'opened again'])(
    "isn't called undelivered if all answers had arrived and only the acknowledgement was lost: %s",
    async (how) => {
      service.durationMs = 10 * MINUTE_MS
      const { app, exam } = await begin()
      await world.pass(5_000)
      laptop.network.next = ['lose answer']
      void exam.answer(1, 'arrived')
      await world.until(() => service.attempts[0]?.answers[1])
      app.die()
      if (how === 'opened again') {
        laptop.network.isUp = false
        const offline = new App(laptop)
        await offline.run(offline.client.session.ready)
        const again = await offline.open()
        await world.until(() => again.$state.get().canWrite)
        await world.pass(20 * MINUTE_MS)
        laptop.network.isUp = true
        offline.tab.show()
        await world.until(() => again.$state.get().phase === 'closed')
        expect(again.$state.get().unsynced).toBe(0)
        offline.die()
      } else await world.pass(20 * MINUTE_MS)
      const later = new App(laptop)
      await later.run(later.client.session.ready)
      expect(await later.run(listUndelivered(later.client))).toEqual([])
      expect([...laptop.entries.keys()].filter((key) => key.startsWith('kept/'))).toEqual([])
    },
  )

  test('is listed with the answers that had not arrived, and not for a mark alone', async () => {
    service.durationMs = 10 * MINUTE_MS
    const { app, exam } = await begin()
    await world.pass(5_000)
    laptop.network.isUp = false
    void exam.mark(2, true)
    await world.pass(20 * MINUTE_MS)
    expect(await app.run(listUndelivered(app.client))).toEqual([])
    laptop.network.isUp = true
    await world.pass(MINUTE_MS)
    const next = await begin(new Machine(world, service.serve))
    void next.exam.answer(1, 'of the phone')
    await world.pass(2_000)
    expect(await app.run(listUndelivered(app.client))).toEqual([])
  })
})

describe('a store', () => {
  test('that is missing is replaced by memory, which is said', async () => {
    laptop.isFull = true
    const { app, exam } = await begin()
    expect(app.client.$storage.get()).toBe('memory')
    expect(await app.run(exam.answer(1, 'x'))).toBe('memory')
    await world.pass(2_000)
    expect(service.attempts).toMatchObject([{ answers: { 1: 'x' } }])
  })

  test('that is denied, with locks and channels, is replaced by memory: an exam is taken and handed in', async () => {
    laptop.deniesStorage = true
    const { app, exam } = await begin()
    expect(app.client.$storage.get()).toBe('memory')
    expect(await app.run(exam.answer(1, 'x'))).toBe('memory')
    await world.until(() => exam.$state.get().unsynced === 0)
    // The token expires, and is renewed without a lock.
    await world.pass(11 * MINUTE_MS)
    await app.run(exam.answer(2, 'y'))
    await app.run(exam.submit())
    await world.until(() => exam.$state.get().phase === 'submitted')
    expect(service.attempts).toMatchObject([{ isSubmitted: true, answers: { 1: 'x', 2: 'y' } }])
    expect(await app.run(app.client.session.logout())).toBe(true)
  })

  test('that hangs is given up', async () => {
    laptop.storeFaults.push('hang', 'hang')
    const { app } = await begin()
    expect(app.client.$storage.get()).toBe('memory')
  })

  test('that is full is said to be, and gets everything once it works again', async () => {
    const { app, exam } = await begin()
    laptop.network.isUp = false
    laptop.isFull = true
    expect(await app.run(exam.answer(1, 'x'))).toBe('full')
    expect(app.client.$storage.get()).toBe('full')
    laptop.isFull = false
    await world.pass(MINUTE_MS)
    expect(app.client.$storage.get()).toBe('durable')
    app.die()
    const again = new App(laptop)
    await world.until(() => again.client.session.$user.get())
    expect((await again.open()).$state.get()).toMatchObject({ answers: { 1: 'x' }, unsynced: 1 })
  })

  test('that fails to take the paper once gets it with the next write', async () => {
    const { app } = await begin()
    app.die()
    for (const key of laptop.entries.keys()) if (key.includes('/paper/')) laptop.entries.delete(key)
    const first = new App(laptop)
    await world.until(() => first.client.session.$user.get())
    const exam = await first.open()
    await first.run(exam.answer(1, 'x'))
    first.die()
    laptop.network.isUp = false
    const again = new App(laptop)
    await world.until(() => again.client.session.$user.get())
    expect((await again.open()).$state.get().questions).toHaveLength(3)
  })

  test('that is full when another tab takes over never undoes what the first one had sent since', async () => {
    const { app, exam } = await begin()
    const other = new App(laptop)
    await world.until(() => other.client.session.$user.get())
    const next = await other.open()
    laptop.network.isUp = false
    await app.run(exam.answer(1, 'older'))
    await world.until(() => next.$state.get().answers[1] === 'older')
    other.tab.leave()
    await app.run(exam.answer(1, 'newer'))
    laptop.network.isUp = true
    await world.until(() => exam.$state.get().unsynced === 0)
    laptop.isFull = true
    app.die()
    other.tab.comeBack()
    await world.until(() => next.$state.get().canWrite)
    expect(await other.run(next.answer(2, 'own'))).toBe('full')
    await world.pass(10_000)
    expect(service.attempts).toMatchObject([{ answers: { 1: 'newer', 2: 'own' } }])
    laptop.isFull = false
    await world.pass(MINUTE_MS)
    expect(next.$state.get()).toMatchObject({ answers: { 1: 'newer', 2: 'own' }, unsynced: 0 })
  })

  test('that fails while an exam is taken up loses nothing that it holds', async () => {
    const { app, exam } = await begin()
    laptop.network.isUp = false
    await app.run(exam.answer(1, 'before'))
    app.die()
    laptop.network.isUp = true
    const again = new App(laptop)
    await world.until(() => again.client.session.$user.get())
    laptop.isFull = true
    const next = await again.open()
    expect(await again.run(next.answer(2, 'meanwhile'))).toBe('full')
    await world.pass(3_000)
    laptop.isFull = false
    await world.pass(MINUTE_MS)
    expect(service.attempts).toMatchObject([{ answers: { 1: 'before', 2: 'meanwhile' } }])
    expect(next.$state.get().answers).toEqual({ 1: 'before', 2: 'meanwhile' })
  })
})

describe('a session', () => {
  test('is refreshed in 6 seconds though another tab was suspended while it did so', async () => {
    const { app } = await begin()
    const other = new App(laptop)
    await world.until(() => other.client.session.$user.get())
    await world.pass(11 * MINUTE_MS)
    laptop.network.ms = 400
    void app.client.GET('/api/v01/auth/me').catch(() => {})
    await world.pass(50)
    app.tab.freeze()
    laptop.network.ms = 10
    const owner = other.client.session.owner()
    expect(owner).toBeDefined()
    if (owner) expect(await other.run(other.client.session.token(owner), 6_000)).toBeDefined()
    app.tab.thaw()
    await world.pass(1_000)
    expect(app.client.session.owner()).toEqual(owner)
  })

  test('of the same person is not emptied by the late sign-out of a tab that was suspended', async () => {
    const { app } = await begin()
    const other = new App(laptop)
    await world.until(() => other.client.session.$user.get())
    other.tab.freeze()
    await app.run(app.client.session.logout())
    await app.signIn(1)
    const owner = app.client.session.owner()
    const key = `cache/1/${owner?.stay}/messages/1`
    await app.run(app.client.storage.set(key, 'unsent'))
    other.tab.thaw()
    await world.pass(MINUTE_MS)
    expect(await app.run(app.client.storage.get(key))).toBe('unsent')
    expect(app.client.session.owner()).toEqual(owner)
  })

  test('is known once `ready` resolves', async () => {
    const { app } = await begin()
    const other = new App(laptop)
    expect(await other.run(other.client.session.ready)).toMatchObject({ id: 1 })
    await app.run(app.client.session.logout())
    const third = new App(laptop)
    expect(await third.run(third.client.session.ready)).toBeNull()
  })
})

describe('an outbox', () => {
  const sent: string[] = []
  let isBroken = false
  beforeEach(() => {
    sent.length = 0
    isBroken = false
    const { serve } = service
    laptop.serve = async (request) => {
      const [, lane, name] = /things\/(\w+)\/(\w+)/.exec(request.url) ?? []
      if (!lane) return serve(request)
      const caller = await serve(
        new Request('http://service.test/api/v01/auth/me', { headers: request.headers }),
      )
      if (caller.status === 401) return caller
      const status = lane === 'refused' ? 404 : isBroken && lane === 'broken' ? 500 : 200
      if (status < 500) sent.push(`${name}`)
      const code = status === 404 ? 'not_found' : 'internal_error'
      return new Response(JSON.stringify(status === 200 ? { success: true } : { success: false, code }), {
        status,
        headers: { 'content-type': 'application/json', 'x-request-id': 'thing' },
      })
    }
  })

  async function box(app = new App(laptop), userId = 1) {
    await app.run(app.client.session.ready)
    if (!app.client.session.owner()) await app.signIn(userId)
    app.client.live.listen(() => {})
    await world.pass(100)
    const owner = app.client.session.owner()
    if (!owner) throw new Error('nobody is signed in')
    const outbox = new Outbox<{ lane: string; name: string }>(app.client, owner, {
      name: 'things',
      lane: ({ lane }) => lane,
      change: ({ lane, name }, id) => ({ method: 'POST', path: `things/${lane}/${name}`, body: { id } }),
      isSettled: () => true,
    })
    return { app, outbox, add: (lane: string, name: string) => app.run(outbox.add({ lane, name })) }
  }

  test('keeps the order of a lane, and no lane waits for another one', async () => {
    isBroken = true
    const { add, outbox } = await box()
    for (const name of ['a', 'b']) await add('broken', name)
    await add('other', 'c')
    await world.pass(MINUTE_MS)
    expect(sent).toEqual(['c'])
    isBroken = false
    await world.pass(MINUTE_MS)
    expect(sent).toEqual(['c', 'a', 'b'])
    expect(outbox.$entries.get()).toEqual([])
  })

  test('sends nothing that was discarded in another tab while this one was in the back/forward cache', async () => {
    laptop.network.isUp = false
    const first = await box(await signedIn())
    const { id } = await first.add('one', 'discarded')
    await first.add('one', 'kept')
    first.app.tab.leave()
    const second = await box()
    await world.until(() => second.outbox.$entries.get().length === 2)
    await second.app.run(second.outbox.discard(id))
    second.app.die()
    laptop.network.isUp = true
    first.app.tab.comeBack()
    await world.pass(2 * MINUTE_MS)
    expect(sent).toEqual(['kept'])
    expect(first.outbox.$entries.get()).toEqual([])
  })

  test('sends nothing that was discarded in a tab that ended before the store removed it, if another one is open', async () => {
    laptop.network.isUp = false
    const first = await box(await signedIn())
    const second = await box()
    const { id } = await first.add('one', 'discarded')
    await world.until(() => second.outbox.$entries.get().length === 1)
    laptop.storeFaults.push('fail')
    expect(await first.app.run(first.outbox.discard(id))).toBe('full')
    first.app.die()
    await world.pass(10_000)
    second.app.die()
    laptop.network.isUp = true
    const third = await box()
    await world.pass(2 * MINUTE_MS)
    expect(sent).toEqual([])
    expect(third.outbox.$entries.get()).toEqual([])
  })

  test('says whether a discarded entry is gone for good', async () => {
    laptop.network.isUp = false
    const { app, add, outbox } = await box(await signedIn())
    const [one, other] = [await add('one', 'discarded'), await add('one', 'discarded_too')]
    expect(await app.run(outbox.discard(one.id))).toBe('durable')
    laptop.isFull = true
    expect(await app.run(outbox.discard(other.id))).toBe('full')
    expect(outbox.$entries.get()).toEqual([])
    laptop.isFull = false
    await world.pass(10_000)
    expect([...laptop.entries.keys()].filter((key) => key.includes('/things/'))).toEqual([])
  })

  test('sends what another tab has added, and is refused, once', async () => {
    const first = await box()
    const second = await box()
    const { id } = await second.add('refused', 'x')
    await world.pass(MINUTE_MS)
    expect(sent).toEqual(['x'])
    for (const { outbox } of [first, second])
      expect(outbox.$entries.get()).toMatchObject([{ id, state: 'failed', error: 'not_found' }])
  })

  test('leaves what another tab has sent, though it was suspended just before it would have sent it', async () => {
    const first = await box()
    const second = await box()
    laptop.storeMs = 400
    await first.add('refused', 'x')
    first.app.tab.freeze()
    await world.until(() => second.outbox.$entries.get()[0]?.state === 'failed')
    first.app.tab.thaw()
    await world.pass(MINUTE_MS)
    expect(sent).toEqual(['x'])
    for (const { outbox } of [first, second])
      expect(outbox.$entries.get()).toMatchObject([{ state: 'failed' }])
  })

  test('says where an entry is, and sends it all the same', async () => {
    const { app, add } = await box()
    expect((await add('one', 'stored')).storage).toBe('durable')
    laptop.isFull = true
    expect((await add('one', 'unstored')).storage).toBe('full')
    await world.pass(1_000)
    expect(sent).toEqual(['stored', 'unstored'])
    laptop.isFull = false
    laptop.network.isUp = false
    await add('one', 'later')
    expect([...laptop.entries.keys()].filter((key) => key.includes('/things/'))).toHaveLength(1)
    app.die()
    laptop.network.isUp = true
    await box()
    await world.pass(MINUTE_MS)
    expect(sent).toEqual(['stored', 'unstored', 'later'])
  })

  test("never sends one person's entries as another's, and drops them at a logout", async () => {
    const { app, add } = await box()
    laptop.network.next = ['busy']
    await add('one', 'of_person_1')
    await app.run(app.client.session.logout())
    await app.signIn(2)
    const other = await box(app)
    await other.add('one', 'of_person_2')
    await world.pass(2 * MINUTE_MS)
    expect(sent).toEqual(['of_person_2'])
    expect([...laptop.entries.keys()].filter((key) => key.startsWith('cache/1/'))).toEqual([])
  })

  /** Somebody signs in while the network is up, whatever it is for the test. */
  async function signedIn() {
    const { isUp } = laptop.network
    laptop.network.isUp = true
    const app = new App(laptop)
    await app.signIn(1)
    laptop.network.isUp = isUp
    return app
  }
})

describe("a conversation's state", () => {
  const shown: string[] = []
  const renewed: number[] = []
  const recounted: number[] = []
  let ledger: Ledger
  const conversation = (version: number, last_seq: number) =>
    ({
      id: 7,
      version,
      last_seq,
      last_read_seq: 0,
      last_message: null,
      unread: 0,
      unread_mentions: 0,
      settings: { muted_until: null, archived: false, pinned: false },
    }) as unknown as Conversation
  const message = (version: number, seq: number) =>
    ({
      version,
      seq,
      sender_id: 2,
      message: `message ${seq}`,
      created_at: '',
      attachments: [],
      mentions: [],
    }) as unknown as ChatMessage
  beforeEach(() => {
    shown.length = renewed.length = recounted.length = 0
    const nothing = () => {}
    ledger = new Ledger(1, Date.now, {
      reactions: () => shown.push('a reaction'),
      recount: (id) => recounted.push(id),
      message: (_, { message: text }) => shown.push(text),
      renewed: (id) => renewed.push(id),
      gap: nothing,
      removed: nothing,
      read: nothing,
    })
    ledger.take({ type: 'conversation', conversation: conversation(5, 2) })
    renewed.length = 0
  })

  test('passes a message on that a conversation of the same version has overtaken, or has it fetched', () => {
    expect(ledger.take({ type: 'conversation', conversation: conversation(6, 3) })).toBe(false)
    expect(renewed).toEqual([7])
    expect(ledger.take({ type: 'message', conversation_id: 7, message: message(6, 3) })).toBe(false)
    expect(shown).toEqual(['message 3'])
    expect(ledger.conversations.get(7)).toMatchObject({ version: 6, last_seq: 3, unread: 3 })
  })

  test('passes a whole message on before a reaction of the same version, which lacks an edit before it', () => {
    const reactions = { type: 'reactions', conversation_id: 7, message_id: 1, version: 7 } as ReactionsFrame
    ledger.begin()
    ledger.take(reactions)
    ledger.take({ type: 'message_edited', conversation_id: 7, message: message(7, 2) })
    const { last_read_seq, unread, settings, unread_mentions } = conversation(7, 2)
    const state = { version: 7, last_read_seq, unread, settings, unread_mentions }
    expect(ledger.finish({ conversations: { 7: state } })).toBe(false)
    expect(shown).toEqual(['message 2', 'a reaction'])
  })

  test('has the settings of the ack, not those of an older frame that came before it', () => {
    const { last_read_seq, unread, settings, unread_mentions } = conversation(6, 3)
    const frame = {
      ...conversation(5, 2),
      settings: { ...settings, archived: true },
    } as unknown as Conversation
    ledger.begin()
    ledger.take({ type: 'conversation', conversation: frame })
    ledger.take({ type: 'message', conversation_id: 7, message: message(6, 3) })
    const state = { version: 6, last_read_seq, unread, settings, unread_mentions }
    expect(ledger.finish({ conversations: { 7: state } })).toBe(false)
    expect(ledger.conversations.get(7)?.settings.archived).toBe(false)
    // The frame might have been the later one.
    expect(recounted).toEqual([7])
  })

  test('comes by HTTP where no socket opens, and loses those that are gone', () => {
    ledger.takeAll([conversation(8, 4)])
    expect(renewed).toEqual([7])
    expect(ledger.list()).toMatchObject([{ id: 7, version: 8, unread: 4 }])
    ledger.takeAll([])
    expect(ledger.list()).toEqual([])
  })
})

test("an upload hands the form itself over, because phones can't read it from the request again", async () => {
  const bodies: unknown[] = []
  const headers: string[] = []
  class Xhr {
    upload = {}
    status = 201
    responseText = '{"success":true}'
    onload = () => {}
    onloadend = () => {}
    open() {}
    abort() {}
    setRequestHeader(name: string) {
      headers.push(name)
    }
    getAllResponseHeaders() {
      return 'Content-Type: application/json\r\nX-Request-Id: 7\r\n'
    }
    send(body: unknown) {
      bodies.push(body)
      this.onload()
      this.onloadend()
    }
  }
  vi.stubGlobal('XMLHttpRequest', Xhr)
  onTestFinished(() => void vi.unstubAllGlobals())
  const app = new App(laptop)
  await app.signIn(1)
  app.client.platform.upload = uploadByXhr
  const form = new FormData()
  const path = { path: { id: 1 } }
  const fetch = withProgress(app.client, () => {})
  const { response } = await app.run(
    app.client.POST('/api/v01/pages/{id}/assets', { params: path, body: form, fetch }),
  )
  expect(response.status).toBe(201)
  expect(bodies).toEqual([form])
  expect(headers).toContain('authorization')
  expect(headers).not.toContain('content-type')
})

describe('a chat', () => {
  const OTHER = 2
  let chats: ChatService
  beforeEach(() => {
    chats = new ChatService(world)
    chats.group(1, [1, OTHER])
    laptop = new Machine(world, chats.serve, (line) => chats.accept(line, () => {}))
  })

  async function openChat(isOnline = true, machine = laptop) {
    const app = new App(machine)
    await app.signIn(1)
    const chat = createChat(app.client)
    if (isOnline) await world.until(() => app.client.live.$status.get() === 'online')
    const room = chat.room(1)
    await world.until(() => room.$state.get().status === 'ready')
    return { app, chat, room }
  }
  const texts = (room: Room) => room.$messages.get().map(({ message }) => message)

  test('shows a message that a conversation of the same version has overtaken', async () => {
    const { chat, room } = await openChat()
    await world.pass(1_000)
    // The message itself doesn't come.
    chats.isDeaf = true
    chats.write(1, OTHER, 'overtaken')
    const conversation = chats.view(chats.groups.get(1) as never, 1)
    await world.pass(1_000)
    for (const line of laptop.lines) line.tell({ type: 'conversation', conversation })
    await world.pass(2_000)
    expect(texts(room)).toEqual(['overtaken'])
    expect(chat.$conversations.get()).toMatchObject([{ last_seq: 1, unread: 1 }])
  })

  test('revives the room of somebody who is a member again, though it was refused before', async () => {
    chats.setMember(1, 1, false)
    const app = new App(laptop)
    await app.signIn(1)
    const room = createChat(app.client).room(1)
    await world.until(() => room.$state.get().status === 'gone')
    chats.write(1, OTHER, 'while away')
    chats.setMember(1, 1, true)
    await world.until(() => room.$state.get().status === 'ready')
    chats.write(1, OTHER, 'here again')
    await world.pass(1_000)
    expect(texts(room)).toEqual(['while away', 'here again'])
  })

  test('keeps a room that is looked at, however many others are opened after it', async () => {
    const { chat, room } = await openChat()
    const stop = room.$messages.listen(() => {})
    for (let id = 2; id <= 30; id++) {
      chats.group(id, [1, OTHER])
      chat.room(id)
    }
    await world.pass(5_000)
    chats.write(1, OTHER, 'still here')
    await world.pass(2_000)
    expect(texts(room)).toEqual(['still here'])
    expect(chat.room(1)).toBe(room)
    stop()
  })

  test('knows how far everybody has read: by replies, and by what was read while it was away', async () => {
    const { app, room } = await openChat()
    chats.write(1, 1, 'a question')
    chats.write(1, OTHER, 'a reply')
    await world.pass(1_000)
    expect(room.$readBy.get()).toEqual({ 1: 1, [OTHER]: 2 })
    chats.write(1, 1, 'another question')
    await world.pass(1_000)
    app.client.live.disconnect()
    await world.pass(1_000)
    chats.read(1, OTHER)
    await world.pass(1_000)
    expect(room.$readBy.get()).toMatchObject({ [OTHER]: 2 })
    app.client.live.connect()
    // The first reading fails.
    laptop.network.next = ['lose request', 'lose request', 'lose request', 'lose request', 'lose request']
    await world.until(() => room.$readBy.get()[OTHER] === 3)
  })

  test('counts a conversation again once its mute has ended by itself, though nothing says so', async () => {
    const { chat } = await openChat()
    chats.write(1, OTHER, 'hello')
    chats.set(1, 1, { muted_until: new Date(world.now + 20_000).toISOString() })
    await world.until(() => chat.$conversations.get()?.[0]?.settings.muted_until)
    expect(chat.$unread.get()).toBe(0)
    // The frame that comes with the end is lost.
    chats.isDeaf = true
    await world.pass(21_000)
    expect(chat.$unread.get()).toBe(1)
  })

  test.each([
    ['post', '/api/v01/chat/conversations/{id}/messages'],
    ['post', '/api/v01/chat/conversations/{id}/attachments'],
    ['put', '/api/v01/chat/conversations/{id}/messages/{message_id}/reactions/{emoji}'],
  ])('knows all refusals of %s %s', async (method, path) => {
    const { app, chat } = await openChat()
    const { serve } = laptop
    const refusals = await refusalsOf(method, path)
    expect(refusals.length).toBeGreaterThan(5)
    for (const [status, code] of refusals) {
      laptop.serve = async (request) =>
        /messages|attachments/.test(request.url) && request.method !== 'GET'
          ? new Response(JSON.stringify({ success: false, code, message: '' }), {
              status,
              headers: { 'content-type': 'application/json', 'x-request-id': 'refused' },
            })
          : serve(request)
      const files = path.endsWith('attachments') ? [new File(['x'], 'x')] : []
      if (method === 'put')
        await app.run(chat.react({ conversationId: 1, messageId: 1, emoji: 'x', added: true }))
      else await app.run(chat.send(1, { message: 'x', files }))
      await world.pass(100)
      expect([...laptop.entries.keys()].filter((key) => key.includes('/reactions/'))).toEqual([])
      expect(chat.$outgoing.get().map(({ state, error }) => [state, error])).toEqual(
        method === 'put' ? [] : [['failed', code]],
      )
      for (const { clientId } of chat.$outgoing.get()) await app.run(chat.discard(clientId))
    }
  })

  test.each(PROXY_ANSWERS)('sends once, and stays, after %s from a proxy', async (fault) => {
    chats.write(1, OTHER, 'hello')
    const { app, chat, room } = await openChat()
    laptop.network.next = [fault, fault, fault]
    await app.run(chat.send(1, 'an answer'))
    await app.run(chat.react({ conversationId: 1, messageId: 10_001, emoji: '👍', added: true }))
    await world.pass(3 * MINUTE_MS)
    expect(texts(room)).toEqual(['hello', 'an answer'])
    expect(room.$messages.get()[0]?.reactions.map(({ emoji }) => emoji)).toEqual(['👍'])
    laptop.network.next = [fault, fault, fault, fault, fault]
    void room.fill()
    await world.pass(MINUTE_MS)
    expect(room.$state.get().status).toBe('ready')
    expect(chat.$outgoing.get()).toEqual([])
    expect(app.client.session.$user.get()?.id).toBe(1)
  })

  test('sends and is told of everything where storage, locks and channels are denied', async () => {
    laptop.deniesStorage = true
    const { app, chat, room } = await openChat()
    expect(await app.run(chat.send(1, 'from a frame'))).toMatchObject({ storage: 'memory' })
    chats.write(1, OTHER, 'to a frame')
    await world.until(() => texts(room).length === 2 && chat.$outgoing.get().length === 0)
    expect(texts(room).sort()).toEqual(['from a frame', 'to a frame'])
  })

  test('gives an upload up that a proxy refuses as too large again and again, until somebody asks for it again', async () => {
    const { app, chat, room } = await openChat()
    const { serve } = laptop
    let tries = 0
    laptop.serve = async (request, form) => {
      if (!request.url.endsWith('/attachments')) return serve(request, form)
      tries += 1
      return proxyPage(413)
    }
    const { clientId } = await app.run(chat.send(1, { message: 'a film', files: [new File(['x'], 'x')] }))
    // Others don't wait for it.
    await app.run(chat.send(1, 'a word'))
    await world.pass(10 * MINUTE_MS)
    expect(tries).toBe(5)
    expect(chat.$outgoing.get()).toMatchObject([{ clientId, state: 'failed', error: 'payload_too_large' }])
    await app.run(chat.retry(clientId))
    await world.pass(10 * MINUTE_MS)
    expect(tries).toBe(6)
    laptop.serve = serve
    await app.run(chat.retry(clientId))
    await world.until(() => chat.$outgoing.get().length === 0)
    expect(texts(room)).toEqual(['a word', 'a film'])
  })

  test('shows what a new connection brings, though a page was asked for on a line that is dead', async () => {
    const { app, room } = await openChat()
    await world.pass(1_000)
    laptop.network.isHalfOpen = true
    void room.fill()
    await world.pass(1_000)
    laptop.network.isHalfOpen = false
    laptop.cut()
    await world.until(() => app.client.live.$status.get() !== 'online')
    await world.until(() => app.client.live.$status.get() === 'online')
    chats.write(1, OTHER, 'here again')
    await world.until(() => texts(room).length > 0, 2_000)
  })

  test.each([
    ['the phone', 'while the laptop is online'],
    ['the laptop', 'while the phone is online'],
  ])('shows the reactions that the service has, though %s reacted otherwise %s', async (late) => {
    chats.write(1, OTHER, 'hello')
    const phone = new Machine(world, chats.serve, (line) => chats.accept(line, () => {}))
    const one = await openChat()
    const other = await openChat(true, phone)
    const [offline, online] = late === 'the phone' ? [other, one] : [one, other]
    const machine = late === 'the phone' ? phone : laptop
    const react = ({ app, chat }: typeof one, emoji: string, added: boolean) =>
      app.run(chat.react({ conversationId: 1, messageId: 10_001, emoji, added }))
    await react(online, '❤️', true)
    await world.pass(2_000)
    machine.network.isUp = false
    machine.cut()
    await react(offline, '👍', true)
    await react(offline, '❤️', false)
    for (const added of [true, false, true]) await react(online, '❤️', added)
    for (const added of [true, false]) await react(online, '👍', added)
    chats.react(1, 1, OTHER, '👍', true)
    await world.pass(MINUTE_MS)
    machine.network.isUp = true
    await world.pass(2 * MINUTE_MS)
    const stored = chats.messagesFor(1, 1)[0]?.reactions
    expect(stored?.map(({ emoji, count, mine }) => [emoji, count, mine])).toEqual([['👍', 2, true]])
    for (const { room } of [one, other]) expect(room.$messages.get()[0]?.reactions).toEqual(stored)
  })

  test('lists the conversations and sends where no WebSocket opens', async () => {
    laptop.network.blocksSockets = true
    chats.write(1, OTHER, 'hello')
    const { app, chat, room } = await openChat(false)
    await world.until(() => chat.$conversations.get()?.[0]?.unread === 1, 10_000)
    expect(texts(room)).toEqual(['hello'])
    await app.run(chat.send(1, 'an answer'))
    await world.until(() => chats.groups.get(1)?.messages.length === 2, 10_000)
    chats.write(1, OTHER, 'and so on')
    await world.until(() => chat.$conversations.get()?.[0]?.last_message?.message === 'and so on', 40_000)
    await world.until(() => texts(room).length === 3, 40_000)
    expect(chat.$outgoing.get()).toEqual([])
  })
})
