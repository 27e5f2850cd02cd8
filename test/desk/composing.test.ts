import { glob, readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import { createExam } from '../support/content/exams.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

/** Presses Enter as Safari reports the one that ends a composition; answers whether the field let it pass. */
const endComposition = (page: Page) =>
  page.evaluate(`document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, which: 229, bubbles: true, cancelable: true }))`)

test('Enter that ends a composition sends no message and no question, and answers no card', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { page, context, problems } = await openFor(browser, alice)
  await page.goto(`/desk/chat/${conversationId}`)
  await page.getByLabel(/^Message to/).fill('にほん')
  expect(await endComposition(page)).toBe(true)
  await page.keyboard.type('ご')
  await page.keyboard.press('Enter')
  await page.locator('.message.sent', { hasText: 'にほんご' }).waitFor()
  const { messages } = (await bob.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body
  expect(messages.map(({ message }) => message)).toEqual(['にほんご'])

  await page.goto('/desk/tutor')
  const question = page.getByLabel('Your question')
  await question.fill('なぜ')
  expect(await endComposition(page)).toBe(true)
  expect(await question.inputValue()).toBe('なぜ')

  const { examId } = await createExam(service.sql, {
    questions: [{ question_type: 'NUMERIC', correct_answer: '42' }],
  })
  await service.sql`update exams set open_for_practice = true where id = ${examId}`
  await page.goto('/desk/practice/cards')
  await page.getByLabel('Your answer').fill('42')
  expect(await endComposition(page)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Correct', { exact: true }).waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('all fields that take Enter ask the one place that knows compositions', async () => {
  const files = await Array.fromAsync(glob('desk/src/**/*.{ts,tsx}'))
  const comparing: string[] = []
  for (const file of files)
    if (/'Enter'|isComposing\b(?!\()/.test((await readFile(file, 'utf8')).replace(/^import .*$/gm, '')))
      comparing.push(file)
  expect(comparing).toEqual(['desk/src/components/forms/typing-keys.ts'])
})
