/**
 * Measures the desk in a real Chromium, partly with the processor slowed down four times: the bytes of the first load,
 * the time until it can be used, scrolling through 10,000 messages, the time until somebody has talked to another one,
 * and the delay of a key while typing a question, a message and an answer.
 *
 *   DATABASE_URL=postgres://… npx node bench/desk.ts
 */
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Locator, Page } from 'playwright-core'
import { newPage, openWholeBrowser } from '../test/support/browser.ts'
import { median, quantile, summarise } from './measure.ts'
import { startOwnService } from './own-service.ts'

const SLOWER = 4
const MESSAGES = 10_000
const ROUNDS = 5
/** Milliseconds: browsers call a longer task a "long task", since people notice it. */
const LONG_MS = 50
const QUIET_MS = 500

/** What the page reports. Declared here, since these files are checked without the types of browsers. */
interface Watch {
  /** Milliseconds since the navigation. */
  ready?: number
  long: { start: number; duration: number }[]
  frames: number[]
  isCounting: boolean
  waits: number[]
}

process.env.DEMO = 'on'
const service = await startOwnService()
const browser = await openWholeBrowser()
try {
  await measureFirstLoad(browser)
  await measureRoom(browser)
  await measureArrival(browser)
  await measureTyping(browser)
} finally {
  await browser.close()
  await service.close()
}

async function measureFirstLoad(browser: Browser): Promise<void> {
  const { page, slow } = await enter(browser, 'alice')
  const files = new Set<string>()
  page.on('response', (response) => {
    if (/\/desk\/(assets\/|exams$)/.test(response.url())) files.add(response.url())
  })
  await slow.send('Network.enable')
  await slow.send('Network.setCacheDisabled', { cacheDisabled: true })
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await slow.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
    await page.goto('/desk/exams')
    await page.locator('.card a').first().waitFor()
    const { ready = Number.NaN, long } = await settle(page)
    // It can be used once it is drawn and no long task would delay the first key.
    times.push(Math.max(ready, ...long.map(({ start, duration }) => start + duration)))
    await slow.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  }
  let bytes = 0
  for (const file of files) bytes += await weigh(file)
  console.log(`first load: ${(bytes / 1_024).toFixed(1)} KiB gzipped in ${files.size} files`)
  console.log(`interactive, processor ${SLOWER} times slower: ${summarise(times)} ms`)
  await page.context().close()
}

async function measureRoom(browser: Browser): Promise<void> {
  const { sql } = service
  await sql`
    insert into messages (conversation_id, seq, version, sender_id, message, created_at)
    select 1, n, 100 + n, case when n % 3 = 0 then a.id else b.id end,
           'Message ' || n || repeat(' and a little more of it', n % 9) || case when n % 40 = 0 then ' $x^2$' else '' end,
           now() - interval '1 day' + n * interval '1 second'
      from generate_series(1, ${MESSAGES}) n, users a, users b where a.username = 'alice' and b.username = 'bob'`
  await sql`update conversations set last_seq = ${MESSAGES}, version = 100 + ${MESSAGES} where id = 1`
  await sql`update conversation_members set last_read_seq = ${MESSAGES}`
  const { page, slow } = await enter(browser, 'alice')
  await page.goto('/desk/chat/1')
  await page.locator('.scroller').getByText(`Message ${MESSAGES}`).waitFor()
  // Loads every message first, as if somebody had scrolled through the whole room.
  await page.evaluate(`(async () => {
    const scroller = document.querySelector('.scroller')
    while (!/Message 1\\D/.test(scroller.textContent)) {
      scroller.scrollTop = 0
      await new Promise(requestAnimationFrame)
    }
  })()`)
  const drawn = await page.locator('.scroller .message').count()
  const frames: number[] = []
  let longest = 0
  for (const yDistance of [-30_000, 30_000, -30_000]) {
    await page.evaluate('watch.frames = []; watch.long = []; watch.isCounting = true; watch.count()')
    const box = await page.locator('.scroller').boundingBox()
    await slow.send('Input.synthesizeScrollGesture', {
      x: (box?.x ?? 0) + 100,
      y: (box?.y ?? 0) + 100,
      yDistance,
      speed: 6_000,
      gestureSourceType: 'mouse',
    })
    const seen = await watched(page)
    await page.evaluate('watch.isCounting = false')
    frames.push(...seen.frames)
    longest = Math.max(longest, ...seen.long.map(({ duration }) => duration))
  }
  console.log(
    `${MESSAGES} messages in a room, ${drawn} of them in the document, scrolled at 6,000 px/s: ` +
      `${(1_000 / (frames.reduce((sum, each) => sum + each, 0) / frames.length)).toFixed(1)} frames/s, ` +
      `a frame ${median(frames).toFixed(1)} ms, p99 ${quantile(frames, 0.99).toFixed(1)} ms, ` +
      `longest task ${longest === 0 ? `below ${LONG_MS}` : longest.toFixed(0)} ms`,
  )
  await page.context().close()
}

