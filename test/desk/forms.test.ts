import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
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

const examOf = async (id: number) =>
  (
    await service.sql`
      select description, duration_minutes, result_mode, for_classes, opens_at, closes_at from exams where id = ${id}`
  )[0]
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
const question = (page: Page) => page.locator('dialog.question')

test('settings that were left open put nothing back; what two people have changed is asked', async () => {
  const admin = await service.admin()
  const { examId } = await createExam(service.sql, { name: 'Left open', duration_minutes: 60 })
  const classId = await createClass(service.sql)
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/settings`)
  await page.getByLabel('Description').fill('A correction')
  const change = { duration_minutes: 90, class_ids: [classId], result_mode: 'on_release' } as const
  await admin.patch(`/api/v01/admin/exams/${examId}`, change, 200)
  // The page is opened again: the draft has the description alone.
  await page.reload()
  await page.getByText('Your unsaved changes').waitFor()
  expect(await page.getByLabel('Description').inputValue()).toBe('A correction')
  expect(await page.getByLabel('Minutes').inputValue()).toBe('90')
  await save(page)
  await expect
    .poll(() => examOf(examId))
    .toMatchObject({
      description: 'A correction',
      duration_minutes: 90,
      result_mode: 'on_release',
      for_classes: true,
    })

  await page.getByText('Saved').first().waitFor()
  await page.getByLabel('Minutes').fill('45')
  await admin.patch(`/api/v01/admin/exams/${examId}`, { duration_minutes: 120 }, 200)
  await save(page)
  const row = question(page).getByRole('row', { name: /Minutes/ })
  await row.getByText('120').waitFor()
  await row.getByText('45').waitFor()
  await expectFlawless(page)
  await question(page).getByRole('button', { name: 'Keep what is there' }).click()
  await expect.poll(() => page.getByLabel('Minutes').inputValue()).toBe('120')
  await page.getByLabel('Minutes').fill('50')
  await admin.patch(`/api/v01/admin/exams/${examId}`, { duration_minutes: 130 }, 200)
  await save(page)
  await question(page).getByRole('button', { name: 'Save mine' }).click()
  await expect.poll(async () => (await examOf(examId))?.duration_minutes).toBe(50)
  expect(problems).toEqual([])
  await context.close()
})

test('times keep their seconds and their hour, and an hour that is left out is none', async () => {
  const admin = await service.admin()
  const { examId } = await createExam(service.sql, { name: 'At night' })
  // In the second of two equal hours, and with seconds.
  const times = { opens_at: '2026-10-25T01:30:30.250Z', closes_at: '2099-10-25T01:30:30.000Z' }
  await admin.patch(`/api/v01/admin/exams/${examId}`, times, 200)
  const { page, context, problems } = await openFor(browser, admin, { timezoneId: 'Europe/Berlin' })
  await page.goto(`/desk/teach/exams/${examId}/settings`)
  expect(await page.getByLabel('Opens', { exact: true }).inputValue()).toMatch(/^2026-10-25T02:30:30\.25/)
  await page.getByLabel('Description').fill('Other words')
  await save(page)
  await expect.poll(async () => (await examOf(examId))?.description).toBe('Other words')
  const stored = async () => {
    const { exam } = (await admin.get(`/api/v01/admin/exams/${examId}`, 200)).body
    return { opens_at: exam.opens_at, closes_at: exam.closes_at }
  }
  expect(await stored()).toEqual(times)

  // Another minute of the same hour stays in that hour, until the other one is chosen.
  await page.getByLabel('Opens', { exact: true }).fill('2026-10-25T02:45')
  await save(page)
  await expect.poll(async () => (await stored()).opens_at).toBe('2026-10-25T01:45:00.000Z')
  await page
    .getByLabel('Opens: this hour comes twice')
    .selectOption({ label: 'The first time, before clocks are set back' })
  await expectFlawless(page)
  await save(page)
  await expect.poll(async () => (await stored()).opens_at).toBe('2026-10-25T00:45:00.000Z')

  await page.getByLabel('Opens', { exact: true }).fill('2026-03-29T02:30')
  await page.getByText('There is no such time that day').waitFor()
  await save(page)
  expect(
    await page
      .getByLabel('Opens', { exact: true })
      .evaluate((input) => 'validity' in input && (input.validity as { valid: boolean }).valid),
  ).toBe(false)
  expect((await stored()).opens_at).toBe('2026-10-25T00:45:00.000Z')
  expect(problems).toEqual([])
  await context.close()
})

/** Holds requests of a method back, until they are let go. */
async function hold(page: Page, method: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v01/**', async (route) => {
    if (route.request().method() === method) {
      held.resolve()
      await promise
    }
    await route.continue()
  })
  return { held: held.promise, letGo: resolve }
}

test('what is typed while settings are saved stays, also what is no time or half of one', async () => {
  const admin = await service.admin()
  const { examId } = await createExam(service.sql, { name: 'Typed on' })
  const { page, context, problems } = await openFor(browser, admin, { timezoneId: 'Europe/Berlin' })
  const opens = page.getByLabel('Opens', { exact: true })
  const closes = page.getByLabel('Closes', { exact: true })
  const isHalf = () =>
    closes.evaluate((input) => 'validity' in input && (input.validity as { badInput: boolean }).badInput)
  await page.goto(`/desk/teach/exams/${examId}/settings`)
  await page.getByLabel('Description').fill('Saved')
  const { held, letGo } = await hold(page, 'PATCH')
  await save(page)
  await held
  await opens.fill('2026-03-29T02:30')
  await closes.focus()
  await page.keyboard.type('12')
  expect(await isHalf()).toBe(true)
  letGo()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  await page.locator('form[aria-busy=true]').waitFor({ state: 'detached' })
  expect(await opens.inputValue()).toBe('2026-03-29T02:30')
  await page.getByText('There is no such time that day').waitFor()
  expect(await isHalf()).toBe(true)

  // What can be read is kept beyond the page; half a time is none, and empties no field.
  await page.reload()
  await page.getByText('Your unsaved changes').waitFor()
  expect(await opens.inputValue()).toBe('2026-03-29T02:30')
  await save(page)
  expect(await examOf(examId)).toMatchObject({ description: 'Saved', opens_at: null, closes_at: null })
  await opens.fill('2026-03-29T03:30')
  await save(page)
  await expect
    .poll(async () => (await examOf(examId))?.opens_at)
    .toEqual(new Date('2026-03-29T01:30:00.000Z'))
  expect(problems).toEqual([])
  await context.close()
})

test('a question that was left open puts nothing back; what two people have changed is asked', async () => {
  const admin = await service.admin()
  const { examId, questionIds } = await createExam(service.sql, { name: 'Two of us', published: false })
  const [id] = questionIds as [number]
  await service.sql`update questions set option_a = 'this', option_b = 'that', option_c = 'both' where id = ${id}`
  const change = async (fields: Record<string, string>) =>
    expect(await admin.patch(`/api/v01/admin/questions/${id}`, form(fields))).toMatchObject({ status: 200 })
  const stored = async () =>
    (
      await service.sql`
        select question_text, option_a, correct_answer, positive_marks::float8 as marks, explanation
          from questions where id = ${id}`
    )[0]
  const { page, context, problems } = await openFor(browser, admin)
  const explanation = page.getByLabel('Explanation')
  await page.goto(`/desk/teach/questions/${examId}/${id}`)
  await page.getByLabel('Option B is correct').check()
  await explanation.fill('Mine')
  // Somebody else: what the key is one of, and the same explanation.
  await change({ option_a: 'something else', explanation: 'Theirs', positive_marks: '2' })
  await save(page)
  const rowOf = (name: string) => question(page).getByRole('row', { name })
  await rowOf('Option A').getByText('something else').waitFor()
  await rowOf('Option A').getByText('this', { exact: true }).waitFor()
  await rowOf('Explanation').getByText('Theirs').waitFor()
  await rowOf('Explanation').getByText('Mine').waitFor()
  await expectFlawless(page)
  await question(page).getByRole('button', { name: 'Keep what is there' }).click()
  await expect.poll(() => explanation.inputValue()).toBe('Theirs')
  expect(await page.getByLabel('Option A', { exact: true }).inputValue()).toBe('something else')
  await page.getByText('The key was changed.').waitFor()
  expect(await stored()).toMatchObject({
    option_a: 'something else',
    correct_answer: 'B',
    marks: 2,
    explanation: 'Theirs',
  })

  await page.getByLabel('Option C is correct').check()
  await change({ correct_answer: 'A' })
  await save(page)
  await rowOf('Correct answer').getByText('A', { exact: true }).waitFor()
  await rowOf('Correct answer').getByText('C', { exact: true }).waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByLabel('Option C is correct').isChecked()).toBe(true)
  await save(page)
  await question(page).getByRole('button', { name: 'Save mine' }).click()
  await expect.poll(stored).toMatchObject({ correct_answer: 'C', option_a: 'something else' })
  expect(problems).toEqual([])
  await context.close()
})

test('what is typed while a question is saved is kept, with the question that it was typed to', async () => {
  const admin = await service.admin()
  const { examId, questionIds } = await createExam(service.sql, { published: false, questions: [{}, {}] })
  await service.sql`update questions set option_a = 'this', option_b = 'that' where exam_id = ${examId}`
  const { page, context, problems } = await openFor(browser, admin)
  const text = page.getByLabel('Question', { exact: true })
  const explanation = page.getByLabel('Explanation')
  const textOf = async (id: number | undefined) =>
    (await service.sql`select question_text from questions where id = ${id ?? 0}`)[0]?.question_text
  await page.goto(`/desk/teach/questions/${examId}/${questionIds[0]}`)
  await page.getByRole('heading', { name: 'Question 1 of 2' }).waitFor()
  await text.fill('Which of them?')
  let { held, letGo } = await hold(page, 'PATCH')
  await save(page)
  await held
  await explanation.fill('Because')
  letGo()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  expect(await explanation.inputValue()).toBe('Because')
  await page.reload()
  await page.getByText('Your unsaved changes').waitFor()
  expect(await text.inputValue()).toBe('Which of them?')
  expect(await explanation.inputValue()).toBe('Because')

  // Saved, with the next one shown.
  ;({ held, letGo } = await hold(page, 'PATCH'))
  await page.getByRole('button', { name: /^Save and next/ }).click()
  await held
  await text.fill('Which of these?')
  letGo()
  await page.getByRole('heading', { name: 'Question 2 of 2' }).waitFor()
  expect(await text.inputValue()).toBe('Which one?')
  expect(await textOf(questionIds[0])).toBe('Which of them?')
  await page.getByRole('link', { name: 'Previous' }).click()
  await page.getByText('Your unsaved changes').waitFor()
  expect(await text.inputValue()).toBe('Which of these?')

  // A new one, with another new one shown.
  await page.goto(`/desk/teach/questions/${examId}/new`)
  await text.fill('A third')
  await page.getByLabel('Option A', { exact: true }).fill('this')
  await page.getByLabel('Option B', { exact: true }).fill('that')
  await page.getByLabel('Option A is correct').check()
  ;({ held, letGo } = await hold(page, 'POST'))
  await page.getByRole('button', { name: /^Save and add another/ }).click()
  await held
  await explanation.fill('Typed on')
  letGo()
  await expect.poll(() => text.inputValue()).toBe('')
  expect(await explanation.inputValue()).toBe('')
  expect(await page.getByText('Your unsaved changes').count()).toBe(0)
  const [made] = await service.sql`
    select id from questions where exam_id = ${examId} and question_text = 'A third'`
  await page.goto(`/desk/teach/questions/${examId}/${made?.id}`)
  await page.getByText('Your unsaved changes').waitFor()
  expect(await explanation.inputValue()).toBe('Typed on')
  expect(problems).toEqual([])
  await context.close()
})

test('times are taken away as they were seen, and newer ones of somebody else only after a question', async () => {
  const [admin, student] = [await service.admin(), await service.person()]
  const classId = await createClass(service.sql, { students: [student] })
  const { examId } = await createExam(service.sql)
  await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
  const own = `/api/v01/admin/exams/${examId}/accommodations/${student.id}` as const
  const ofClass = `/api/v01/admin/exams/${examId}/class-accommodations/${classId}` as const
  for (const path of [own, ofClass]) await admin.put(path, { extra_time_percent: 25 }, 200)
  const ofPerson = async () =>
    (await admin.get(`/api/v01/admin/exams/${examId}/accommodations`, 200)).body.accommodations[0]
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/times`)
  const remove = page.getByRole('button', { name: `The exam’s own times: ${student.username}` })
  await remove.waitFor()
  // Somebody else.
  await admin.patch(own, { closes_at: '2099-01-01T10:00:30Z' }, 200)
  await remove.click()
  await question(page).getByRole('row', { name: 'Closes' }).getByText('2099').waitFor()
  await question(page).getByRole('row', { name: 'Closes' }).getByText('as the exam').waitFor()
  await expectFlawless(page)
  await question(page).getByRole('button', { name: 'Keep what is there' }).click()
  await expect.poll(ofPerson).toMatchObject({ extra_time_percent: 0, closes_at: '2099-01-01T10:00:30.000Z' })
  await page.getByRole('region', { name: 'Individual times' }).getByText('2099').waitFor()
  await remove.click()
  await expect.poll(ofPerson).toBeUndefined()
  // What is undone is as it was before.
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect.poll(ofPerson).toMatchObject({ extra_time_percent: 0, closes_at: '2099-01-01T10:00:30.000Z' })

  const ofClasses = page.getByRole('region', { name: 'Times of classes' })
  await ofClasses.getByText('25 % more time').click()
  await admin.patch(ofClass, { extra_time_percent: 50 }, 200)
  await ofClasses.getByRole('button', { name: /^The exam’s own times: / }).click()
  await question(page).getByRole('row', { name: 'More time' }).getByText('50').waitFor()
  await question(page).getByRole('button', { name: 'Save mine' }).click()
  await expect.poll(async () => (await admin.get(ofClass)).status).toBe(404)
  expect(problems).toEqual([])
  await context.close()
})

