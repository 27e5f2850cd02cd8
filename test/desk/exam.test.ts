import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor, openPage, signIn, WITH_WORKER } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
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
  await page.getByText(/Saving \d|kept on this device/).waitFor()
  await page.reload()
  // Where one was: the second question, and the first one counts as seen.
  await page.getByRole('heading', { name: 'Question 2' }).waitFor()
  await page.getByRole('button', { name: 'Question 1, answered' }).waitFor()
  expect(await page.getByRole('checkbox', { name: 'A' }).isChecked()).toBe(true)
  expect(await page.getByRole('checkbox', { name: 'C' }).isChecked()).toBe(true)
  await page.keyboard.press('n')
  const number = page.getByLabel('Your answer')
  await number.fill('0,25e')
  await page.getByText('This doesn’t read as a number yet').waitFor()
  await number.fill('0,25e1')
  await page.getByText('With a point or a comma').waitFor()
  await context.unroute('**/api/**')
  await page.getByText('All answers saved').waitFor({ timeout: 60_000 })

  await page.getByRole('button', { name: 'Hand in' }).click()
  await page.getByText('3 of 3 questions answered').waitFor()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Hand in now' }).click()
  await page.getByText('No connection: handed in as soon as it is back').waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'Handed in' }).waitFor()
  await page.getByText('12 of 12').waitFor()
  await page.getByText('Passed').waitFor()
  await page.getByRole('link', { name: 'Review the answers' }).click()
  await page.getByText('Correct', { exact: true }).first().waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 180_000)

/** Opens an attempt that ends in half an hour, or when a test says so. */
async function openTimed() {
  const person = await service.person()
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Against the clock',
    duration_minutes: 30,
    pass_percentage: 50,
    questions: [
      { question_text: 'One and only', correct_answer: 'B' },
      { question_text: 'Too late', question_type: 'NUMERIC', correct_answer: '2' },
    ],
  })
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body
  const endIn = (time: number) =>
    service.sql`update attempts set ends_at = now() + ${time} * interval '1 second' where id = ${attempt_id}`
  const opened = await openFor(browser, person, WITH_WORKER)
  await opened.page.clock.install()
  await opened.page.goto(`/desk/exams/${examId}`)
  await opened.page.getByText('One and only').waitFor()
  return { ...opened, person, examId, questionIds, attemptId: attempt_id as number, endIn }
}

test('at the end of the time inputs close, an extension opens them, and the result opens by itself', async () => {
  const { page, context, problems, examId, endIn } = await openTimed()
  const admin = await service.admin()
  await page.getByRole('radio', { name: 'B' }).check()
  await page.getByText('All answers saved').waitFor()
  await endIn(5)
  await page.reload()
  await page.getByText('Time is up: being handed in').waitFor()
  expect(await page.getByRole('radio', { name: 'B' }).isEnabled()).toBe(false)
  expect(await page.getByRole('button', { name: 'Hand in' }).isEnabled()).toBe(false)
  await page.keyboard.press('d')
  expect(await page.getByRole('radio', { name: 'B' }).isChecked()).toBe(true)
  await expectFlawless(page)

  await admin.post(`/api/v01/admin/exams/${examId}/extend`, { minutes: 1, key: randomUUID() }, 200)
  await expect.poll(() => page.getByRole('radio', { name: 'B' }).isEnabled()).toBe(true)
  expect(await page.getByText('Time is up').count()).toBe(0)
  await page.getByText('All answers saved').waitFor()

  await endIn(-31)
  await page.clock.fastForward('02:00')
  await page.getByRole('heading', { name: 'Time was up' }).waitFor()
  await page.getByText('handed in with all your answers').waitFor()
  await page.getByText('4 of 8').waitFor()
  await page.getByText('Passed with exactly the 50 %').waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('offline the end of the time says what will happen, and what came too late can be copied', async () => {
  const { page, context, problems, endIn } = await openTimed()
  await page.getByRole('radio', { name: 'A' }).check()
  await page.getByText('All answers saved').waitFor()
  await context.setOffline(true)
  await page.keyboard.press('n')
  await page.getByLabel('Your answer').fill('2')
  await page.clock.fastForward('31:00')
  await page.getByText('Time is up, and there is no connection').waitFor()
  await page.getByText('1 answer of yours is only on this device').waitFor()
  await expectFlawless(page)
  await endIn(-31)
  await expect
    .poll(
      async () =>
        (await service.sql`select 1 from attempts where ends_at < now() and submitted_at is null`).length,
    )
    .toBe(0)
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'Time was up' }).waitFor()
  await page.getByText('came too late and are not counted').waitFor()
  await page.getByText('Question 2: 2').waitFor()
  await page.getByText('Not passed').waitFor()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy these answers' }).click()
  await page.getByText('Copied').waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('what was handed in on another device has not ended by the clock', async () => {
  const { page, context, problems, person, examId } = await openTimed()
  await page.getByRole('radio', { name: 'B' }).check()
  await page.getByText('All answers saved').waitFor()
  await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  await page.getByRole('radio', { name: 'C' }).check()
  await page.getByRole('heading', { name: 'Handed in' }).waitFor()
  await page.getByText('came too late and are not counted').waitFor()
  await page.getByText('4 of 8').waitFor()
  expect(await page.getByText('Time was up').count()).toBe(0)
  await page.goto('/desk')
  await page.getByText('Against the clock').first().waitFor()
  await page.getByText('1 answer of yours reached the service too late').waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('a device that slept says how much is left, and the question of handing in stays closed after an extension', async () => {
  const { page, context, problems } = await openTimed()
  await page.getByRole('timer').waitFor()
  const asking = /\/(paper|end)\b/
  await page.route(asking, (route) => route.abort())
  await page.getByRole('button', { name: 'Hand in' }).click()
  const question = page.getByRole('dialog', { name: 'Hand in?' })
  await question.waitFor()
  await page.clock.fastForward('29:20')
  await page.getByText('1 minute left').waitFor()
  expect(await page.getByText('5 minutes left').count()).toBe(0)
  await page.clock.fastForward('01:00')
  await page.getByText('Time is up').waitFor()
  await question.waitFor({ state: 'detached' })
  // By the service's clock there is much time left.
  await page.unroute(asking)
  await page.clock.fastForward('01:30')
  await expect.poll(() => page.getByRole('radio', { name: 'B' }).isEnabled()).toBe(true)
  await page.getByRole('radio', { name: 'B' }).check()
  await page.getByText('All answers saved').waitFor()
  expect(await question.count()).toBe(0)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('a page that alone has answers is not left without a question', async () => {
  const person = await service.person()
  const { examId } = await createExam(service.sql, { name: 'Nowhere to keep it' })
  const { page, context } = await openFor(browser, person)
  await context.addInitScript('Object.defineProperty(globalThis, "indexedDB", { value: undefined })')
  await page.goto(`/desk/exams/${examId}`)
  await page.getByRole('button', { name: 'Start the exam' }).click()
  await page.getByRole('radio', { name: 'A' }).check()
  await page.getByText('All answers saved').waitFor()
  const asked: string[] = []
  page.on('dialog', (dialog) => asked.push(dialog.type()))
  await page.reload()
  await page.getByRole('radio', { name: 'A' }).waitFor()
  expect(asked).toEqual([])

  await context.route('**/answers', (route) => route.abort())
  await page.getByRole('radio', { name: 'B' }).check()
  await page.getByText(/Saving 1|this device can’t keep/).waitFor()
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => asked).toEqual(['beforeunload'])
  await context.close()
}, 120_000)