async function measureTyping(browser: Browser): Promise<void> {
  const formulas = String.raw` Then $E = \frac{1}{2} m v^2 + m g h$, and so $\int_0^T v\,dt = \sqrt{x^2 + y^2}$ holds for all of them. `
  const words =
    ' Then the first of them is as long as the second, and so both are longer than all the others. '
  const { page, slow } = await enter(browser, 'admin')
  await page.goto('/desk/teach/questions/1/1')
  await page.locator('.katex').first().waitFor()
  await page.getByLabel('Question', { exact: true }).press('End')
  await measureField(
    'a question beside its preview',
    page,
    slow,
    page.getByLabel('Question', { exact: true }),
    formulas,
  )
  await page.context().close()

  const student = await enter(browser, 'alice')
  await student.page.goto('/desk/chat/1')
  await student.page.locator('.scroller').getByText(`Message ${MESSAGES}`).waitFor()
  const composer = student.page.getByLabel(/^Message to/)
  await measureField('a message', student.page, student.slow, composer, words)
  const short = {
    exam_id: 1,
    question_text: 'Say it in a sentence.',
    question_type: 'SHORT',
    correct_answer: 'so',
  }
  await service.sql`insert into questions ${service.sql(short)}`
  await student.page.goto('/desk/exams/1')
  await student.page.getByRole('button', { name: 'Start the exam' }).click()
  await student.page.getByRole('button', { name: /^Question 10,/ }).click()
  const answer = student.page.getByLabel('Your answer')
  await measureField('a short answer of an exam', student.page, student.slow, answer, words)
  await student.page.context().close()
}

async function measureField(
  what: string,
  page: Page,
  slow: CDPSession,
  field: Locator,
  text: string,
): Promise<void> {
  await field.focus()
  await slow.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const longest: number[] = []
  const waits: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await settle(page)
    await page.evaluate('watch.waits = []')
    longest.push(await findLongestTask(slow, () => field.pressSequentially(text, { delay: 60 })))
    waits.push(quantile([0, ...(await settle(page)).waits], 0.99))
  }
  console.log(
    `typing ${text.length} characters into ${what}, processor ${SLOWER} times slower: ` +
      `longest task: ${summarise(longest)} ms of the processor, ` +
      `from a key to its drawing, p99: ${summarise(waits)} ms (0: below 16)`,
  )
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 1 })
}

/**
 * The longest task of the page during some work, by the time of the processor that it took: others may use it
 * meanwhile.
 */
