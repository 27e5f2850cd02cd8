import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 780 } }

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('an exam that was begun on another device is found, and every page leads back to it', async () => {
  const person = await service.person()
  const { examId } = await createExam(service.sql, { name: 'Begun elsewhere', duration_minutes: 30 })
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { page, context, problems } = await openFor(browser, person, PHONE)
  await page.getByRole('heading', { name: 'Begun elsewhere is under way' }).waitFor()
  await page.getByRole('timer').first().waitFor()
  await expectFlawless(page)
  await page.goto('/desk/progress')
  await page
    .getByRole('complementary', { name: 'Exams under way' })
    .getByRole('link', { name: 'Continue' })
    .click()
  // The question is in sight and has the focus.
  const heading = page.getByRole('heading', { name: 'Question 1' })
  await heading.waitFor()
  await expect
    .poll(() => heading.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true)
  const box = await page.getByText('Which one?').boundingBox()
  expect(box?.y).toBeGreaterThan(0)
  expect(box?.y).toBeLessThan(PHONE.viewport.height)
  await page.getByRole('button', { name: 'Hand in' }).click()
  await page.getByRole('button', { name: 'Hand in now' }).click()
  const ended = page.getByRole('heading', { name: 'Handed in' })
  await ended.waitFor()
  await expect
    .poll(() => ended.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true)
  await page.goto('/desk')
  await page.getByText('Not released yet').or(page.getByText('0 %')).first().waitFor()
  expect(await page.getByText('is under way').count()).toBe(0)
  expect(problems).toEqual([])
  await context.close()
})

test('an exam that was begun elsewhere is found among many', async () => {
  const person = await service.person()
  const { examId } = await createExam(service.sql, { name: 'The oldest one', duration_minutes: 30 })
  // More than the first page of exams has.
  for (let at = 0; at < 55; at++) await createExam(service.sql, { name: `A newer one, ${at}` })
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { page, context, problems } = await openPage(browser, person.url)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await signIn(page, person.username, PASSWORD)
  await page.getByRole('heading', { name: 'The oldest one is under way' }).waitFor()
  expect(asked.filter((url) => url.includes('/attempt-status'))).toEqual([])
  await service.sql`update exams set published = false where name like 'A newer one%'`
  expect(problems).toEqual([])
  await context.close()
})

test('an administrator sees at home who is taking any exam', async () => {
  const [admin, student] = [await service.admin(), await service.person()]
  const { examId } = await createExam(service.sql, { name: 'For everybody', duration_minutes: 30 })
  const { attempt_id } = (await student.post(`/api/v01/exams/${examId}/start`, {}, 201)).body
  const { page, context, problems } = await openFor(browser, admin, PHONE)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.reload()
  const sitting = page.getByRole('region', { name: 'Taking an exam now' })
  const link = sitting.getByRole('link', { name: 'For everybody: 1 student' })
  expect(await link.getAttribute('href')).toBe(`/desk/teach/exams/${examId}/results`)
  // However many exams there are, that is one request.
  expect(asked.filter((url) => /\/exams\/\d+\/results/.test(url))).toEqual([])
  await expectFlawless(page)
  await sitting.locator(`a[href="/desk/teach/attempts/${attempt_id}"]`).click()
  await page.getByText('under way until').waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a device whose clock is two hours wrong shows the right rest, with a socket and without', async () => {
  const person = await service.person()
  const { examId } = await createExam(service.sql, { name: 'By the right clock', duration_minutes: 30 })
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  for (const hours of [2, -2])
    for (const hasSocket of [true, false]) {
      const { page, context, problems } = await openPage(browser, person.url)
      await page.clock.install({ time: Date.now() + hours * 3_600_000 })
      if (!hasSocket) await page.routeWebSocket('**', (socket) => socket.close())
      await signIn(page, person.username, PASSWORD)
      const rest = page.getByRole('timer').first()
      await expect.poll(() => rest.innerText()).toMatch(/^(30:00|2[89]:\d\d)$/)
      await page.goto('/desk/progress')
      const bar = page.getByRole('complementary', { name: 'Exams under way' }).getByRole('timer')
      await expect.poll(() => bar.innerText()).toMatch(/^(30:00|2[89]:\d\d)$/)
      expect(problems).toEqual([])
      await context.close()
    }
})

