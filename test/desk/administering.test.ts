import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import { type Client, PASSWORD } from '../support/client.ts'
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
  await page.getByLabel('Correction', { exact: true }).selectOption({ label: 'Change the key' })
  await page.getByLabel('Option B is correct').check()
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('Of 2 attempts 1 higher, 1 lower').waitFor()
  expect(await page.getByRole('row').filter({ hasText: wrong.username }).innerText()).toMatch(
    /−2 of 240\s+3 of 240/,
  )
  await expectFlawless(page)
  const scores = () => service.sql`select score::float8 from attempts where exam_id = ${examId} order by id`
  expect((await scores()).map(({ score }) => score)).toEqual([8, -2])

  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Regraded. Students whose result changed are notified.').waitFor()
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
  await hers.page.getByLabel('Minutes', { exact: true }).fill('15')
  await hers.page.getByRole('button', { name: 'Extend' }).click()
  await hers.page.getByText('Give all attempts under way 15 min more?').waitFor()
  await hers.page.locator('dialog.question').getByRole('button', { name: 'Extend' }).click()
  await hers.page.getByText('1 attempt under way extended').waitFor()
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
  await hers.page.getByRole('button', { name: 'Save', exact: true }).click()
  await hers.page.getByRole('row').filter({ hasText: person.username }).getByText('100 %').waitFor()
  await expect.poll(minutes).toBeGreaterThanOrEqual(50)
  await hers.page.getByRole('row').filter({ hasText: person.username }).getByRole('button').click()
  await hers.page.getByText('Everybody has the exam’s own times').waitFor()
  await expect.poll(minutes).toBeLessThanOrEqual(35)
  await hers.page.getByRole('button', { name: 'Undo' }).last().click()
  await hers.page.getByRole('row').filter({ hasText: person.username }).getByText('100 %').waitFor()
  await expect.poll(minutes).toBeGreaterThanOrEqual(50)

  // Minutes for one person: it is asked by their name.
  const extend = hers.page.getByRole('region', { name: 'Extend attempts under way' })
  await extend.getByLabel('For', { exact: true }).selectOption('one')
  await extend.getByRole('option', { name: person.username }).waitFor({ state: 'attached' })
  expect(await extend.getByRole('option', { name: admin.username }).count()).toBe(0)
  const asked: string[] = []
  hers.page.on('request', (request) => asked.push(request.url()))
  await extend.getByLabel('Find somebody').fill('nobody of this name')
  await extend.getByText('Nobody found').waitFor()
  expect(asked.filter((url) => url.includes('/results'))).toEqual([])
  await extend.getByLabel('Find somebody').fill(person.username.toUpperCase())
  await extend.getByRole('option', { name: person.username }).waitFor({ state: 'attached' })
  await extend.getByLabel('Who', { exact: true }).selectOption(String(person.id))
  await extend.getByRole('button', { name: 'Extend' }).click()
  await hers.page
    .locator('dialog.question')
    .getByText(new RegExp(`^Give .*${person.username}.* 15 min more`))
    .waitFor()
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
}, 120_000)

test('closing an exam that somebody takes says how many attempts it ends, and waits for a yes', async () => {
  const { examId } = await createExam(service.sql, { name: 'Closed early', duration_minutes: 20 })
  const [admin, person] = [await service.admin(), await service.person()]
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { page, problems, context } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/settings`)
  await page.getByLabel('Closes').fill('2026-01-01T10:00')
  const question = page.getByRole('dialog', { name: 'This ends 1 attempt under way, at once.' })
  const status = async () =>
    (await person.get(`/api/v01/exams/${examId}/attempt-status`, 200)).body.has_active_attempt
  await page.getByRole('button', { name: 'Save' }).click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await status()).toBe(true)
  expect(await page.getByLabel('Closes').inputValue()).toBe('2026-01-01T10:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await question.getByRole('button', { name: 'End and save' }).click()
  await expect.poll(status).toBe(false)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('the item analysis names questions that are too easy or too hard, and marks their keys', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Analysed',
    questions: [{ question_text: 'Everybody knows' }, { question_text: 'Nobody knows', correct_answer: 'D' }],
  })
  await service.sql`update questions set option_a = 'this', option_b = 'that' where id = ${questionIds[0] ?? 0}`
  // As many as it takes to say something about a question.
  const people = await Promise.all(Array.from({ length: 20 }, () => service.person()))
  await Promise.all(people.map((person) => answer(person, examId, questionIds, 'A')))
  const admin = await service.admin()
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/items`)
  const [easy, hard] = ['Everybody knows', 'Nobody knows'].map((text) =>
    page.getByRole('listitem').filter({ hasText: text }),
  )
  await easy?.getByText('Nearly everybody answers it correctly').waitFor()
  await hard?.getByText('Hardly anybody answers it correctly').waitFor()
  await hard?.getByText(/100 % \(20\)/).waitFor()
  // Of four letters, those that the question has.
  const rows = (item: typeof easy) => item?.getByRole('row').getByRole('rowheader').allInnerTexts()
  await expect.poll(() => rows(easy)).toEqual(['A Key', 'B'])
  await expect.poll(() => rows(hard)).toEqual(['A', 'B', 'C', 'D Key'])
  await expectFlawless(page)
  // The key that a regrade put in force is the one that is marked.
  const regrade = {
    question_id: questionIds[1] ?? 0,
    action: 'new_key',
    correct_answer: 'A',
    reason: 'The other one was meant',
  } as const
  await admin.post(`/api/v01/admin/exams/${examId}/regrades` as const, regrade, 201)
  await page.reload()
  await expect.poll(() => rows(hard)).toEqual(['A Key', 'B', 'C', 'D'])
  expect(problems).toEqual([])
  await context.close()
})

