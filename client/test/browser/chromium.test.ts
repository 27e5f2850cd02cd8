import { type Browser, type BrowserContext, chromium, type Frame, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PASSWORD, type Client as Person } from '../../../test/support/client.ts'
import { createExam } from '../../../test/support/content/exams.ts'
import { PATIENCE_MS } from '../../../test/support/patience.ts'
import { connectedPair, startService, type TestService } from '../../../test/support/service.ts'
import type { Chat } from '../../src/chat/chat.ts'
import type { ExamSession } from '../../src/exam/open-exam.ts'
import type { Client, StorageState } from '../../src/index.ts'
import { CHROMIUM, hasChromium, servePages } from './pages.ts'

/** Globals that page.ts sets. They exist in the page alone, inside `evaluate` and `waitForFunction`. */
declare const client: Client
declare const chat: Chat
declare const exam: ExamSession
declare const takeExam: {
  open(id: number): Promise<void>
  answer(question: number, value: string): Promise<StorageState> | undefined
}
declare const withProgress: typeof import('../../src/files/with-progress.ts').withProgress

let service: TestService
let browser: Browser
let origin: string
let pages: Awaited<ReturnType<typeof servePages>>
beforeAll(async () => {
  if (!hasChromium) return
  pages = await servePages()
  origin = `http://127.0.0.1:${pages.port}`
  service = await startService({ config: { corsOrigins: [origin, 'null'] } })
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    // Playwright switches the back/forward cache off, which people's browsers have on.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
  pages?.close()
})

/** A browser profile whose tabs, sockets and refreshes are counted. */
class Profile {
  readonly context: BrowserContext
  readonly openSockets = new Map<Page, number>()
  refreshes = 0

  constructor(context: BrowserContext) {
    this.context = context
    context.on('request', (request) => {
      if (request.url().endsWith('/auth/refresh') && request.method() === 'POST') this.refreshes += 1
    })
  }

  static async open(): Promise<Profile> {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    return new Profile(context)
  }

  async tab(path = '/'): Promise<Page> {
    const page = await this.context.newPage()
    page.on('websocket', (socket) => {
      this.#count(page, 1)
      socket.on('close', () => this.#count(page, -1))
    })
    page.on('crash', () => this.openSockets.delete(page))
    page.on('close', () => this.openSockets.delete(page))
    await page.goto(`${origin}${path}?service=${encodeURIComponent(service.urls[0] as string)}`)
    return page
  }

  get sockets(): number {
    return [...this.openSockets.values()].reduce((sum, open) => sum + open, 0)
  }

  #count(page: Page, change: number): void {
    this.openSockets.set(page, (this.openSockets.get(page) ?? 0) + change)
  }
}

function login(page: Page | Frame, username: string): Promise<unknown> {
  return page.evaluate(async (credentials) => (await client.session.login(credentials)).user, {
    username,
    password: PASSWORD,
  })
}

/** Waits until this text is the last message in the room. */
async function untilLastMessage(
  page: Page | Frame,
  id: number,
  text: string,
  timeout = 10_000,
): Promise<void> {
  await page.waitForFunction(
    ([room, expected]) =>
      chat
        .room(room as number)
        .$messages.get()
        .at(-1)?.message === expected,
    [id, text] as const,
    { timeout, polling: 50 },
  )
}

const untilOnline = (page: Page | Frame) =>
  page.waitForFunction(() => client.live.$status.get() === 'online', undefined, { polling: 20 })

async function fiveTabs(): Promise<{ profile: Profile; pages: Page[]; bob: Person; id: number }> {
  const { alice, bob, conversationId } = await connectedPair(service)
  const profile = await Profile.open()
  const first = await profile.tab()
  await login(first, alice.username)
  await untilOnline(first)
  // The token has expired when the other tabs open, as after a night.
  await first.evaluate(async () => {
    const grant = (await client.platform.store.get('session')) as object
    await client.platform.store.set('session', { ...grant, expiresAt: Date.now() - 1_000 })
  })
  const pages = [first, ...(await Promise.all(Array.from({ length: 4 }, () => profile.tab())))]
  await Promise.all(
    pages.slice(1).map((page) => page.evaluate(() => client.GET('/api/v01/auth/me').then(() => {}))),
  )
  await Promise.all(pages.map(untilOnline))
  return { profile, pages, bob, id: conversationId }
}

