import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  await createExam(service.sql, {
    name: 'Through thick and thin',
    duration_minutes: 30,
    questions: [
      { question_text: 'The first: $x^2$', correct_answer: 'B' },
      { question_text: 'The second', question_type: 'MSQ', correct_answer: 'A,C' },
      { question_text: 'The third', question_type: 'NUMERIC', correct_answer: '2.5' },
    ],
  })
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('an exam goes on through an outage and a reload in the middle of it, and no answer is lost', async () => {
  const person = await service.person()
  const { page, context, problems } = await openPage(browser, service.urls[0] as string)
  await signIn(page, person.username, PASSWORD)
  await page.getByRole('link', { name: 'Through thick and thin' }).click()
  await page.getByRole('button', { name: 'Start the exam' }).click()
  await page.getByText('The first').waitFor()
  await page.locator('.katex').first().waitFor()
  await page.keyboard.press('b')
  await page.getByText('All answers saved').waitFor()

  await context.route('**/api/**', (route) => route.abort())
  await page.keyboard.press('n')
  await page.getByText('The second').waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('c')
  await page.keyboard.press('m')
  await page.getByRole('button', { name: 'Question 2, answered, marked' }).waitFor()
  await page.getByText(/Saving \d|kept on this machine/).waitFor()
  await page.reload()
  await page.getByText('The first').waitFor()
  await page.getByRole('button', { name: 'Question 2, answered, marked' }).click()
  expect(await page.getByRole('checkbox', { name: 'A' }).isChecked()).toBe(true)
  expect(await page.getByRole('checkbox', { name: 'C' }).isChecked()).toBe(true)
  await page.keyboard.press('n')
  const number = page.getByLabel('Your number')
  await number.fill('0,25e')
  await page.getByText('This doesn’t read as a number yet').waitFor()
  await number.fill('0,25e1')
  await page.getByText('With a point or a comma').waitFor()
  await context.unroute('**/api/**')
  await page.getByText('All answers saved').waitFor({ timeout: 60_000 })

  await page.getByRole('button', { name: 'Hand in' }).click()
  await page.getByText('3 of 3 questions answered').waitFor()
  await page.getByRole('button', { name: 'Hand in now' }).click()
  await page.getByRole('heading', { name: 'Handed in' }).waitFor()
  await page.getByText('12 of 12').waitFor()
  await page.getByRole('link', { name: 'Look through the answers' }).click()
  await page.getByText('Right', { exact: true }).first().waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 180_000)
