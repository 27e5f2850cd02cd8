import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { signIn } from './browser.ts'
import { type Client, PASSWORD } from './client.ts'
import { createExam } from './content/exams.ts'
import type { MortalBrowser } from './mortal-browser.ts'
import { PATIENCE_MS } from './patience.ts'
import type { TestService } from './service.ts'

/** What pages have; it exists inside `evaluate` alone. */
declare const caches: { keys(): Promise<string[]>; open(name: string): Promise<Cache> }
interface Cache {
  keys(): Promise<Request[]>
  match(request: Request): Promise<Response | undefined>
}

export const TEXTS = ['The first one', 'The second one', 'The third one']

/** Somebody who takes an exam in a browser that can be killed. The second question has an image. */
export class Sitting {
  readonly person: Client
  readonly address: string
  readonly examId: number
  readonly questionIds: number[]
  readonly #service: TestService
  readonly #browser: MortalBrowser

  private constructor(
    service: TestService,
    browser: MortalBrowser,
    person: Client,
    url: string,
    exam: { examId: number; questionIds: number[] },
  ) {
    this.#service = service
    this.#browser = browser
    this.person = person
    this.examId = exam.examId
    this.questionIds = exam.questionIds
    this.address = `${url}/desk/exams/${exam.examId}`
  }

  /** Signs in at this address of the service, and begins a new exam. */
  static async begin(service: TestService, browser: MortalBrowser, url: string): Promise<[Sitting, Page]> {
    const person = await service.person()
    const exam = await createExam(service.sql, {
      name: 'The private exam',
      duration_minutes: 30,
      questions: TEXTS.map((question_text, at) => ({
        question_text,
        correct_answer: 'B',
        image_path: at === 1 ? 'Optics/lens.png' : null,
      })),
    })
    const sitting = new Sitting(service, browser, person, url, exam)
    const page = await browser.newPage()
    await signIn(page, person.username, PASSWORD, url)
    await waitForWorker(page)
    await page.goto(sitting.address)
    await page.getByRole('button', { name: 'Start the exam' }).click()
    await page.getByText(TEXTS[0] as string).waitFor()
    await expect.poll(() => listKept(page)).toContain('/files/Optics/lens.png')
    return [sitting, page]
  }

  /** A new tab of the exam, once its first question is shown again. */
  async open(): Promise<Page> {
    const page = await this.#browser.newPage()
    await page.goto(this.address)
    await this.waitForExam(page)
    return page
  }

  async waitForExam(page: Page): Promise<void> {
    await page.getByRole('heading', { name: /^Question \d/ }).waitFor()
  }

  /** The answers of the attempt that the service has, in the order of the questions. */
  async answersAtService(): Promise<(string | null)[]> {
    const [row] = await this.#service.sql<{ answers: Record<string, string> }[]>`
      select answers from attempts where user_id = ${this.person.id} and exam_id = ${this.examId}`
    return this.questionIds.map((id) => row?.answers[id] ?? null)
  }

  /** How far the clock on the page is from the one of the attempt. */
  async clockErrorMs(page: Page, serviceNow: () => number): Promise<number> {
    const [row] = await this.#service.sql<{ ends_at: Date }[]>`
      select ends_at from attempts where user_id = ${this.person.id} and exam_id = ${this.examId}`
    const shown = (await page.getByRole('timer').textContent()) ?? ''
    const [minutes = Number.NaN, seconds = Number.NaN] = shown.split(':').map(Number)
    return Math.abs((minutes * 60 + seconds) * 1_000 - ((row?.ends_at.getTime() ?? 0) - serviceNow()))
  }
}

/** Resolves when the desk can be opened without the service. */
export async function waitForWorker(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
}

/** Resolves when the newest worker has stored its files and taken over. On a busy machine that takes long. */
export async function waitForUpdate(page: Page): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('ServiceWorker.enable')
  const poll = async () => {
    const now = await page.evaluate<{ next: string | null; active?: string }>(readWorker)
    // Chromium waits until the older worker is idle, which it never is again under a debugger, as here, when a request
    // comes while it ends.
    if (now.next === 'installed') await browser.send('ServiceWorker.stopAllWorkers')
    return now
  }
  await expect
    .poll(poll, { timeout: 3 * PATIENCE_MS, interval: 1_000 })
    .toEqual({ next: null, active: 'activated' })
  await browser.detach()
}

const readWorker = `navigator.serviceWorker.getRegistration().then(({ installing, waiting, active }) => ({
  next: (installing ?? waiting)?.state ?? null,
  active: active?.state,
}))`

export function listCaches(page: Page): Promise<string[]> {
  return page.evaluate(() => caches.keys())
}

/** The paths of everything in the caches of a page's origin. */
export function listKept(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const paths: string[] = []
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname)
    return paths
  })
}

/** The paths in the caches whose answers have one of these texts. */
export function findInCaches(page: Page, texts: string[]): Promise<string[]> {
  return page.evaluate(async (wanted) => {
    const found: string[] = []
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) {
        const text = (await (await cache.match(request))?.text()) ?? ''
        if (wanted.some((each) => text.includes(each))) found.push(request.url)
      }
    }
    return found
  }, texts)
}
