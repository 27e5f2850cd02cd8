import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

/** Hands in an attempt with one answer to each question. */
async function answer(person: Client, examId: number, questionIds: number[], letter: string): Promise<void> {
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const answers = Object.fromEntries(questionIds.map((id) => [id, letter]))
  await person.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
}

test('a regrade is previewed, applied and undone', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Wrongly keyed',
    // More than one page of questions.
    questions: Array.from({ length: 60 }, (_, index) => ({ question_text: `Number ${index + 1}?` })),
  })
  const [first, last] = [questionIds[0] as number, questionIds.at(-1) as number]
  const [right, wrong] = [await service.person(), await service.person()]
  await answer(right, examId, [first, last], 'A')
  await answer(wrong, examId, [first, last], 'B')
  const { page, context, problems } = await openFor(browser, await service.admin())
  await page.goto(`/desk/teach/exams/${examId}/corrections`)
  await page.getByLabel('Question', { exact: true }).selectOption({ label: '60. Number 60?' })
  await page.getByLabel('What to do').selectOption({ label: 'Grade with another key' })
  await page.getByLabel('New key').fill('B')
  await page.getByRole('button', { name: 'Show what would change' }).click()
  await page.getByText('Of 2 attempts 1 higher, 1 lower').waitFor()
  expect(await page.getByRole('row').filter({ hasText: wrong.username }).innerText()).toMatch(
    /-2 of 240\s+3 of 240/,
  )
  await expectFlawless(page)
  const scores = () => service.sql`select score::float8 from attempts where exam_id = ${examId} order by id`
  expect((await scores()).map(({ score }) => score)).toEqual([8, -2])

  await page.getByRole('button', { name: 'Do it' }).click()
  await page.getByText('Corrected. Students whose result changed are told.').waitFor()
  expect((await scores()).map(({ score }) => score)).toEqual([3, 3])
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText(/^Undone \d/).waitFor()
  expect((await scores()).map(({ score }) => score)).toEqual([8, -2])
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('extra time for one person and minutes for all change the clock of an attempt under way', async () => {
  const { examId } = await createExam(service.sql, { name: 'Against the clock', duration_minutes: 20 })
  const [admin, person] = [await service.admin(), await service.person()]
  const [hers, his] = [await openFor(browser, admin), await openFor(browser, person)]
  await his.page.goto(`/desk/exams/${examId}`)
  await his.page.getByRole('button', { name: 'Start the exam' }).click()
  const minutes = async () => Number((await his.page.getByRole('timer').innerText()).split(':').at(-2))
  await expect.poll(minutes).toBeLessThanOrEqual(20)

  await hers.page.goto(`/desk/teach/exams/${examId}/times`)
  await hers.page.getByLabel('Minutes for all attempts under way').fill('15')
  await hers.page.getByRole('button', { name: 'Give the minutes' }).click()
  await hers.page.getByText('1 attempt under way got the minutes').waitFor()
  await expect.poll(minutes).toBeGreaterThanOrEqual(30)

  await hers.page.getByLabel('Find somebody').fill(person.username)
  await hers.page.getByRole('option', { name: person.username }).waitFor({ state: 'attached' })
  const who = hers.page.getByLabel('Who', { exact: true })
  await who.selectOption(String(person.id))
  // Another search does not remove the person who is chosen.
  await hers.page.getByLabel('Find somebody').fill('nobody of this name')
  await expect.poll(() => who.locator('option').count()).toBe(1)
  expect(await who.inputValue()).toBe(String(person.id))
  await hers.page.getByLabel('More time in percent').fill('100')
  await hers.page.getByRole('button', { name: 'Set', exact: true }).click()
  await hers.page.getByRole('row').filter({ hasText: person.username }).getByText('100 %').waitFor()
  await expect.poll(minutes).toBeGreaterThanOrEqual(50)
  await hers.page.getByRole('row').filter({ hasText: person.username }).getByRole('button').click()
  await hers.page.getByText('Everybody has the exam’s own times').waitFor()
  await expect.poll(minutes).toBeLessThanOrEqual(35)
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
}, 120_000)

