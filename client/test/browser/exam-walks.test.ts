import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PASSWORD, type Client as Person } from '../../../test/support/client.ts'
import { createExam } from '../../../test/support/content/exams.ts'
import { startService, type TestService } from '../../../test/support/service.ts'
import { random } from '../simulation/world.ts'
import { LivingBrowser, type Tab } from './living-browser.ts'
import { hasChromium, servePages } from './pages.ts'

/**
 * LONG_TESTS=1 takes walks, from SEED (1) on, as many as WALKS says (100). SEED alone repeats the one that a failure
 * names.
 */
const { LONG_TESTS, SEED, WALKS } = process.env
const COUNT = LONG_TESTS ? Number(WALKS ?? 100) : SEED ? 1 : 6
const SEEDS = Array.from({ length: COUNT }, (_, at) => Number(SEED ?? 1) + at)
const ANSWERS = 12
/** Longer than answers wait to be sent together. */
const PAUSE_MS = 1_000

let service: TestService
let browser: LivingBrowser
let pages: Awaited<ReturnType<typeof servePages>>
/** How often each thing has happened in all walks. */
const counts: Record<string, number> = {}

const originOf = () => `http://walk.localhost:${pages.port}`

/** A person's exam in one tab after the other. */
class Walk {
  readonly person: Person
  readonly examId: number
  /** The one in front. */
  tab!: Tab
  #tabs = 0

  constructor(person: Person, examId: number) {
    this.person = person
    this.examId = examId
  }

  async begin(): Promise<void> {
    await this.load()
    const credentials = JSON.stringify({ username: this.person.username, password: PASSWORD })
    await this.tab.run(`client.session.login(${credentials})`)
    await this.open()
  }

  /** Opens the exam in the tab that is in front. */
  async open(): Promise<void> {
    await this.tab.run(`takeExam.open(${this.examId})`)
    await this.untilItWrites()
  }

  async reopen(): Promise<void> {
    await this.load()
    await this.open()
  }

  /** Another tab writes from now on; this one stays where it is, and reads. */
  async takeOver(): Promise<void> {
    const before = this.tab
    await this.load()
    await this.tab.run(`takeExam.open(${this.examId})`)
    await this.tab.run('exam.takeOver()')
    await this.untilItWrites()
    await expect.poll(() => before.run('exam.$state.get().canWrite')).toBe(false)
    await before.close()
  }

  async untilItWrites(): Promise<void> {
    await expect.poll(() => this.tab.run('globalThis.exam?.$state.get().canWrite')).toBe(true)
  }

  async untilLoaded(): Promise<void> {
    await expect.poll(() => this.tab.run('globalThis.takeExam !== undefined')).toBe(true)
    await this.tab.run('client.session.ready')
  }

  async load(): Promise<void> {
    this.#tabs += 1
    const at = encodeURIComponent(service.urls[0] as string)
    this.tab = await browser.open(`${originOf()}/?service=${at}&tab=${this.#tabs}`)
    await this.untilLoaded()
  }
}

/** What happens to pages, each with its weight in the random choice. */
const FATE: [weight: number, name: string, act: (walk: Walk, ms: number) => Promise<void>][] = [
  [2, 'left alone', async () => {}],
  [
    3,
    'hidden',
    async ({ tab }, ms) => {
      await tab.hide()
      await sleep(ms)
      await tab.show()
    },
  ],
  [
    3,
    'frozen',
    async ({ tab }, ms) => {
      const freezes = Number(await tab.run('seen.freezes'))
      await tab.freeze()
      await sleep(ms)
      await tab.show()
      await expect.poll(() => tab.run('seen.freezes')).toBeGreaterThan(freezes)
    },
  ],
  [
    3,
    'left and come back to',
    async (walk) => {
      const { tab } = walk
      await tab.command('Page.navigate', { url: `${originOf()}/elsewhere` })
      await expect.poll(() => tab.run('location.pathname')).toBe('/elsewhere')
      await tab.run('history.back()')
      await expect.poll(() => tab.run('location.pathname')).toBe('/')
      await walk.untilLoaded()
      if (await tab.run('globalThis.exam !== undefined')) count('restored from the back/forward cache')
      else await walk.open()
    },
  ],
  [
    3,
    'discarded',
    async (walk, ms) => {
      await walk.tab.discard()
      await sleep(ms)
      await walk.tab.show()
      await walk.untilLoaded()
      expect(await walk.tab.run('document.wasDiscarded')).toBe(true)
      await walk.open()
    },
  ],
  [
    3,
    'killed',
    async (walk) => {
      await walk.tab.crash()
      await walk.reopen()
    },
  ],
  [
    2,
    'closed',
    async (walk) => {
      await walk.tab.close()
      await walk.reopen()
    },
  ],
  [2, 'taken over by another tab', (walk) => walk.takeOver()],
]

function count(what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}

describe.skipIf(!hasChromium)('in Chromium', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    pages = await servePages()
    service = await startService({ config: { corsOrigins: [originOf()] } })
  }, 120_000)
  // Each walk has a browser of its own, so that one that failed leaves no tab to the next.
  beforeEach(async () => {
    browser = await LivingBrowser.start()
  })
  afterEach(() => browser.close())
  afterAll(async () => {
    console.log(`${SEEDS.length} walks: ${JSON.stringify(counts)}`)
    await service?.close()
    pages?.close()
  })

  test.each(SEEDS)(
    'an exam loses nothing in pages that are hidden, frozen, left, discarded, killed and closed: seed %i',
    async (seed) => {
      const next = random(seed)
      const total = FATE.reduce((sum, [weight]) => sum + weight, 0)
      const { examId, questionIds } = await createExam(service.sql, {
        max_attempts: 1,
        questions: [1, 2, 3].map(() => ({ question_type: 'NUMERIC' as const, correct_answer: '1' })),
      })
      const walk = new Walk(await service.person(), examId)
      await walk.begin()
      const last: Record<string, string> = {}
      for (let given = 1; given <= ANSWERS; given++) {
        const question = questionIds[Math.floor(next() * 3)] as number
        expect(await walk.tab.run(`takeExam.answer(${question}, '${given}')`)).toBe('durable')
        count('answers')
        last[question] = `${given}`
        await sleep(next() * PAUSE_MS)
        let at = next() * total
        const fate = FATE.find(([weight]) => {
          at -= weight
          return at < 0
        })
        if (!fate) throw new Error('No fate')
        const [, name, act] = fate
        count(name)
        const flickers = await walk.tab.run('takeExam.flickers')
        expect(flickers, name).toEqual([])
        await act(walk, next() * PAUSE_MS)
        await walk.untilItWrites()
      }
      await expect.poll(() => walk.tab.run('exam.$state.get().unsynced')).toBe(0)
      expect(await walk.tab.run('takeExam.flickers')).toEqual([])
      expect(await walk.tab.run('exam.$state.get().answers')).toEqual(last)
      // Nobody has handed it in: it is active.
      const { body } = await walk.person.get(`/api/v01/exams/${examId}/paper`, 200)
      expect(body.answers).toEqual(last)

      // What somebody has asked for is done, though the page is killed at once.
      expect(await walk.tab.run('exam.submit()')).toBe('durable')
      await walk.tab.crash()
      await walk.load()
      await walk.tab.run(`takeExam.open(${examId})`)
      await expect
        .poll(() => service.sql`select status, answers from attempts where exam_id = ${examId}`)
        .toEqual([{ status: 'submitted', answers: last }])
      await walk.tab.close()
    },
  )
})
