import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COLUMNS } from '../../src/features/questions/question-csv.ts'
import { openBrowser, openFor, openPage, WITH_WORKER } from '../support/browser.ts'
import { type Client, PASSWORD } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { listDeskViews } from '../support/content/desk-views.ts'
import { createExam } from '../support/content/exams.ts'
import { findFlaws } from '../support/promises/flaws.ts'
import { findHardCoded, findLatin, readTexts } from '../support/promises/untranslated.ts'
import { connect, startService, type TestService } from '../support/service.ts'
import { listCaches, waitForWorker } from '../support/sitting.ts'

const DESKTOP = { width: 1200, height: 780 }
const PHONE = { width: 390, height: 780 }
const IS_TOO_WIDE = 'document.documentElement.scrollWidth > innerWidth'
/** People write in digits here, so that each word is the desk's own. */
const WRITTEN = '12 + 34'

let service: TestService
let browser: Browser
let student: Client
let teacher: Client
let views: Record<'student' | 'teacher', string[]>

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  const [person, other, admin] = await Promise.all([service.person(), service.person(), service.admin()])
  ;[student, teacher] = [person, admin]
  const { sql } = service
  await sql`update users set full_name = '78'`
  const { examId, questionIds } = await createExam(sql, {
    name: '1',
    description: WRITTEN,
    duration_minutes: 90,
    questions: [
      { question_text: WRITTEN },
      { question_text: WRITTEN, question_type: 'NUMERIC', correct_answer: '1' },
    ],
  })
  await sql`update questions set option_a = '1', option_b = '2', explanation = ${WRITTEN} where exam_id = ${examId}`
  const { examId: openId } = await createExam(sql, { name: '2', questions: [{ question_text: WRITTEN }] })
  const classId = await createClass(sql, { students: [person], teachers: [other] })
  await sql`update classes set name = '10'`
  const [questionId = 0] = questionIds
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  await person.post(
    `/api/v01/attempts/${attempt_id}/challenges`,
    { question_id: questionId, message: WRITTEN },
    201,
  )
  await person.post(`/api/v01/discussions/${questionId}`, { message: WRITTEN }, 201)
  const conversation = await connect(person, other)
  const sent = await other.post(
    `/api/v01/chat/conversations/${conversation}/messages`,
    { message: WRITTEN },
    201,
  )
  await person.post(`/api/v01/chat/messages/${sent.body.message.id}/report`, { reason: WRITTEN }, 201)
  await admin.post('/api/v01/chat/connections', { recipient_id: person.id }, 201)
  const made = await person.post(
    '/api/v01/notebooks',
    { title: '3', description: WRITTEN, is_public: true },
    201,
  )
  const notebookId = made.body.notebook.id
  await person.post(`/api/v01/notebooks/${notebookId}/pages`, { title: '4' }, 201)
  views = listDeskViews({
    ...{ examId, questionId, classId, notebookId },
    ...{ attemptId: attempt_id, conversationId: conversation },
  })
  views.teacher.push(
    `/desk/teach/questions/${openId}/new`,
    `/desk/classes/${classId}/exams/${examId}/analytics`,
  )
}, 120_000)
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('the desk is in the language that the browser asks for, then in the one that the person chooses', async () => {
  const person = await service.person()
  const { page, problems } = await openPage(browser, service.urls[0] as string, {
    ...WITH_WORKER,
    locale: 'de-AT',
  })
  const language = () => page.evaluate('document.documentElement.lang')
  await page.goto('/login')
  await page.locator('[name=username]').fill(person.username)
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('[type=submit], form button').first().click()
  await page.waitForURL('/')
  expect(await language()).toBe('de')
  await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
  await waitForWorker(page)
  expect(await listCaches(page)).toEqual([expect.stringMatching(/^desk-shell-\w+-de$/)])
  await page.goto('/desk/account')
  await page.locator('select[name=language]').selectOption('ar')
  await Promise.all([
    page.waitForEvent('load'),
    page.locator('form:has([name=language]) [type=submit]').click(),
  ])
  await page.locator('select[name=language]').waitFor()
  expect(await language()).toBe('ar')
  expect(await page.locator('select[name=language]').inputValue()).toBe('ar')
  await page.getByRole('heading', { level: 1, name: 'الحساب' }).waitFor()
  // What opens without the service is in that language too.
  await expect.poll(() => listCaches(page)).toEqual([expect.stringMatching(/^desk-shell-\w+-ar$/)])
  expect(problems).toEqual([])
})

test.each(['student', 'teacher'] as const)(
  'in Arabic each view of a %s is mirrored, has no word of English, fits a phone, and is accessible',
  async (who) => {
    const { page, context, problems } = await openFor(browser, who === 'student' ? student : teacher, {
      viewport: PHONE,
    })
    const findings: string[] = []
    for (const path of views[who]) {
      await page.setViewportSize(PHONE)
      await open(page, path, 'ar')
      expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
      const left = await findLatin(await readTexts(page), await readNames())
      findings.push(...left.map((text) => `${path}: ${text}`))
      if (await page.evaluate(IS_TOO_WIDE)) findings.push(`${path}: too wide`)
      await page.setViewportSize(DESKTOP)
      findings.push(...(await findFlaws(page)).map((flaw) => `${path}: ${flaw}`))
    }
    expect(findings).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  },
  300_000,
)

test.each(['student', 'teacher'] as const)(
  'no view of a %s has a text that is in no catalogue, or no room for longer ones',
  async (who) => {
    const { page, context, problems } = await openFor(browser, who === 'student' ? student : teacher, {
      viewport: PHONE,
    })
    const findings: string[] = []
    for (const path of views[who]) {
      await open(page, path, 'en-XA')
      const left = findHardCoded(await readTexts(page), await readNames())
      findings.push(...left.map((text) => `${path}: ${text}`))
      if (await page.evaluate(IS_TOO_WIDE)) findings.push(`${path}: too wide`)
    }
    expect(findings).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  },
  240_000,
)

test('what the service refuses is said in the language of the page', async () => {
  const { page, context } = await openFor(browser, await service.person())
  await open(page, '/desk/classes', 'de')
  await page.locator('input[name=code]').fill('wrong code')
  await page.getByRole('button', { name: 'Klasse finden' }).click()
  await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/^Diesen Code hat keine Klasse: /)
  await context.close()
})

/** What is no word of the desk: names of people, and of columns as the service knows them. */
async function readNames(): Promise<string[]> {
  const people = await service.sql<{ username: string }[]>`select username from users`
  return [...people.map(({ username }) => username), COLUMNS.join(', ')]
}

async function open(page: Page, path: string, language: string): Promise<void> {
  await page.goto(`${path}?lang=${language}`)
  await page.locator('h1, .empty-title').first().waitFor({ state: 'attached' })
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
}