test('the item analysis names questions that are too easy or too hard', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Analysed',
    questions: [{ question_text: 'Everybody knows' }, { question_text: 'Nobody knows', correct_answer: 'D' }],
  })
  const people = await Promise.all(Array.from({ length: 3 }, () => service.person()))
  for (const person of people) await answer(person, examId, questionIds, 'A')
  const { page, context, problems } = await openFor(browser, await service.admin())
  await page.goto(`/desk/teach/exams/${examId}/items`)
  const [easy, hard] = ['Everybody knows', 'Nobody knows'].map((text) =>
    page.getByRole('listitem').filter({ hasText: text }),
  )
  await easy?.getByText('Nearly everybody gets it right').waitFor()
  await hard?.getByText('Hardly anybody gets it right').waitFor()
  await hard?.getByText(/100 % \(3\)/).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('several questions are deleted at once, also those of another page', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: Array.from({ length: 60 }, () => ({})),
  })
  const [first, last] = [questionIds[0] as number, questionIds.at(-1) as number]
  const { page, context, problems } = await openFor(browser, await service.admin())
  await page.goto(`/desk/teach/exams/${examId}/questions`)
  await page.getByRole('checkbox', { name: `Choose question ${first}`, exact: true }).check()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('checkbox', { name: `Choose question ${last}`, exact: true }).check()
  const chosen = page.getByRole('region', { name: 'With those chosen' })
  await chosen.getByText('2 questions chosen').waitFor()
  await expectFlawless(page)
  await chosen.getByRole('button', { name: 'Delete' }).click()
  await page.locator('dialog.question').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 questions deleted').waitFor()
  const left = await service.sql`select id from questions where exam_id = ${examId} order by id`
  expect(left.map(({ id }) => id)).toEqual(questionIds.slice(1, -1))
  expect(problems).toEqual([])
  await context.close()
})

test('roles and allowances of several people change at once', async () => {
  const people = [await service.person('together.one'), await service.person('together.two')]
  const { examId, questionIds } = await createExam(service.sql, { name: 'Used up', max_attempts: 1 })
  for (const person of people) await answer(person, examId, questionIds, 'A')
  const { page, context, problems } = await openFor(browser, await service.admin())
  await page.goto('/desk/teach/users?q=together')
  await page.getByRole('checkbox', { name: 'Choose all on this page' }).check()
  await page.getByText('2 people chosen').waitFor()
  await expectFlawless(page)
  const chosen = page.getByRole('region', { name: 'With those chosen' })
  await chosen.getByRole('button', { name: 'Both' }).click()
  await page.locator('dialog.question').getByRole('button', { name: 'Both' }).click()
  await expect
    .poll(() => service.sql`select role from users where username like 'together%' and role = 'user,admin'`)
    .toHaveLength(2)
  await page.getByLabel('Role of together.one').selectOption('user')
  await expect
    .poll(() => service.sql`select 1 from users where username = 'together.one' and role = 'user'`)
    .toHaveLength(1)

  await page.goto('/desk/teach/allowances?q=together&status=exhausted')
  await page.getByRole('checkbox', { name: 'Choose together.one, Used up' }).check()
  await page.getByRole('checkbox', { name: 'Choose together.two, Used up' }).check()
  await chosen.getByRole('button', { name: 'Give one back to each' }).click()
  await expectFlawless(page)
  await page.locator('dialog.question').getByRole('button', { name: 'Cancel' }).click()
  expect(await service.sql`select 1 from attempts where exam_id = ${examId}`).toHaveLength(2)
  await chosen.getByRole('button', { name: 'Give one back to each' }).click()
  await page.locator('dialog.question').getByRole('button', { name: 'Give one back to each' }).click()
  await page.getByText('2 allowances changed').waitFor()
  expect(await service.sql`select 1 from attempts where exam_id = ${examId}`).toHaveLength(0)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)