test('what is new is told at home and in its list, at once or on return, until it is seen', async () => {
  const [person, admin] = [await service.person(), await service.admin()]
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Waited for',
    result_mode: 'on_release',
  })
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  const { page, context, problems } = await openFor(browser, person)
  await page.getByText('Not released yet').waitFor()
  await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
  await page.getByRole('region', { name: 'Latest results' }).getByText('%').waitFor()
  const soon = () => service.sql`update notice_causes set due_at = now() where kind <> 'exam_closing'`
  await soon()
  const news = page.getByRole('region', { name: 'What is new' })
  await news.getByText('Your result is out').waitFor()
  await page.getByRole('link', { name: 'What is new 1 new' }).first().waitFor()

  // Away meanwhile.
  await page.goto('about:blank')
  const body = { question_id: questionIds[0] ?? 0, message: 'Look again' }
  const { challenge } = (await person.post(`/api/v01/attempts/${attempt_id}/challenges`, body, 201)).body
  await admin.post(`/api/v01/admin/challenges/${challenge.id}/resolve`, { status: 'accepted' }, 200)
  const key = { question_id: questionIds[0] ?? 0, action: 'credit_all' } as const
  await admin.post(`/api/v01/admin/exams/${examId}/regrades`, key, 201)
  await soon()
  await expect.poll(async () => (await service.sql`select from notice_causes`).length).toBe(0)
  await page.goto('/desk')
  await news.getByText('Your challenge was accepted').waitFor()
  await news.getByText('Your result has changed').waitFor()
  await expectFlawless(page)
  // All of them, with where they lead; what was seen is read, on every device.
  await news.getByRole('link', { name: 'All' }).click()
  await page.getByRole('heading', { name: 'What is new' }).waitFor()
  await expect.poll(() => page.locator('main').getByText('New', { exact: true }).count()).toBe(3)
  expect(await page.getByRole('link', { name: 'Waited for' }).first().getAttribute('href')).toBe(
    `/desk/exams/${examId}`,
  )
  await expectFlawless(page)
  await expect.poll(async () => (await person.get('/api/v01/notices', 200)).body.unread).toBe(0)
  await page.goto('/desk')
  await page.getByRole('heading', { name: 'Latest results' }).waitFor()
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
  expect(await news.count()).toBe(0)
  expect(problems).toEqual([])
  await context.close()
})

test('which notices come by mail is chosen in the account', async () => {
  const person = await service.person()
  const { page, context, problems } = await openFor(browser, person, PHONE)
  await page.goto('/desk/account')
  const wishes = page.getByRole('region', { name: 'What you are told of' })
  const closing = wishes.getByRole('group', { name: 'A day before an exam closes that you haven’t taken' })
  await closing.getByLabel('By mail, to my confirmed address').check()
  await wishes.getByRole('button', { name: 'Save' }).click()
  const read = async () => (await person.get('/api/v01/push', 200)).body.settings.notices
  await expect.poll(read).toMatchObject({
    exam_published: { push: true, mail: false },
    exam_closing: { push: true, mail: true },
  })
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})

