import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 844 } }
const IS_TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

let service: TestService
let browser: Browser
let admin: Client
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  admin = await service.admin()
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

const numbersIn = (text: string | null) =>
  [...(text ?? '').matchAll(/\d+/g)].map(([digits]) => Number(digits))

/** The part of an element that is used here; tests are checked without the types of browsers. */
interface Element {
  ownerDocument: { activeElement: Element }
}
const hasFocus = (control: Locator) =>
  control.evaluate((element: Element) => element.ownerDocument.activeElement === element)

async function tabTo(page: Page, control: Locator) {
  for (let presses = 0; presses < 80; presses += 1) {
    if (await hasFocus(control)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the control is not reached with Tab')
}

test('numbers of a question are written by the keyboard, beside live draws and a table of those that fail', async () => {
  const { examId } = await createExam(service.sql, { name: 'Quotients', questions: [] })
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/questions/${examId}/new`)
  await page.getByLabel('Type').selectOption('NUMERIC')
  await page.getByLabel('Question', { exact: true }).fill('What is {@a@} divided by {@b@}?')
  await page.getByLabel('Correct answer', { exact: true }).fill('{@a/b; 2@}')
  await page.getByLabel('Tolerance').fill('0.01')
  const summary = page.getByText('Variables', { exact: true })
  await tabTo(page, summary)
  await page.keyboard.press('Enter')
  const add = page.getByRole('button', { name: 'Add a variable' })
  await tabTo(page, add)
  await page.keyboard.press('Enter')
  await add.press('Enter')
  for (const [index, from, to] of [
    [0, '10', '90'],
    [1, '0', '4'],
  ] as const) {
    await page.getByLabel('From', { exact: true }).nth(index).fill(from)
    await page.getByLabel('To', { exact: true }).nth(index).fill(to)
    await page.getByLabel('Step', { exact: true }).nth(index).fill('1')
    await page.getByLabel('Step', { exact: true }).nth(index).press('Tab')
  }
  const draws = page.getByRole('region', { name: 'Draws', exact: true })
  // What is wrong is said without asking, with the values, and shown in the table.
  await draws.getByText('has no finite value with').waitFor()
  const many = draws.getByRole('button', { name: 'Twenty draws, with what fails' })
  await tabTo(page, many)
  await page.keyboard.press('Enter')
  await expect.poll(() => draws.locator('tbody tr').count()).toBe(20)
  for (const row of await draws.locator('tbody tr').all()) {
    const [a, b, key] = (await row.locator('td').allTextContents()) as [string, string, string]
    if (b === '0') expect(key).toContain('has no finite value')
    else expect(key).toMatch(/^\d/)
    expect(Number(a)).toBeGreaterThan(9)
  }
  await expectFlawless(page)

  await page.getByLabel('Conditions').fill('b != 0')
  await page.getByLabel('Conditions').press('Tab')
  const text = draws.locator('.question-text')
  await text.waitFor()
  const [a = 0, b = 0] = numbersIn(await text.textContent())
  await draws.getByText(`Correct answer: ${(a / b).toFixed(2)}`).waitFor()
  // Another one, and what is typed is in the draw a moment later.
  await draws.getByRole('button', { name: 'Another one' }).press('Enter')
  await expect.poll(async () => numbersIn(await text.textContent())).not.toEqual([a, b])
  await page.getByLabel('Question', { exact: true }).fill('How much is {@a@} by {@b@}?')
  await text.filter({ hasText: 'How much is' }).waitFor()
  await many.press('Enter')
  await draws.getByText(/^\d+ of them fail/).waitFor()
  const left = await draws.locator('.chip', { hasText: 'Left out by a condition' }).count()
  expect(left).toBeGreaterThan(0)
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Duplicate' }).waitFor()
  const { questions } = (await admin.get(`/api/v01/admin/questions?exam_id=${examId}` as const, 200)).body
  expect(questions).toMatchObject([{ conditions: ['b != 0'], variables: [{ name: 'a' }, { name: 'b' }] }])
  expect(problems).toEqual([])
  await context.close()
}, 180_000)

test('variables and draws fit on a phone, in Arabic too', async () => {
  const { examId } = await createExam(service.sql, { name: 'Numbers', questions: [] })
  const question = {
    question_type: 'NUMERIC',
    question_text: 'What is {@a@} + {@b@}?',
    correct_answer: '{@a + b@}',
    variables: Array.from({ length: 8 }, (_, index) => ({
      name: 'abcdfghj'.charAt(index),
      from: 1,
      to: 99_999,
      step: 1,
    })),
    conditions: ['a > b', 'a > c'],
  }
  await admin.post('/api/v01/admin/questions/bulk-add', { exam_id: examId, questions: [question] }, 201)
  const { questions } = (await admin.get(`/api/v01/admin/questions?exam_id=${examId}` as const, 200)).body
  for (const language of ['en', 'ar']) {
    const { page, context, problems } = await openFor(browser, admin, PHONE)
    await page.goto(`/desk/teach/questions/${examId}/${questions[0]?.id}?lang=${language}`)
    const draws = page.locator('details section.sheet')
    await draws.locator('.question-text').waitFor()
    await draws.locator('button').last().click()
    await expect.poll(() => draws.locator('tbody tr').count()).toBe(20)
    expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
    await expectFlawless(page)
    expect(problems).toEqual([])
    await context.close()
  }
}, 120_000)

/** An exam with one formula whose numbers are each attempt's own. */
async function createFormula(): Promise<number> {
  const { body } = await admin.post('/api/v01/admin/exams', { name: 'Squares', is_published: true }, 201)
  const question = {
    question_type: 'FORMULA',
    question_text: 'Expand $({@a@} + x)^2$.',
    correct_answer: '({@a@} + x)^2',
    parts: { symbols: [{ name: 'x' }] },
    variables: [{ name: 'a', from: 100, to: 999, step: 1 }],
  }
  await admin.post('/api/v01/admin/questions/bulk-add', { exam_id: body.exam.id, questions: [question] }, 201)
  return body.exam.id
}

test.each(['en', 'ar'])(
  'a formula is saved once it can be read, and as it is when its field is left (%s)',
  async (language) => {
    const examId = await createFormula()
    const person = await service.person()
    const { page, context, problems } = await openFor(browser, person, {
      ...PHONE,
      hasTouch: true,
      isMobile: true,
    })
    await page.goto(`/desk/exams/${examId}?lang=${language}`)
    await page.locator('main button').last().click()
    const input = page.locator('input[autocorrect]')
    await input.waitFor()
    const stored = async () =>
      Object.values((await person.get(`/api/v01/exams/${examId}/paper` as const, 200)).body.answers)[0]
    await input.fill('x')
    await page.getByRole('button', { name: 'x²' }).tap()
    expect(await input.inputValue()).toBe('x^2')
    await page.locator('.formula-read .katex').waitFor()
    await expect.poll(stored).toBe('x^2')
    await page.keyboard.type(' + (')
    await page.locator('small.warn').waitFor()
    await expectFlawless(page)
    // Half a formula takes the place of a whole one once it is left, and the service's reason is shown.
    await input.blur()
    await expect.poll(stored).toBe('x^2 + (')
    await page.locator('.notice.warn', { hasText: 'lacks' }).waitFor()
    expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
    await expectFlawless(page)
    const [a = 0] = numbersIn(await page.locator('.question-text annotation').first().textContent())
    await input.fill(`x^2 + ${2 * a}x + ${a * a}`)
    await page.locator('.notice.warn').waitFor({ state: 'detached' })
    await expect.poll(stored).toBe(`x^2 + ${2 * a}x + ${a * a}`)
    const { body } = await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    expect(body).toMatchObject({ result: { correct: 1 } })

    // Whoever discusses it sees the question with numbers that are the same for all.
    await page.goto(`/desk/results/${body.attempt_id}?lang=en`)
    await page.getByRole('button', { name: 'Discussion' }).click()
    const shared = page.getByRole('region', { name: 'Discussion' }).locator('.notice')
    await shared.getByText('Everybody had numbers of their own').waitFor()
    await shared.locator('.katex').waitFor()
    await expectFlawless(page)
    expect(problems).toEqual([])
    await context.close()
  },
  120_000,
)