test('a published exam that was begun loses questions, and gets other marks, only after a question', async () => {
  const [admin, student] = [await service.admin(), await service.person()]
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Under way',
    questions: [{}, {}, {}],
  })
  const draft = await createExam(service.sql, { name: 'Nobody’s yet', questions: [{}, {}] })
  await service.sql`
    update questions set option_a = 'this', option_b = 'that' where exam_id in (${examId}, ${draft.examId})`
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const marks = async (id: number) =>
    (
      await service.sql`
        select id, positive_marks::float8 as marks from questions where exam_id = ${id} order by id`
    ).map((row) => row.marks)
  const { page, context, problems } = await openFor(browser, admin)
  const setMarks = async () => {
    await page.getByText('Marks for all questions of a type').click()
    await page.getByLabel('Marks for a correct answer').fill('7')
    await page.getByRole('button', { name: 'Set the marks' }).click()
  }
  const select = (number: number) =>
    page.getByRole('checkbox', { name: `Select question ${number}`, exact: true })
  await page.goto(`/desk/teach/exams/${examId}/questions`)
  await setMarks()
  await question(page).getByText('Attempts that have begun keep the marks of before (1)').waitFor()
  await expectFlawless(page)
  await question(page).getByLabel('To confirm, type Under way').fill('Another')
  await question(page).getByRole('button', { name: 'Set the marks' }).click()
  expect(await marks(examId)).toEqual([4, 4, 4])
  await question(page).getByLabel('To confirm, type Under way').fill('Under way')
  await question(page).getByRole('button', { name: 'Set the marks' }).click()
  await expect.poll(() => marks(examId)).toEqual([7, 7, 7])

  await select(3).check()
  const chosen = page.getByRole('region', { name: 'Selected' })
  await chosen.getByRole('button', { name: 'Delete' }).click()
  await question(page).getByText('doesn’t get the deleted ones (1)').waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await select(3).waitFor()
  await chosen.getByRole('button', { name: 'Delete' }).click()
  await question(page).getByRole('button', { name: 'Delete' }).click()
  await select(3).waitFor({ state: 'detached' })
  await page.goto(`/desk/teach/questions/${examId}/${questionIds[0]}`)
  await expect.poll(() => marks(examId)).toEqual([7, 7])

  // One alone, its marks, and one more like it.
  await page.getByLabel('Marks for a correct answer').fill('9')
  await save(page)
  await question(page).getByText('who begins from now on is graded by the new ones').waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await marks(examId)).toEqual([7, 7])
  await save(page)
  await question(page).getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => marks(examId)).toEqual([9, 7])
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await question(page).getByText('gets the new ones too (1)').waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await question(page).getByText('doesn’t get the deleted ones (1)').waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: 'Question 1 of 2' }).waitFor()
  expect(await marks(examId)).toEqual([9, 7])

  // Nobody is asked about an exam that nobody has begun.
  await page.goto(`/desk/teach/exams/${draft.examId}/questions`)
  await setMarks()
  await expect.poll(() => marks(draft.examId)).toEqual([7, 7])
  await select(2).check()
  await chosen.getByRole('button', { name: 'Delete' }).click()
  await select(2).waitFor({ state: 'detached' })
  expect(await question(page).count()).toBe(0)
  expect(problems).toEqual([])
  await context.close()
})