test('what waits for a teacher is counted at home and in the menu', async () => {
  const [person, admin] = [await service.person(), await service.admin()]
  const { examId, questionIds } = await createExam(service.sql)
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  const body = { question_id: questionIds[0] ?? 0, message: 'Look again' }
  await person.post(`/api/v01/attempts/${attempt_id}/challenges`, body, 201)
  const { page, context, problems } = await openFor(browser, admin)
  await page
    .getByRole('region', { name: 'Waiting for you' })
    .getByRole('link', { name: '1 open challenge' })
    .waitFor()
  await page.getByRole('link', { name: 'Challenges 1 waiting' }).waitFor()
  // On a phone's bar, what waits behind its last button, requests to connect included.
  await page.setViewportSize(PHONE.viewport)
  await page.getByRole('button', { name: 'More 1 waiting' }).waitFor()
  await person.post('/api/v01/chat/connections', { recipient_id: admin.id }, 201)
  await page.getByRole('button', { name: 'More 2 waiting' }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a teacher of a class sees at home who is taking its exam, and which challenges wait', async () => {
  const [teacher, student] = [await service.person(), await service.person()]
  const { examId, questionIds } = await createExam(service.sql, { name: 'Optics', duration_minutes: 30 })
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  await service.sql`update exams set for_classes = true, created_by = ${teacher.id} where id = ${examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
  const { page, context, problems } = await openFor(browser, teacher, PHONE)
  const sitting = page.getByRole('region', { name: 'Taking an exam now' })
  await sitting.getByText('Nobody in your classes').waitFor()
  await page.getByRole('region', { name: 'Waiting for you' }).getByText('Nothing').waitFor()

  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await page.clock.install()
  await page.reload()
  await sitting.getByRole('link', { name: 'Optics, 10 b: 1 student' }).waitFor()
  await sitting.getByText('0 answers, 29:').waitFor()
  await expectFlawless(page)

  // Who hands in meanwhile goes by itself.
  const { attempt_id } = (await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  const body = { question_id: questionIds[0] ?? 0, message: 'Look again' }
  await student.post(`/api/v01/attempts/${attempt_id}/challenges`, body, 201)
  await page.clock.fastForward('00:31')
  await sitting.getByText('Nobody in your classes').waitFor()
  await page.reload()
  await page.getByRole('link', { name: '1 open challenge' }).click()
  const challenge = page.getByRole('article', { name: `Challenge by ${student.username}` })
  await challenge.getByText('Look again').waitFor()
  await challenge.getByLabel('Verdict').selectOption('rejected')
  await challenge.getByLabel('What you answer').fill('It is **correct**')
  await challenge.getByRole('button', { name: 'Answer' }).click()
  await page.getByText('None', { exact: true }).waitFor()
  await page.getByLabel('Status').selectOption('rejected')
  await challenge.getByText('Rejected', { exact: true }).waitFor()
  await challenge.locator('strong', { hasText: /^correct$/ }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('one class whose results can’t be read hides none of the others', async () => {
  const [teacher, student] = [await service.person(), await service.person()]
  const { sql } = service
  const ids: number[] = []
  for (const name of ['Lenses', 'Mirrors']) {
    const classId = await createClass(sql, { teachers: [teacher], students: [student] })
    const { examId } = await createExam(sql, { name, duration_minutes: 30 })
    await sql`update exams set for_classes = true, created_by = ${teacher.id} where id = ${examId}`
    await sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
    await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
    ids.push(classId)
  }
  const { page, context, problems } = await openPage(browser, teacher.url)
  await page.route(`**/classes/${ids[0]}/results*`, (route) => route.abort())
  await signIn(page, teacher.username, PASSWORD)
  const sitting = page.getByRole('region', { name: 'Taking an exam now' })
  await sitting.getByRole('link', { name: /^Mirrors, .*: 1 student/ }).waitFor()
  expect(await sitting.getByText('Lenses').count()).toBe(0)
  expect(problems).toEqual([])
  await context.close()
})

test('an end that a teacher moves is told on every page, and classes that ask to join at home', async () => {
  const [person, admin] = [await service.person(), await service.admin()]
  const { examId } = await createExam(service.sql, { name: 'Longer', duration_minutes: 30 })
  const classId = await createClass(service.sql)
  await service.sql`
    insert into class_invitations (class_id, email, role, invited_at)
    select ${classId}, email, 'student', now() from users where id = ${person.id}`
  await service.sql`update users set email_verified = true where id = ${person.id}`
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { page, context, problems } = await openFor(browser, person, PHONE)
  await page.getByRole('link', { name: '1 class invites you' }).waitFor()
  // What is under way is known to the other pages once it was found here.
  await page.getByRole('heading', { name: 'Longer is under way' }).waitFor()
  await page.goto('/desk/progress')
  const rest = page.getByRole('complementary', { name: 'Exams under way' }).getByRole('timer')
  await rest.waitFor()
  await admin.post(`/api/v01/admin/exams/${examId}/extend`, { minutes: 20, key: randomUUID() }, 200)
  await page.getByText(/^Longer ends at \d\d:\d\d now$/).waitFor()
  await expect.poll(() => rest.innerText()).toMatch(/^4\d:\d\d$/)
  expect(problems).toEqual([])
  await context.close()
})

test('once the time of an exam is up, no page says any longer that it is under way', async () => {
  const person = await service.person()
  const { examId } = await createExam(service.sql, { name: 'Left behind', duration_minutes: 30 })
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { page, context, problems } = await openFor(browser, person)
  await page.getByRole('heading', { name: 'Left behind is under way' }).waitFor()
  await page.clock.install()
  await page.goto('/desk/progress')
  const bar = page.getByRole('complementary', { name: 'Exams under way' })
  await bar.getByText('Left behind').waitFor()
  await service.sql`update attempts set ends_at = now() - interval '31 seconds' where exam_id = ${examId}`
  const open = () => service.sql`select 1 from attempts where exam_id = ${examId} and submitted_at is null`
  await expect.poll(open).toHaveLength(0)
  await page.clock.fastForward('31:00')
  await bar.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
  await context.close()
})