async function findLongestTask(slow: CDPSession, work: () => Promise<void>): Promise<number> {
  type TraceEvent = { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } }
  const events: TraceEvent[] = []
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]))
  slow.on('Tracing.dataCollected', collect)
  const traceConfig = { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline'] }
  await slow.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig })
  await work()
  const isComplete = new Promise<void>((resolve) => slow.once('Tracing.tracingComplete', () => resolve()))
  await slow.send('Tracing.end')
  await isComplete
  slow.off('Tracing.dataCollected', collect)
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const isPage = (event: TraceEvent) => threads.some(({ pid, tid }) => pid === event.pid && tid === event.tid)
  return Math.max(
    0,
    ...events
      .filter(({ name, tdur }) => tdur && name === 'RunTask')
      .filter(isPage)
      .map(({ tdur = 0 }) => tdur / 1_000),
  )
}

/**
 * From an empty tab at `/` to a message that another person, who looks at the conversation, sees: sign-in by hand
 * included.
 */
async function measureArrival(browser: Browser): Promise<void> {
  const { page: bob } = await enter(browser, 'bob')
  await bob.goto('/desk/chat/1')
  await bob.getByLabel(/^Message to/).waitFor()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { page, context } = await newPage(browser, service.url)
    const start = performance.now()
    await page.goto('/')
    await page.getByRole('button', { name: 'alice' }).first().click()
    await page.getByRole('link', { name: /^Chat/ }).first().click()
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first().click()
    const text = `Seen in round ${round}`
    await page.getByLabel(/^Message to/).fill(text)
    await page.getByLabel(/^Message to/).press('Enter')
    await bob.locator('.scroller').getByText(text).waitFor()
    times.push(performance.now() - start)
    await context.close()
  }
  console.log(`from / to a message that another person sees: ${summarise(times)} ms`)
  await bob.context().close()
}

/** Signs in with a demo account; every page records its long tasks from the beginning. */
async function enter(browser: Browser, username: string): Promise<{ page: Page; slow: CDPSession }> {
  const { page, context } = await newPage(browser, service.url, { reducedMotion: 'no-preference' })
  await context.addInitScript(() => {
    const scope = globalThis as unknown as {
      watch: Watch & { count: () => void }
      requestAnimationFrame: (then: (time: number) => void) => void
      MutationObserver: new (
        then: () => void,
      ) => { observe: (what: unknown, how: object) => void; disconnect: () => void }
      document: { querySelector: (what: string) => unknown }
    }
    const watch: typeof scope.watch = {
      long: [],
      frames: [],
      waits: [],
      isCounting: false,
      count() {
        let before: number | undefined
        const next = (time: number) => {
          if (before !== undefined) watch.frames.push(time - before)
          before = time
          if (watch.isCounting) scope.requestAnimationFrame(next)
        }
        scope.requestAnimationFrame(next)
      },
    }
    scope.watch = watch
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) watch.long.push({ start: startTime, duration })
    }).observe({ type: 'longtask' } as never)
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') watch.waits.push(duration)
    }).observe({ type: 'event', durationThreshold: 16 } as never)
    const observer = new scope.MutationObserver(() => {
      if (watch.ready !== undefined || !scope.document.querySelector('.card a')) return
      watch.ready = performance.now()
      observer.disconnect()
    })
    observer.observe(scope.document, { childList: true, subtree: true })
  })
  await page.goto('/login')
  await page.getByRole('button', { name: username }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  return { page, slow: await context.newCDPSession(page) }
}

function watched(page: Page): Promise<Watch> {
  return page.evaluate('({ ...watch, count: undefined })')
}

/** Resolves when no long task has run for a while. */
async function settle(page: Page): Promise<Watch> {
  while (true) {
    const seen = await watched(page)
    const last = Math.max(seen.ready ?? 0, ...seen.long.map(({ start, duration }) => start + duration))
    if ((await page.evaluate<number>('performance.now()')) - last > QUIET_MS) return seen
    await sleep(50)
  }
}

async function weigh(url: string): Promise<number> {
  const [response] = await once(get(url, { headers: { 'accept-encoding': 'gzip' } }), 'response')
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  return bytes
}
