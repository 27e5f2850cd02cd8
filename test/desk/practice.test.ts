import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor, WITH_WORKER } from '../support/browser.ts'
import { openExam, PRACTICE, takeExam } from '../support/practice.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

/** Exams of other tests aren't there. */
async function onlyExam(count: number) {
  await service.sql`update exams set published = false`
  const exam = await openExam(service.sql, count)
  await service.sql`update questions set explanation = 'Because one comes first.' where exam_id = ${exam.examId}`
  return exam
}

const status = (page: Page) => page.getByRole('article').getByRole('status')

test('cards are answered by the keyboard alone, judged at once, and an answer is taken back', async () => {
  await onlyExam(3)
  const person = await service.person()
  const { page, context, problems } = await openFor(browser, person, PHONE)
  await page.getByRole('region', { name: 'Practice' }).getByRole('link', { name: 'Practise' }).click()
  await page.getByRole('button', { name: 'I don’t know' }).waitFor()
  await expectFlawless(page)
  // Nobody can be sure of nothing.
  expect(await page.getByRole('button', { name: 'Sure 1', exact: true }).isDisabled()).toBe(true)
  await page.keyboard.press('1')
  await page.keyboard.press('b')
  await page.getByRole('button', { name: 'Not sure' }).waitFor()
  await page.keyboard.press('1')
  await status(page).getByText('Incorrect').waitFor()
  await page.getByText('Because one comes first.').waitFor()
  await page.getByText('1 answered · 2 cards left').waitFor()
  await expectFlawless(page)
  await page.keyboard.press('z')
  await page.getByText('0 answered · 3 cards left').waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('2')
  await status(page).getByText('Correct', { exact: true }).waitFor()
  for (const left of [2, 1]) {
    await page.keyboard.press('Enter')
    await page.getByText(`${3 - left} answered · ${left} card`).waitFor()
    await page.keyboard.press('a')
    await page.keyboard.press('1')
    await status(page).getByText('Correct', { exact: true }).waitFor()
  }
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Done for now' }).waitFor()
  await page.getByText(/^What you would score at/).waitFor()
  await expectFlawless(page)
  const { today } = (await person.get(PRACTICE, 200)).body
  expect(today).toMatchObject({ reviews: 3, right: 3 })
  const sure = (await person.get(`${PRACTICE}/history`, 200)).body
  expect(sure).toMatchObject({ sure: { n: 2, right: 2 }, unsure: { n: 1, right: 1 } })

  await page.getByRole('link', { name: 'To the overview' }).click()
  await page.getByText('3 reviews on 1 day').waitFor()
  await page.getByText('the chance is').waitFor()
  // Right after the answers were shown, everybody knows them.
  expect(await page.getByLabel('When', { exact: true }).inputValue()).toBe('7')
  await page.getByLabel('When', { exact: true }).selectOption('Tomorrow')
  await page.getByText('the chance is').waitFor()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})

test('what is answered without a connection is kept, and judged once it is back', async () => {
  await onlyExam(2)
  const { page, context, problems } = await openFor(browser, await service.person(), WITH_WORKER)
  await page.goto('/desk/practice/cards')
  await page.getByRole('button', { name: 'I don’t know' }).waitFor()
  await context.setOffline(true)
  for (let card = 1; card <= 2; card += 1) {
    await page.keyboard.press('a')
    await page.keyboard.press('1')
    await status(page).getByText('Kept on this device').waitFor()
    // What was asked and answered stays in sight.
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(1)
    await page.keyboard.press('Enter')
  }
  await page.getByText('2 answers kept on this device').waitFor()
  await context.setOffline(false)
  await page.getByText('2 answers kept').waitFor({ state: 'detached' })
  await page.getByText(/^What you would score at/).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('right after an exam it says when the next question comes back, and then asks it', async () => {
  const { examId, questionIds } = await onlyExam(2)
  const person = await service.person()
  const attemptId = await takeExam(person, examId, { [questionIds[0] as number]: 'A' })
  await person.get(PRACTICE, 200)
  const { page, context, problems } = await openFor(browser, person)
  await page.clock.install()
  // The overview says the time, and looks again by itself.
  await page.goto('/desk/practice')
  await page.getByText(/^The next question comes back at \d/).waitFor()
  await service.sql`update practice_cards set due = now() where user_id = ${person.id}`
  await page.clock.fastForward('30:00')
  await page.getByRole('link', { name: 'Practise', exact: true }).waitFor()
  await service.sql`update practice_cards set due = now() + interval '1 minute' where user_id = ${person.id}`
  await page.goto(`/desk/practice/cards?attempt=${attemptId}`)
  await page.getByRole('heading', { name: 'Nothing is due here now' }).waitFor()
  await page.getByText(/^The next question comes back/).waitFor()
  await expectFlawless(page)
  await service.sql`update practice_cards set due = now() where user_id = ${person.id}`
  await page.clock.fastForward('30:00')
  await page.getByText('0 answered · 1 card left').waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a forecast says what it is made of, and no chance to pass where there is nothing to go by', async () => {
  const { examId, questionIds } = await onlyExam(3)
  const [bob, alice] = [await service.person(), await service.person()]
  const unknown = await openFor(browser, bob)
  await unknown.page.goto('/desk/practice')
  await unknown.page.getByText('You have not answered any of its questions yet').waitFor()
  await unknown.page.getByText('Answer more of its questions to see your chance.').waitFor()
  await unknown.page.getByText(/^Ten minutes today, about 3 questions, would add \d/).waitFor()
  await unknown.context.close()

  await takeExam(alice, examId, { [questionIds[0] as number]: 'A', [questionIds[1] as number]: 'B' })
  const { page, context, problems } = await openFor(browser, alice)
  await page.goto('/desk/practice')
  await page.getByText(/^2 of 3 count as wrong, all answered\. If taken/).waitFor()
  await page.getByText('the chance is').waitFor()
  await page.getByText('It is no mark, and nobody else sees it.').waitFor()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})

test('a result leads to what was wrong in it, and a tag to its questions', async () => {
  const { examId, questionIds } = await onlyExam(3)
  const [right, wrong] = questionIds as [number, number]
  const [tags, keys] = [service.sql.json(['Kinetics']), service.sql.json(['kinetics'])]
  await service.sql`update questions set tags = ${tags}, tag_keys = ${keys} where id = ${wrong}`
  const person = await service.person()
  const attemptId = await takeExam(person, examId, { [right]: 'A' })
  await service.sql`update attempts set submitted_at = submitted_at - interval '1 day' where id = ${attemptId}`
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(`/desk/results/${attemptId}`)
  await page.getByRole('link', { name: 'Practise what wasn’t correct' }).click()
  await page.getByText('0 answered · 2 cards left').waitFor()
  await page.goto('/desk/practice')
  await page.getByRole('link', { name: 'Kinetics' }).click()
  await page.getByText('0 answered · 1 card left').waitFor()
  await page.getByRole('button', { name: 'I don’t know' }).click()
  await status(page).getByText('Incorrect').waitFor()
  await page.getByRole('button', { name: 'Ask the tutor' }).click()
  await page.getByRole('region', { name: 'Tutor' }).getByLabel('Your question').waitFor()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})