test('the audit log names what was changed, and leads to what is still there', async () => {
  const admin = await service.admin()
  const person = await service.person('in.the.log')
  const { examId } = await createExam(service.sql, { name: 'Logged' })
  const gone = await createExam(service.sql, { name: 'Deleted since' })
  const path = (id: number) => `/api/v01/admin/exams/${id}` as const
  await admin.patch(path(examId), { name: 'Logged exam' }, 200)
  await admin.patch(path(gone.examId), { name: 'Gone' }, 200)
  await admin.delete(path(gone.examId), 200)
  const [questionId] = (await createExam(service.sql, { name: 'Of a question' })).questionIds
  const form = new FormData()
  form.set('question_text', 'Other')
  await admin.request('PATCH', `/api/v01/admin/questions/${questionId}`, form, 200)
  await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user,admin' }, 200)
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto('/desk/teach/audit')
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  await row(`exam:${gone.examId}`).first().getByText(`Exam ${gone.examId}`, { exact: true }).waitFor()
  expect(await row(`exam:${gone.examId}`).getByRole('link').count()).toBe(0)
  await row(`user:${person.id}`)
    .getByRole('link', { name: `Account ${person.username}` })
    .waitFor()
  await expectFlawless(page)
  await page.getByRole('link', { name: 'Exam Logged exam' }).click()
  await page.getByRole('heading', { level: 1, name: 'Logged exam' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: `Account ${person.username}` }).click()
  await page.getByRole('button', { name: `Manage the account of ${person.username}` }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: `Question ${questionId}` }).click()
  await expect.poll(() => page.getByLabel('Question', { exact: true }).inputValue()).toBe('Other')
  expect(problems).toEqual([])
  await context.close()
})

