import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { addPage, createNotebook } from '../support/content/notes.ts'
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

const undo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true }).last()
/** The desk's own question, with its red button. */
const question = (page: Page) => page.locator('dialog.question')

test('an exam that was unpublished is published again from the notice; results are withdrawn after a red question', async () => {
  const admin = await service.admin()
  const { examId } = await createExam(service.sql, { name: 'Back and forth', result_mode: 'on_release' })
  const { page, context, problems } = await openFor(browser, admin)
  const exam = async () =>
    (await service.sql`select published, results_released from exams where id = ${examId}`)[0]
  await page.goto(`/desk/teach/exams/${examId}/settings`)
  await page.getByRole('button', { name: 'Unpublish' }).click()
  await page.getByText('Draft: students can’t see it').waitFor()
  await undo(page).click()
  await page.getByRole('button', { name: 'Unpublish' }).waitFor()
  expect(await exam()).toMatchObject({ published: true })

  await page.getByRole('button', { name: 'Release the results' }).click()
  await question(page).getByText('Its students are told at once').waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await exam()).toMatchObject({ results_released: false })
  await page.getByRole('button', { name: 'Release the results' }).click()
  await question(page).getByRole('button', { name: 'Release' }).click()
  await page.getByRole('button', { name: 'Withdraw the results' }).click()
  expect(await question(page).locator('button.main.bad').innerText()).toBe('Withdraw the results')
  await expectFlawless(page)
  await question(page).locator('button.main.bad').click()
  await page.getByRole('button', { name: 'Release the results' }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a deleted page and notebook come back by undo, and go when the tab is closed', async () => {
  const person = await service.person()
  const notebookId = await createNotebook(person, { title: 'Mechanics' })
  const pageIds = [await addPage(person, notebookId), await addPage(person, notebookId)]
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(`/desk/notes/${notebookId}/${pageIds[1]}`)
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  await page.getByRole('button', { name: 'Delete this page' }).click()
  await expect.poll(() => pages.count()).toBe(1)
  await undo(page).click()
  await expect.poll(() => pages.count()).toBe(2)
  expect(await service.sql`select 1 from pages where notebook_id = ${notebookId}`).toHaveLength(2)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page
    .getByRole('heading', { name: 'No notebooks yet' })
    .or(page.getByText('No notebooks yet'))
    .first()
    .waitFor()
  await undo(page).click()
  await page.getByRole('link', { name: 'Mechanics' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No notebooks yet').waitFor()
  expect(await service.sql`select 1 from notebooks where id = ${notebookId}`).toHaveLength(1)
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => service.sql`select 1 from notebooks where id = ${notebookId}`).toHaveLength(0)
  expect(problems).toEqual([])
  await context.close()
})

test('an attempt is taken away after a while in which that can be undone', async () => {
  const [teacher, student] = [await service.person(), await service.person()]
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  const { examId } = await createExam(service.sql, { name: 'Once more' })
  await service.sql`update exams set for_classes = true where id = ${examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
  const attempts = () => service.sql`select 1 from attempts where user_id = ${student.id}`
  const { page, context, problems } = await openFor(browser, teacher, {
    viewport: { width: 390, height: 844 },
  })
  await page.clock.install()
  await page.goto(`/desk/classes/${classId}/results`)
  const open = () => page.getByRole('button', { name: `Times and attempts: ${student.username}` }).click()
  await open()
  await page.getByRole('button', { name: 'Take an attempt away' }).click()
  await undo(page).click()
  await page.clock.fastForward('00:11')
  await open()
  await page.getByRole('button', { name: 'Take an attempt away' }).click()
  await undo(page).waitFor()
  await expectFlawless(page)
  expect(await attempts()).toHaveLength(0)
  await page.clock.fastForward('00:11')
  await expect.poll(attempts).toHaveLength(1)
  // The same for the minutes of everybody, which can't be taken back: they are asked about.
  await page.goto(`/desk/classes/${classId}/exams`)
  await page.getByRole('button', { name: 'Extend' }).click()
  await question(page).getByText('5 min more? That can’t be taken back.').waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  expect(problems).toEqual([])
  await context.close()
})

test('what is typed into forms of teachers and into a new notebook is there again after a reload', async () => {
  const [admin, student] = [await service.admin(), await service.person()]
  const { examId, questionIds } = await createExam(service.sql, { name: 'Kept' })
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  const body = { question_id: questionIds[0] ?? 0, message: 'Look again' }
  await student.post(`/api/v01/attempts/${attempt_id}/challenges`, body, 201)
  const { page, context, problems } = await openFor(browser, admin)
  const restored = () => page.getByText(/Your unsaved changes .* were restored/).waitFor()

  await page.goto('/desk/teach/challenges')
  const attempt = page.getByRole('link', { name: 'See the attempt' })
  expect(await attempt.getAttribute('href')).toBe(`/desk/teach/attempts/${attempt_id}`)
  // Nothing is decided beforehand.
  expect(await page.getByLabel('Verdict').inputValue()).toBe('')
  await page.getByLabel('What you answer').fill('You are right: the key')
  await page.reload()
  await restored()
  expect(await page.getByLabel('What you answer').inputValue()).toBe('You are right: the key')

  await page.goto(`/desk/teach/exams/${examId}/times`)
  const own = page.getByRole('region', { name: 'Individual times' })
  await own.getByLabel('Find somebody').fill(student.username)
  await own.getByRole('option', { name: student.username }).waitFor({ state: 'attached' })
  await own.getByLabel('Who', { exact: true }).selectOption(String(student.id))
  await own.getByLabel('More time in percent').fill('40')
  await page.reload()
  await own.getByLabel('Find somebody').fill(student.username)
  await own.getByRole('option', { name: student.username }).waitFor({ state: 'attached' })
  await own.getByLabel('Who', { exact: true }).selectOption(String(student.id))
  await restored()
  expect(await own.getByLabel('More time in percent').inputValue()).toBe('40')

  await page.goto(`/desk/teach/exams/${examId}/corrections`)
  const regrade = page.getByRole('region', { name: 'Regrade a question' })
  await regrade.getByLabel('Option C is correct').check()
  await page.reload()
  await restored()
  await expect.poll(() => regrade.getByLabel('Option C is correct').isChecked()).toBe(true)
  await regrade.getByRole('button', { name: 'Preview the changes' }).click()
  await regrade.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Regraded.').waitFor()
  await page.reload()
  await regrade.getByRole('button', { name: 'Preview the changes' }).waitFor()
  expect(await page.getByText(/were restored/).count()).toBe(0)

  await page.goto('/desk/notes')
  await page.getByRole('button', { name: 'New notebook' }).click()
  await page.getByLabel('What is in it?').fill('All about levers')
  await page.reload()
  await page.getByRole('button', { name: 'New notebook' }).click()
  await restored()
  expect(await page.getByLabel('What is in it?').inputValue()).toBe('All about levers')
  expect(problems).toEqual([])
  await context.close()
})

test('a deleted category comes back by undo, and the last question of an exam is none to publish', async () => {
  const admin = await service.admin()
  const { examId, questionIds } = await createExam(service.sql, { name: 'One only', published: false })
  await service.sql`insert into categories (name) values ('Botany')`
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto('/desk/teach/categories')
  await page.getByRole('button', { name: 'Delete: Botany' }).click()
  await page.getByRole('heading', { name: 'Botany' }).waitFor({ state: 'detached' })
  await undo(page).click()
  await page.getByRole('heading', { name: 'Botany' }).waitFor()
  await page.getByRole('button', { name: 'Delete: Botany' }).click()
  await page.goto(`/desk/teach/questions/${examId}/${questionIds[0]}`)
  await expect.poll(() => service.sql`select 1 from categories where name = 'Botany'`).toHaveLength(0)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('The exam has no questions.').waitFor()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})
