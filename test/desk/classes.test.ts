import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor, openPage } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { findFlaws } from '../support/promises/flaws.ts'
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

async function classExam(classId: number, settings: Parameters<typeof createExam>[1]) {
  const created = await createExam(service.sql, settings)
  await service.sql`update exams set for_classes = true where id = ${created.examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${created.examId}, ${classId})`
  return created
}

test('a teacher shows a code, a student comes in by its link, and the teacher makes an exam for them', async () => {
  const [teacher, student] = await Promise.all([service.person(), service.person()])
  const classId = await createClass(service.sql, { teachers: [teacher] })
  const { page, problems } = await openFor(browser, teacher, PHONE)
  await page.goto(`/desk/classes/${classId}`)
  await page.locator('nav a[aria-current]', { hasText: 'Members' }).waitFor()
  await page.getByRole('button', { name: 'Create a code' }).click()
  await page.getByRole('button', { name: 'Replace', exact: true }).waitFor()
  const code = await page.locator('.join-code').innerText()
  expect(code).toMatch(/^[A-Z]{8}$/)
  await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
  expect(await findFlaws(page)).toEqual([])
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy the link' }).click()
  await page.getByText('The link is copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`/classes/join?code=${code}`)
  await page.getByRole('button', { name: 'Full screen' }).click()
  const large = page.getByRole('dialog', { name: '10 b' })
  await large.getByText(code, { exact: true }).waitFor()
  const { width } = (await large.boundingBox()) ?? { width: 0 }
  expect(width).toBe(PHONE.viewport.width)
  expect(await findFlaws(page)).toEqual([])
  await page.keyboard.press('Escape')
  await large.waitFor({ state: 'detached' })

  // Who isn't signed in yet comes back to the code.
  const other = await openPage(browser, student.url, PHONE)
  await other.page.goto(`/classes/join?code=${code}`)
  await other.page.getByLabel('Username or e-mail address').fill(student.username)
  await other.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.page.getByRole('heading', { level: 1, name: 'Classes' }).waitFor()
  await other.page.getByText(`${teacher.username} · 0 students`).waitFor()
  expect(await findFlaws(other.page)).toEqual([])
  await other.page.getByRole('button', { name: 'Join: 10 b', exact: true }).click()
  await other.page.getByRole('heading', { level: 1, name: '10 b' }).waitFor()
  await other.page.getByText('What your teachers tell the class is here.').waitFor()
  expect(await findFlaws(other.page)).toEqual([])

  // Who joined meanwhile is counted from the next tab on.
  await page.getByText('0 students', { exact: true }).waitFor()
  await page.locator('nav.subtabs').getByRole('link', { name: 'Exams', exact: true }).click()
  await page.getByText('1 student', { exact: true }).waitFor()
  await page.getByLabel('Name').fill('Quiz')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { level: 1, name: 'Quiz' }).waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  expect(await page.getByRole('checkbox', { name: '10 b' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  const [exam] = await service.sql`select for_classes, created_by from exams where name = 'Quiz'`
  expect(exam).toEqual({ for_classes: true, created_by: teacher.id })
  expect(problems).toEqual([])
  expect(other.problems).toEqual([])
})

test('results, gradebook and a roster that is tried first', async () => {
  const [teacher, student] = await Promise.all([service.person(), service.person()])
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  const { examId } = await classExam(classId, { name: 'Optics' })
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const { page, problems } = await openFor(browser, teacher, PHONE)
  await page.goto(`/desk/classes/${classId}/results`)
  await page.getByRole('cell', { name: '0 %', exact: true }).waitFor()
  expect(await findFlaws(page)).toEqual([])
  await page.getByRole('link', { name: 'Gradebook' }).click()
  await page.getByText('Weights and attempts that count').click()
  await page.getByLabel('Optics, in per cent').fill('40')
  await page.getByText('Together: 40 %').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const own = async () => (await teacher.get(`/api/v01/classes/${classId}`, 200)).body.class
  await expect.poll(async () => (await own()).weights).toEqual({ [examId]: 40 })
  await page.getByRole('button', { name: student.username }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Comment, for the teachers of this class').fill('Asks good questions')
  await dialog.getByLabel('Optics').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Asks good questions').waitFor()
  await page.getByText('Excused').waitFor()
  expect(await findFlaws(page)).toEqual([])
  await page.getByText('Select by marks').click()
  await page.getByLabel('Mark', { exact: true }).selectOption('Optics')
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByRole('button', { name: 'Write to them' }).click()
  await dialog.getByLabel('Message').fill('Try again on Monday')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Each of them is told in a minute').waitFor()
  expect(await service.sql`select text, user_ids from class_news where class_id = ${classId}`).toEqual([
    { text: 'Try again on Monday', user_ids: [student.id] },
  ])
  await page.getByRole('link', { name: '0 %' }).click()
  await page.waitForURL(/\/attempts\/\d+$/)
  await page.goBack()
  await page.setViewportSize({ width: 1280, height: 800 })
  const total = page.getByRole('columnheader', { name: 'Total' })
  await total.getByRole('button').click()
  await total.getByRole('button').click()
  expect(await total.getAttribute('aria-sort')).toBe('descending')
  expect(await findFlaws(page)).toEqual([])
  await page.setViewportSize(PHONE.viewport)
  await page.getByRole('link', { name: 'Members' }).click()
  const file = {
    name: 'roster.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('email\na@school.example\nnone'),
  }
  await page.getByLabel('File').setInputFiles(file)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Row 3: is no e-mail address').waitFor()
  expect(await service.sql`select 1 from class_invitations where class_id = ${classId}`).toEqual([])
  // What was tried with another file is offered no more.
  const invite = page.getByRole('button', { name: /^Invite \d/ })
  await page.getByLabel('File').setInputFiles({ ...file, name: 'newer.csv' })
  await invite.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Preview' }).click()
  await invite.click()
  await page.getByRole('cell', { name: 'a@school.example', exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('a student’s own times, more minutes, their attempt and the statistics of a class', async () => {
  const [teacher, student, other] = await Promise.all([service.person(), service.person(), service.person()])
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student, other] })
  const { examId, questionIds } = await classExam(classId, { name: 'Waves', duration_minutes: 60 })
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await other.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await other.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const { page, problems } = await openFor(browser, teacher, PHONE)
  await page.clock.install()
  await page.goto(`/desk/classes/${classId}/results`)
  // What is under way is followed without a click.
  await page.getByText('0 answers').waitFor()
  await page.getByText(/ · 59:\d\d left/).waitFor()
  await student.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionIds[0] ?? 0]: 'A' } }, 200)
  await page.clock.fastForward('00:31')
  await page.getByRole('link', { name: /^1 answer\b/ }).waitFor()
  await student.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionIds[0] ?? 0]: null } }, 200)
  await page.getByRole('button', { name: `Times and attempts: ${student.username}` }).click()
  const dialog = page.getByRole('dialog', { name: student.username })
  await dialog.getByLabel('More time in percent').fill('50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Own times').waitFor()
  await page.getByRole('button', { name: `Times and attempts: ${student.username}` }).click()
  await dialog.getByLabel('More minutes for the attempt under way').fill('7')
  await dialog.getByRole('button', { name: 'Extend' }).click()
  await page.locator('dialog.question').getByRole('button', { name: 'Extend' }).click()
  await page.getByText('1 attempt under way extended').waitFor()
  expect(await findFlaws(page)).toEqual([])
  const [attempt] = await service.sql`
    select extract(epoch from ends_at - started_at) / 60 as minutes from attempts where user_id = ${student.id}`
  expect(Number(attempt?.minutes)).toBe(60 * 1.5 + 7)
  await dialog.getByRole('button', { name: 'The exam’s own times' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: '0 answers' }).click()
  await page.getByText('under way until').waitFor()
  expect(await findFlaws(page)).toEqual([])
  await page.goBack()
  await page.getByRole('link', { name: `, ${other.username}` }).click()
  await page.getByRole('article', { name: 'Question 1' }).getByText('Not answered').waitFor()
  // On paper there is the attempt alone.
  await page.emulateMedia({ media: 'print' })
  await page.getByRole('navigation').first().waitFor({ state: 'hidden' })
  for (const hidden of [page.getByRole('navigation'), page.getByRole('button')])
    expect(await hidden.count()).toBe(0)
  await page.getByRole('article', { name: 'Question 1' }).waitFor()
  await page.emulateMedia({ media: 'screen' })
  expect(await findFlaws(page)).toEqual([])
  await page.goBack()
  await page.getByRole('link', { name: 'Item analysis' }).click()
  await page.getByText('Cronbach’s alpha').waitFor()
  expect(await findFlaws(page)).toEqual([])
  await page.getByRole('link', { name: 'Analytics' }).click()
  await page.getByRole('heading', { name: 'Best results' }).waitFor()
  expect(await findFlaws(page)).toEqual([])
  expect(problems).toEqual([])
})