test('somebody’s own times are shown before they are changed, and what others gave them stays', async () => {
  const [admin, student] = [await service.admin(), await service.person()]
  const { examId } = await createExam(service.sql)
  const path = `/api/v01/admin/exams/${examId}/accommodations/${student.id}` as const
  await admin.put(path, { closes_at: '2099-01-01T10:00:30Z' }, 200)
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/times`)
  const own = page.getByRole('region', { name: 'Individual times' })
  await own.getByLabel('Find somebody').fill(student.username)
  await own.getByLabel('Who', { exact: true }).selectOption(String(student.id))
  await expect.poll(() => own.getByLabel('More time in percent').inputValue()).toBe('0')
  await own.getByLabel('More time in percent').fill('40')
  await admin.patch(path, { opens_at: '2026-01-01T00:00Z' }, 200)
  await save(page)
  const stored = async () =>
    (await admin.get(`/api/v01/admin/exams/${examId}/accommodations`, 200)).body.accommodations[0]
  await expect.poll(stored).toMatchObject({
    extra_time_percent: 40,
    opens_at: '2026-01-01T00:00:00.000Z',
    closes_at: '2099-01-01T10:00:30.000Z',
  })
  expect(problems).toEqual([])
  await context.close()
})

test('a class exam is for everybody only by a choice, and a published one says whom new times concern', async () => {
  const [admin, student] = [await service.admin(), await service.person()]
  const classId = await createClass(service.sql, { students: [student] })
  const { examId } = await createExam(service.sql, { name: 'Of a class', duration_minutes: 60 })
  await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/settings`)
  const box = page.locator(`input[name=class_ids][value="${classId}"]`)
  await box.uncheck()
  await page.getByText('Choose at least one class').waitFor()
  await save(page)
  expect(await examOf(examId)).toMatchObject({ for_classes: true })
  await expectFlawless(page)
  await page.getByLabel('Everybody').check()
  await page.getByLabel('Minutes').fill('90')
  await save(page)
  await question(page).getByText('Attempts under way follow the new times at once (1)').waitFor()
  await question(page).getByText('Everybody sees it from now on').waitFor()
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await examOf(examId)).toMatchObject({ for_classes: true, duration_minutes: 60 })
  await save(page)
  await question(page).getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => examOf(examId)).toMatchObject({ for_classes: false, duration_minutes: 90 })
  expect(problems).toEqual([])
  await context.close()
})

