import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { listDeskViews } from '../support/content/desk-views.ts'
import { createExam } from '../support/content/exams.ts'
import { findFlaws } from '../support/promises/flaws.ts'
import { connect, startService, type TestService } from '../support/service.ts'

/** Would open a dialog, which fails the test, if it were taken for more than text. */
const EVIL = `<img src=x onerror="alert('XSS')"><script>alert('XSS')</script>`
const EVIL_LATEX = String.raw`${EVIL} $\href{javascript:alert('XSS')}{x} \htmlClass{evil}{y} \includegraphics{x} \frac{1}{2}$`

const MOST_BUTTONS = 8
/** What a click did is drawn by the second frame after it. */
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))'
const IS_TOO_WIDE =
  'document.documentElement.scrollWidth > innerWidth || [...document.querySelectorAll(".table")].some((table) => table.scrollWidth > table.clientWidth)'
const FOCUS_FIRST = '([button]) => { button?.focus(); return button !== undefined }'
const FOCUS_IS_LOST = 'document.activeElement === document.body || document.activeElement === null'

let service: TestService
let browser: Browser
let paths: { student: string[]; teacher: string[] }
let student: string
let teacher: string

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  const [person, other, admin] = await Promise.all([service.person(), service.person(), service.admin()])
  student = person.username
  teacher = admin.username
  const { sql } = service
  await sql`update users set full_name = ${EVIL}`
  const { examId, questionIds } = await createExam(sql, {
    name: EVIL,
    description: EVIL,
    questions: [
      { question_text: EVIL_LATEX, correct_answer: 'A' },
      { question_text: EVIL, question_type: 'NUMERIC', correct_answer: '1' },
    ],
  })
  await sql`update questions set option_a = ${EVIL}, option_b = ${EVIL_LATEX} where exam_id = ${examId}`
  const classId = await createClass(sql, { students: [person], teachers: [other] })
  await sql`update classes set name = ${EVIL} where id = ${classId}`
  const [questionId = 0] = questionIds
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  await person.post(
    `/api/v01/attempts/${attempt_id}/challenges`,
    { question_id: questionId, message: EVIL },
    201,
  )
  await person.post(`/api/v01/discussions/${questionId}`, { message: EVIL_LATEX }, 201)
  const conversation = await connect(person, other)
  const sent = await other.post(
    `/api/v01/chat/conversations/${conversation}/messages`,
    { message: EVIL_LATEX },
    201,
  )
  await person.post(`/api/v01/chat/messages/${sent.body.message.id}/report`, { reason: EVIL }, 201)
  await admin.post('/api/v01/chat/connections', { recipient_id: person.id }, 201)
  const { notebook } = (
    await person.post('/api/v01/notebooks', { title: EVIL, description: EVIL, is_public: true }, 201)
  ).body
  const { page } = (await person.post(`/api/v01/notebooks/${notebook.id}/pages`, { title: EVIL }, 201)).body
  const objects = [
    { id: 'a', kind: 'text', color: '#1d2321" onload="alert(1)', x: 50, y: 90, size: 36, text: EVIL },
    { id: 'b', kind: 'stroke', color: '#0b57d0', width: 4, points: [10, 10, 200, 200] },
    { id: 'c', kind: 'unknown', html: EVIL },
  ]
  await person.post(`/api/v01/pages/${page.id}/sync`, { objects, deleted_ids: [], start_index: 0 }, 200)
  paths = listDeskViews({
    ...{ examId, questionId, classId },
    ...{ attemptId: attempt_id, conversationId: conversation, notebookId: notebook.id },
  })
  paths.student.push(`/desk/notes/${notebook.id}/print`)
}, 120_000)
afterAll(async () => {
  await browser.close()
  await service.close()
})

test.each(['student', 'teacher'] as const)(
  'every view of a %s is accessible in either theme, and nothing that a person wrote runs',
  async (who) => {
    const { page, context, problems } = await openPage(browser, service.urls[0] as string)
    await signIn(page, who === 'student' ? student : teacher, PASSWORD)
    const findings: string[] = []
    for (const path of paths[who]) {
      await page.goto(path)
      await settled(page)
      if (path.includes('/results/')) {
        await page
          .getByRole('button', { name: /^Discussion/ })
          .first()
          .click()
        await page.getByRole('list').filter({ hasText: 'onerror' }).first().waitFor()
      }
      findings.push(...(await findFlaws(page)).map((flaw) => `${path}: ${flaw}`))
    }
    expect(findings).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  },
  240_000,
)