test('several questions are deleted at once, also those of another page', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: Array.from({ length: 60 }, () => ({})),
  })
  const { page, context, problems } = await openFor(browser, await service.admin())
  await page.goto(`/desk/teach/exams/${examId}/questions`)
  await page.getByRole('checkbox', { name: 'Select question 1', exact: true }).check()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('checkbox', { name: 'Select question 60', exact: true }).check()
  const chosen = page.getByRole('region', { name: 'Selected' })
  await chosen.getByText('2 questions selected').waitFor()
  await expectFlawless(page)
  await chosen.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 questions deleted').waitFor()
  const last = page.getByRole('checkbox', { name: 'Select question 60', exact: true })
  await last.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await last.check()
  await chosen.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('1 question deleted').waitFor()
  const left = async () =>
    (await service.sql`select id from questions where exam_id = ${examId} order by id`).map(({ id }) => id)
  expect(await left()).toEqual(questionIds)
  // At once when the page is left.
  await page.goto(`/desk/teach/questions/${examId}/${questionIds[0]}`)
  await expect.poll(left).toEqual(questionIds.slice(0, -1))
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Select question 50', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('checkbox', { name: 'Select question 50', exact: true }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('roles and allowances of several people change at once', async () => {
  const people = [await service.person('together.one'), await service.person('together.two')]
  const { examId, questionIds } = await createExam(service.sql, { name: 'Used up', max_attempts: 1 })
  for (const person of people) await answer(person, examId, questionIds, 'A')
  const { page, context, problems } = await openFor(browser, await service.admin())
  await page.goto('/desk/teach/users?q=together')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByText('2 people selected').waitFor()
  await expectFlawless(page)
  const chosen = page.getByRole('region', { name: 'Selected' })
  await chosen.getByRole('button', { name: 'Both' }).click()
  await page.locator('dialog.question').getByRole('button', { name: 'Both' }).click()
  await expect
    .poll(() => service.sql`select role from users where username like 'together%' and role = 'user,admin'`)
    .toHaveLength(2)
  // An arrow key alone changes nothing.
  await page.getByRole('button', { name: 'Change the role of together.one' }).click()
  const role = page.getByRole('dialog').getByLabel('Role')
  await role.press('ArrowUp')
  await page.keyboard.press('Escape')
  await role.waitFor({ state: 'detached' })
  expect(
    await service.sql`select role from users where username like 'together%' and role = 'user,admin'`,
  ).toHaveLength(2)
  await page.getByRole('button', { name: 'Change the role of together.one' }).click()
  await role.selectOption('user')
  await page.getByRole('button', { name: 'Change the role', exact: true }).click()
  await expect
    .poll(() => service.sql`select 1 from users where username = 'together.one' and role = 'user'`)
    .toHaveLength(1)

  await page.goto('/desk/teach/allowances?q=together&status=exhausted')
  await page.getByRole('checkbox', { name: 'Select together.one, Used up' }).check()
  await page.getByRole('checkbox', { name: 'Select together.two, Used up' }).check()
  await chosen.getByRole('button', { name: 'Delete the latest attempts' }).click()
  await expectFlawless(page)
  await page.locator('dialog.question').getByRole('button', { name: 'Cancel' }).click()
  expect(await service.sql`select 1 from attempts where exam_id = ${examId}`).toHaveLength(2)
  await chosen.getByRole('button', { name: 'Delete the latest attempts' }).click()
  await page.locator('dialog.question').getByRole('button', { name: 'Delete the latest attempts' }).click()
  await page.getByText('2 allowances changed').waitFor()
  expect(await service.sql`select 1 from attempts where exam_id = ${examId}`).toHaveLength(0)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('accounts are created, imported, suspended and deleted, on a phone', async () => {
  const admin = await service.admin()
  const { page, context, problems } = await openFor(browser, admin, { viewport: { width: 390, height: 844 } })
  await page.goto('/desk/teach/users')
  await page.getByRole('link', { name: 'New accounts' }).click()
  await page.getByLabel('Username').fill('new.one')
  await page.getByLabel('E-mail address').fill('new.one@school.example')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('new.one is created').waitFor()

  const rows = ['email', 'new.two@school.example', 'new.one@school.example', 'none']
  await page.getByLabel('File', { exact: true }).setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(rows.join('\n')),
  })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('1 account can be created, 2 rows left out').waitFor()
  await page.getByText('Row 4: email must be an e-mail address').waitFor()
  expect(await service.sql`select 1 from users where username = 'new.two'`).toEqual([])
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Create 1 account' }).click()
  await page.getByText('1 account created, 2 rows left out').waitFor()

  const person = service.guest()
  await person.login('new.one')
  await page.goto('/desk/teach/users?q=new.')
  const manage = page.getByRole('button', { name: 'Manage the account of new.one' })
  await manage.press('Enter')
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Suspend' }).press('Enter')
  await page.getByText('Suspended', { exact: true }).waitFor()
  await person.get('/api/v01/auth/me', 401)
  await manage.press('Enter')
  await page.getByRole('button', { name: 'End the suspension' }).press('Enter')
  await page.getByText('Suspended', { exact: true }).waitFor({ state: 'detached' })
  await person.login('new.one')

  await manage.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('To delete this account, type DELETE').fill('DELETE')
  await dialog.getByLabel('Your own password').fill('not this one')
  await dialog.getByRole('button', { name: 'Delete the account' }).press('Enter')
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Your own password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Delete the account' }).press('Enter')
  await manage.waitFor({ state: 'detached' })
  expect(await service.sql`select 1 from users where username = 'new.one'`).toEqual([])
  await expectFlawless(page)
  // The browser itself tells of the refused password.
  expect(problems.filter((each) => !each.includes('403'))).toEqual([])
  await context.close()
}, 120_000)

test('a chart leads to what it shows: a day to its attempts, an exam to itself', async () => {
  const [admin, person] = [await service.admin(), await service.person()]
  const { examId, questionIds } = await createExam(service.sql, { name: 'Led there' })
  await answer(person, examId, questionIds, 'A')
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/analytics?exam=${examId}`)
  const days = page.getByRole('figure').filter({ hasText: 'Average, day by day' })
  await days.locator('.u-over').click()
  await page.getByLabel('From', { exact: true }).waitFor()
  const [today = ''] = new Date().toISOString().split('T')
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(today)
  await page.getByRole('figure').getByRole('link', { name: 'Led there' }).click()
  await page.getByRole('heading', { level: 1, name: 'Exams and questions' }).waitFor()
  await page.getByRole('link', { name: 'Led there' }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  expect(problems).toEqual([])
  await context.close()
})