test('an attempt is deleted by the name of whose it is, and a student becomes a teacher after a question', async () => {
  const [admin, student] = [await service.admin(), await service.person()]
  const classId = await createClass(service.sql, { students: [student] })
  await service.sql`update classes set name = 'Their class' where id = ${classId}`
  const { examId } = await createExam(service.sql, { name: 'Taken once', max_attempts: 2 })
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.post(`/api/v01/exams/${examId}/submit`, { answers: {}, markedForReview: [] }, 200)
  const attempts = () => service.sql`select 1 from attempts where exam_id = ${examId}`
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/allowances?q=${student.username}&exam=${examId}`)
  await page.getByRole('button', { name: /^Delete the latest attempt:/ }).click()
  const name = question(page).getByLabel(`To confirm, type ${student.username}`)
  await name.fill('somebody else')
  await question(page).getByRole('button', { name: 'Delete' }).click()
  expect(await attempts()).toHaveLength(1)
  await expectFlawless(page)
  await name.fill(student.username)
  await question(page).getByRole('button', { name: 'Delete' }).click()
  await expect.poll(attempts).toHaveLength(0)

  await page.goto('/desk/teach/classes?q=Their class')
  await page.getByText('Teachers', { exact: true }).click()
  await page.getByLabel('Find somebody').fill(student.username)
  await page.getByLabel('Who', { exact: true }).selectOption(String(student.id))
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await question(page).getByText('They are a student of').waitFor()
  await question(page).getByRole('button', { name: 'Make them a teacher' }).click()
  await expect
    .poll(() => service.sql`select role from class_members where class_id = ${classId} and left_at is null`)
    .toEqual([{ role: 'teacher' }])
  expect(problems).toEqual([])
  await context.close()
})