test.each(['student', 'teacher'] as const)(
  'on a phone no view of a %s is wider than the screen, and no button leaves the focus nowhere',
  async (who) => {
    const { page, context, problems } = await openPage(browser, service.urls[0] as string, {
      viewport: { width: 390, height: 780 },
    })
    await signIn(page, who === 'student' ? student : teacher, PASSWORD)
    const lost: string[] = []
    const tooWide: string[] = []
    for (const path of paths[who]) {
      await page.goto(path)
      await settled(page)
      if (await page.evaluate(IS_TOO_WIDE)) tooWide.push(path)
      const count = await page.locator('main button:visible:not(:disabled)').count()
      for (let index = 0; index < Math.min(count, MOST_BUTTONS); index++) {
        const button = page.locator('main button:visible:not(:disabled)').nth(index)
        // What was pressed before may have taken it away, now or a moment later.
        const [name] = await button.allInnerTexts()
        if (name === undefined) break
        // These leave the page or load it anew, or open a window of the browser's own.
        if (/Sign out|^Print$|Change language|Download|CSV|GIFT|XML|QTI/.test(name)) continue
        // Views to come would miss what goes without a question.
        if (/^Delete/.test(name) && /^\/desk\/(notes|tutor)/.test(path)) continue
        // It may be gone by now, too.
        if (!(await button.evaluateAll(FOCUS_FIRST))) break
        await page.keyboard.press('Enter')
        await page.evaluate(TWO_FRAMES)
        if (await page.evaluate(FOCUS_IS_LOST)) lost.push(`${path}: ${name}`)
        await page.keyboard.press('Escape')
        if (new URL(page.url()).pathname !== path) await page.goto(path)
      }
    }
    expect(lost).toEqual([])
    expect(tooWide).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  },
  300_000,
)

test('an address with a malformed id shows why there is nothing', async () => {
  const { page, context } = await openPage(browser, service.urls[0] as string)
  await signIn(page, student, PASSWORD)
  for (const path of ['/desk/exams/abc', '/desk/notes/abc', '/desk/results/abc']) {
    await page.goto(path)
    await page.getByRole('alert').first().waitFor()
  }
  await context.close()
})

test('a search that was left before it began does not get into the address of the next view', async () => {
  const { page, context, problems } = await openPage(browser, service.urls[0] as string)
  await page.clock.install()
  await signIn(page, student, PASSWORD)
  await page.goto('/desk/exams')
  await page.getByLabel('Search exams').waitFor()
  // Within one turn of the page, so that the search can't begin in between.
  await page.evaluate(() => {
    const { document } = globalThis as unknown as { document: { querySelector(what: string): DomElement } }
    const field = document.querySelector('input[type=search]')
    field.value = 'waves'
    field.dispatchEvent(new Event('input'))
    document.querySelector('a[href="/desk/progress"]').click()
  })
  await page.getByRole('heading', { level: 1, name: 'Progress' }).waitFor()
  await page.clock.fastForward('10:00')
  expect(new URL(page.url()).search).toBe('')
  expect(problems).toEqual([])
  await context.close()
})

test('the pages without scripts are accessible, and nothing in their address runs', async () => {
  const { page, context, problems } = await openPage(browser, service.urls[0] as string)
  for (const path of [
    '/login',
    '/admin/login',
    '/create_account',
    '/forgot_password',
    '/reset_password',
    '/confirm_address',
    '/privacy',
  ]) {
    await page.goto(`${path}?username=${encodeURIComponent(EVIL)}`)
    expect(await findFlaws(page)).toEqual([])
  }
  expect(problems).toEqual([])
  await context.close()
})

/** The parts of an element that are used here, since tests are checked without the types of browsers. */
interface DomElement {
  value: string
  dispatchEvent(event: Event): void
  click(): void
}

async function settled(page: Page): Promise<void> {
  // On a phone the title of the chat is out of sight.
  await page.locator('h1, .empty-title').first().waitFor({ state: 'attached' })
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
}