test('as long as keys are closed, a teacher reads until when, wherever marks are missing', async () => {
  const [teacher, student] = await Promise.all([service.person(), service.person()])
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  const closes_at = new Date(Date.now() + 3_600_000)
  const { examId } = await classExam(classId, { name: 'Tides', result_mode: 'on_release', closes_at })
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const { body } = await teacher.get(`/api/v01/classes/${classId}/results?exam_id=${examId}`, 200)
  const { page, problems } = await openFor(browser, teacher, PHONE)
  const places = [
    `results?exam_id=${examId}`,
    'gradebook',
    `exams/${examId}/items`,
    `exams/${examId}/analytics`,
    `attempts/${body.results[0]?.newest?.attempt_id}`,
  ]
  const note = page.getByRole('note').filter({ hasText: 'Marks and correct answers are hidden' })
  const readNotes = async () => {
    const read: string[] = []
    for (const place of places) {
      await page.goto(`/desk/classes/${classId}/${place}`)
      read.push(await note.innerText())
    }
    return read
  }
  const minute = new Date(body.exam.keys_open_at ?? 0).getMinutes()
  const until = new RegExp(
    `hidden until .*:${String(minute).padStart(2, '0')}.*, unless the results are released before\\.$`,
  )
  for (const text of await readNotes()) expect(text).toMatch(until)
  expect(await findFlaws(page)).toEqual([])
  await service.sql`update exams set closes_at = null where id = ${examId}`
  for (const text of await readNotes()) expect(text).toContain('hidden until the results are released.')
  await service.sql`update exams set results_released = true where id = ${examId}`
  await page.goto(`/desk/classes/${classId}/results?exam_id=${examId}`)
  await page.getByRole('link', { name: `, ${student.username}` }).waitFor()
  expect(await note.count()).toBe(0)
  expect(problems).toEqual([])
})

