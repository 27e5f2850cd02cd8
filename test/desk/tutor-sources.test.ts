import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { giveText } from '../support/content/materials.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 844 } }
const IS_TOO_WIDE = 'document.documentElement.scrollWidth > innerWidth'
const QUOTE = 'The derivative of a sum is the sum of the derivatives.'
const NEXT = 'This holds for all sums.'

let model: TestModel
let service: TestService
let browser: Browser
let teacher: Client
let student: Client
let classId: number
beforeAll(async () => {
  model = await startModel({ silenceMs: 60_000 })
  ;[service, browser] = await Promise.all([startService({ config: { ai: model.ai } }), openBrowser()])
  teacher = await service.person()
})
afterAll(async () => {
  await browser.close()
  await service.close()
  await model.stub.close()
})
beforeEach(async () => {
  model.stub.script.length = 0
  student = await service.person()
  classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
})

const answering = (text: string) => model.stub.script.push({ kind: 'answer', text })

async function ask(page: Page, question = 'The derivative of a sum?') {
  await page.getByLabel('Your question').fill(question)
  await page.keyboard.press('Enter')
}

const isFocused = (page: Page, label: string) =>
  page.evaluate(`document.activeElement?.getAttribute('aria-label') ?? ''`).then((shown) => shown === label)

test('a mark opens its page by mouse and by keyboard, offline too, and the focus comes back', async () => {
  await giveText(teacher, classId, 'Analysis', `# Sums\n\n${QUOTE} ${NEXT}`)
  const { page, context, problems } = await openFor(browser, student, PHONE)
  await page.goto('/desk/tutor')
  await expect.poll(() => page.getByLabel('About the class').inputValue()).toBe(String(classId))
  await expectFlawless(page)
  answering('It is the **sum of the derivatives**.【1】 Not so [3], nor 【9】.')
  await ask(page)
  await page.getByText('With the materials of 10 b').waitFor()
  const mark = page.getByRole('button', { name: 'Source 1: Analysis, page 1' })
  const source = page.getByRole('region', { name: 'Source 1' })
  await mark.click()
  await source.locator('mark', { hasText: QUOTE }).waitFor()
  await source.getByText(NEXT).waitFor()
  await source.getByText('Analysis, part 1').waitFor()
  await expect.poll(() => isFocused(page, 'Source 1')).toBe(true)
  expect(await mark.getAttribute('aria-expanded')).toBe('true')
  expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
  await expectFlawless(page)
  await page.keyboard.press('Escape')
  await source.waitFor({ state: 'detached' })
  expect(await isFocused(page, 'Source 1: Analysis, page 1')).toBe(true)

  // As it is stored, and without the service.
  await page.reload()
  await page.getByText('With the materials of 10 b').waitFor()
  await mark.waitFor()
  await context.setOffline(true)
  await mark.focus()
  await page.keyboard.press('Enter')
  await source.locator('mark', { hasText: QUOTE }).waitFor()
  await source.getByText('The page can’t be opened now; this is what it says.').waitFor()
  expect(await source.getByText(NEXT).count()).toBe(0)
  await expectFlawless(page)
  await context.setOffline(false)
  await source.getByText(NEXT).waitFor()
  await source.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => isFocused(page, 'Source 1: Analysis, page 1')).toBe(true)

  const address = page.url()
  await page.goto(`${address}?lang=ar`)
  await page.getByRole('button', { name: /Analysis/ }).click()
  await page.getByText(NEXT).waitFor()
  expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
  expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
  await expectFlawless(page)
  expect(problems).toEqual([])
})

test('a page of a PDF stands beside the answer of a review; a deleted material leaves what it said', async () => {
  const file = { field: 'file', name: 'Analysis.pdf', bytes: textPdf(['Nothing.', `${QUOTE}\n${NEXT}`]) }
  const at = `/api/v01/classes/${classId}/materials` as const
  const { id } = (await teacher.request('POST', at, form({}, file), 201)).body.material
  await expect.poll(async () => (await student.get(`${at}/${id}`, 200)).body.material.status).toBe('ready')
  const { examId } = await createExam(service.sql, {
    questions: [{ question_text: 'What is the derivative of a sum?' }],
  })
  await service.sql`update exams set for_classes = true where id = ${examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  const { page, problems } = await openFor(browser, student, { viewport: { width: 1280, height: 800 } })
  // This browser has no viewer of its own.
  await page.addInitScript(`Object.defineProperty(navigator, 'pdfViewerEnabled', { get: () => true })`)
  await page.route('**/files/**', (route) => route.fulfill({ contentType: 'text/plain', body: 'A page' }))
  await page.goto(`/desk/results/${attempt_id}`)
  await page.getByRole('button', { name: 'Ask the tutor' }).click()
  expect(await page.getByLabel('About the class').count()).toBe(0)
  answering('It is the sum of the derivatives.【1】')
  await ask(page, 'Why?')
  await page.getByText('With the materials of 10 b').waitFor()
  await page.getByRole('button', { name: 'Source 1: Analysis.pdf, page 2' }).click()
  const source = page.getByRole('region', { name: 'Source 1' })
  const link = source.getByRole('link', { name: 'Open page 2' })
  expect(await link.getAttribute('href')).toMatch(/^\/files\/.*#page=2$/)
  expect(await source.locator('iframe').getAttribute('src')).toMatch(/^\/files\/.*#page=2$/)
  await source.locator('mark', { hasText: QUOTE }).waitFor()
  const [answer, beside] = await Promise.all([
    page.getByText('It is the sum of').boundingBox(),
    source.boundingBox(),
  ])
  expect(beside?.x).toBeGreaterThan((answer?.x ?? 0) + 100)
  expect(Math.abs((beside?.y ?? 0) - (answer?.y ?? 0))).toBeLessThan(200)
  await expectFlawless(page)

  await teacher.delete(`${at}/${id}`, 200)
  await page.getByRole('link', { name: 'Open this conversation' }).click()
  await page.getByRole('button', { name: 'Source 1: Analysis.pdf, page 2' }).click()
  await source.getByText('The material was deleted; this is what it said.').waitFor()
  await source.locator('mark', { hasText: QUOTE }).waitFor()
  expect(problems).toEqual([])
})

test('a teacher has the tutor give hints first, and its answers say so', async () => {
  const { page, problems } = await openFor(browser, teacher)
  await page.goto(`/desk/classes/${classId}`)
  const settings = page.getByRole('region', { name: 'Tutor' })
  await settings.getByLabel('The tutor of this class').selectOption('guide')
  await settings.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  expect((await student.get(`/api/v01/classes/${classId}`, 200)).body.class.tutor_mode).toBe('guide')
  await expectFlawless(page)

  const other = await openFor(browser, student)
  await other.page.goto('/desk/tutor')
  await expect.poll(() => other.page.getByLabel('About the class').inputValue()).toBe(String(classId))
  answering('What have you tried?')
  await ask(other.page)
  await other.page.getByText('Hints first').waitFor()
  await expectFlawless(other.page)
  await other.page.getByRole('button', { name: 'New conversation' }).click()
  await other.page.getByLabel('About the class').selectOption('')
  answering('It is so.')
  await ask(other.page)
  await other.page.getByText('It is so.').waitFor()
  expect(await other.page.getByText('With the materials of').count()).toBe(0)
  expect([...problems, ...other.problems]).toEqual([])
})