async function leaderOf(pages: Page[]): Promise<Page> {
  const leads = await Promise.all(pages.map((page) => page.evaluate(() => client.live.$leads.get())))
  const at = leads.indexOf(true)
  expect(leads.filter(Boolean)).toHaveLength(1)
  return pages[at] as Page
}

describe.skipIf(!hasChromium)('in Chromium', { timeout: 120_000 }, () => {
  test('five tabs share one socket and one refresh, and show the same messages', async () => {
    const { profile, pages, bob, id } = await fiveTabs()
    expect(profile.refreshes).toBe(1)
    expect(profile.sockets).toBe(1)
    await bob.send(id, 'to all of you')
    await Promise.all(pages.map((page) => untilLastMessage(page, id, 'to all of you')))
    await pages[3]?.evaluate((room) => chat.send(room, 'from the fourth'), id)
    await Promise.all(pages.map((page) => untilLastMessage(page, id, 'from the fourth')))
    expect(profile.sockets).toBe(1)

    await pages[2]?.evaluate(() => client.session.logout())
    for (const page of pages)
      await page.waitForFunction(
        () => client.session.$user.get() === null && chat.$conversations.get() === undefined,
      )
    await expect.poll(() => profile.sockets).toBe(0)
  })

  test('another tab has the socket within a second after the leader was killed', async () => {
    const { profile, pages, bob, id } = await fiveTabs()
    const leader = await leaderOf(pages)
    const others = pages.filter((page) => page !== leader)
    await bob.send(id, 'before')
    await Promise.all(others.map((page) => untilLastMessage(page, id, 'before')))
    const crashed = new Promise((resolve) => leader.once('crash', resolve))
    const devtools = await profile.context.newCDPSession(leader)
    devtools.send('Page.crash').catch(() => {})
    await crashed
    const at = performance.now()
    await Promise.any(
      others.map((page) =>
        page.waitForFunction(
          () => client.live.$leads.get() && client.live.$status.get() === 'online',
          undefined,
          {
            polling: 20,
          },
        ),
      ),
    )
    const took = performance.now() - at
    console.log(`another tab had the socket ${Math.round(took)} ms after the crash`)
    expect(took).toBeLessThan(1_000)
    await bob.send(id, 'after')
    await Promise.all(others.map((page) => untilLastMessage(page, id, 'after')))
    expect(profile.sockets).toBe(1)
  })

  test('another tab takes over from a frozen leader, which follows when it thaws', async () => {
    const { profile, pages, bob, id } = await fiveTabs()
    const leader = await leaderOf(pages)
    const others = pages.filter((page) => page !== leader)
    // A paused page keeps its Web Lock, but none of its code runs.
    const devtools = await profile.context.newCDPSession(leader)
    await devtools.send('Debugger.enable')
    await devtools.send('Debugger.pause')
    const frozen = new Promise((resolve) => devtools.once('Debugger.paused', resolve))
    const thawed = leader.evaluate(() => {})
    await frozen
    await Promise.any(
      others.map((page) => page.waitForFunction(() => client.live.$leads.get(), undefined, { polling: 50 })),
    )
    await bob.send(id, 'while frozen')
    await Promise.all(others.map((page) => untilLastMessage(page, id, 'while frozen')))
    await devtools.send('Debugger.resume')
    await thawed
    await untilLastMessage(leader, id, 'while frozen')
    await expect.poll(() => leader.evaluate(() => client.live.$leads.get())).toBe(false)
    await leaderOf(others)
    await expect.poll(() => profile.sockets).toBe(1)
  })

  test('a page enters the back/forward cache, and is up to date when it comes back', async () => {
    const { alice, bob, conversationId: id } = await connectedPair(service)
    const profile = await Profile.open()
    const page = await profile.tab()
    await login(page, alice.username)
    await untilOnline(page)
    await bob.send(id, 'before')
    await untilLastMessage(page, id, 'before')
    await page.goto(`${origin}/elsewhere`)
    await expect.poll(() => profile.sockets).toBeLessThan(2)
    await bob.send(id, 'meanwhile')
    // Playwright would wait for a load event, which a page from the cache doesn't fire.
    const devtools = await profile.context.newCDPSession(page)
    await page.goBack({ waitUntil: 'commit', timeout: 2_000 }).catch(() => {})
    const evaluate = async (expression: string) =>
      (await devtools.send('Runtime.evaluate', { expression })).result.value as unknown
    await expect.poll(() => evaluate('seen.returns')).toBe(1)
    await expect.poll(() => evaluate(`chat.room(${id}).$messages.get().at(-1)?.message`)).toBe('meanwhile')
  })

  test('messages written offline are sent once, in order, when the network is back', async () => {
    const { alice, bob, conversationId: id } = await connectedPair(service)
    const profile = await Profile.open()
    const page = await profile.tab()
    await login(page, alice.username)
    await untilOnline(page)
    await page.evaluate((room) => void chat.room(room), id)
    await profile.context.setOffline(true)
    await page.evaluate(async (room) => {
      for (const text of ['one', 'two', 'three']) await chat.send(room, text)
    }, id)
    // They wait on this device.
    expect(await page.evaluate(() => chat.$outgoing.get().length)).toBe(3)
    await profile.context.setOffline(false)
    await expect
      .poll(
        async () => {
          const { body } = await bob.get(`/api/v01/chat/conversations/${id}/messages`)
          return body.messages.map(({ message }) => message)
        },
        { timeout: PATIENCE_MS },
      )
      .toEqual(['one', 'two', 'three'])
    await untilLastMessage(page, id, 'three')
    await page.waitForFunction(() => chat.$outgoing.get().length === 0)
  })

  describe('in a sandboxed frame, where all storage is denied', () => {
    async function frame(username: string): Promise<Frame> {
      const page = await (await Profile.open()).tab('/framed')
      const found = page.frames()[1]
      if (!found) throw new Error('The page has no frame')
      await found.waitForFunction(() => 'client' in globalThis)
      expect(
        await found.evaluate(() => navigator.locks.request('x', async () => {}).catch(({ name }) => name)),
      ).toBe('SecurityError')
      await login(found, username)
      expect(await found.evaluate(() => client.$storage.get())).toBe('memory')
      return found
    }

    test('an exam is taken and handed in', async () => {
      const person = await service.person()
      const { examId, questionIds } = await createExam(service.sql, { questions: [{ correct_answer: 'B' }] })
      const framed = await frame(person.username)
      const where = await framed.evaluate(
        async ([exam, question]) => {
          await takeExam.open(exam as number)
          return takeExam.answer(question as number, 'B')
        },
        [examId, questionIds[0]],
      )
      expect(where).toBe('memory')
      await framed.waitForFunction(() => exam.$state.get().unsynced === 0)
      await framed.evaluate(() => exam.submit())
      await framed.waitForFunction(() => exam.$state.get().phase === 'submitted')
      const [row] = await service.sql`select answers from attempts where user_id = ${person.id}`
      expect(row?.answers).toEqual({ [`${questionIds[0]}`]: 'B' })
    })

    test('a message is sent, and others are shown', async () => {
      const { alice, bob, conversationId: id } = await connectedPair(service)
      const framed = await frame(alice.username)
      await untilOnline(framed)
      const sent = await framed.evaluate((room) => chat.send(room, 'from a frame'), id)
      expect(sent.storage).toBe('memory')
      await untilLastMessage(framed, id, 'from a frame')
      await bob.send(id, 'to a frame')
      await untilLastMessage(framed, id, 'to a frame')
      await framed.waitForFunction(() => chat.$outgoing.get().length === 0)
    })
  })

  test('an upload reports its progress, and is aborted by its signal', async () => {
    const person = await service.person()
    const profile = await Profile.open()
    const page = await profile.tab()
    await login(page, person.username)
    const { status, told, aborted } = await page.evaluate(async () => {
      const { data } = await client.POST('/api/v01/notebooks', { body: { title: 'x' } })
      const id = data?.notebook.id ?? 0
      const made = await client.POST('/api/v01/notebooks/{id}/pages', { params: { path: { id } }, body: {} })
      const upload = (signal: AbortSignal) => {
        const body = new FormData()
        body.set('image', new Blob([new Uint8Array(3_000_000)], { type: 'image/png' }), 'x.png')
        return client.POST('/api/v01/pages/{id}/assets', {
          params: { path: { id: made.data?.page.id ?? 0 } },
          body,
          signal,
          fetch: withProgress(client, (sent) => told.push(sent)),
        })
      }
      const told: number[] = []
      const { response } = await upload(new AbortController().signal)
      const end = AbortSignal.abort(new Error('no more'))
      return { status: response.status, told: [...told], aborted: await upload(end).catch(String) }
    })
    // Refused, since 3 MB of zeros are no image: only the progress matters here.
    expect(status).toBe(400)
    expect(told.at(-1)).toBeGreaterThan(3_000_000)
    expect(told).toEqual([...told].sort((one, other) => one - other))
    expect(aborted).toContain('no more')
  })
})