test('administrators give a class more time, and see the results of an exam', async () => {
  const [admin, student] = await Promise.all([service.admin(), service.person()])
  const classId = await createClass(service.sql, { students: [student] })
  const { examId, questionIds } = await classExam(classId, {
    name: 'Atoms',
    msq_scoring: 'partial',
    questions: [{ question_text: 'Which are light?', question_type: 'MSQ', correct_answer: 'A,C' }],
  })
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionIds[0] ?? 0]: ['A'] } }, 200)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const { page, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/times`)
  await page.getByText('10 b: the exam’s own times').click()
  const section = page.getByRole('region', { name: 'Times of classes' })
  await section.getByLabel('More time in percent').fill('30')
  await section.getByRole('button', { name: 'Save' }).click()
  await page.getByText('10 b: 30 % more time').waitFor()
  expect(await findFlaws(page)).toEqual([])
  await section.getByRole('button', { name: 'The exam’s own times' }).click()
  await page.getByText('10 b: the exam’s own times').waitFor()
  await page.getByRole('link', { name: 'Results', exact: true }).click()
  await page.getByRole('link', { name: `, ${student.username}` }).click()
  await page.getByRole('article', { name: 'Question 1' }).getByText('Partly correct').waitFor()
  expect(await findFlaws(page)).toEqual([])
  expect(problems).toEqual([])
})

test('administrators make a class and give it a teacher', async () => {
  const [admin, teacher] = await Promise.all([service.admin(), service.person('mx.teacher')])
  const { page, problems } = await openFor(browser, admin)
  await page.goto('/desk/teach/classes')
  await page.getByLabel('Name', { exact: true }).fill('Chemistry')
  await page.getByRole('button', { name: 'Create' }).click()
  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Chemistry' }) })
  await card.getByText('Teachers', { exact: true }).click()
  await card.getByLabel('Find somebody').fill('mx.teacher')
  await card.getByLabel('Who').selectOption({ label: `${teacher.username} (${teacher.username})` })
  await card.getByRole('button', { name: 'Add' }).click()
  await card.getByText(`Teachers: ${admin.username}, mx.teacher`).waitFor()
  expect(await findFlaws(page)).toEqual([])
  expect(problems).toEqual([])
})
