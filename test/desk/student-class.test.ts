import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { findFlaws } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

let service: TestService
let browser: Browser
let teacher: Client
let student: Client
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  ;[teacher, student] = await Promise.all([service.person(), service.person()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)

async function classExam(classId: number, settings: Parameters<typeof createExam>[1]) {
  const { examId } = await createExam(service.sql, settings)
  await service.sql`update exams set for_classes = true where id = ${examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
  return examId
}

test('a student finds in their class what there is to do, who is there and its chat, and leaves it', async () => {
  const other = await service.person()
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student, other] })
  await classExam(classId, { name: 'Optics', closes_at: inHours(2), duration_minutes: 30, max_attempts: 2 })
  await classExam(classId, { name: 'Waves', opens_at: inHours(48) })
  await classExam(classId, { name: 'Heat', opens_at: inHours(-9), closes_at: inHours(-8) })
  const { conv_id } = (await teacher.post(`/api/v01/classes/${classId}/conversation`, {}, 201)).body
  for (const view of [PHONE, { viewport: { width: 1280, height: 800 } }]) {
    const { page, problems } = await openFor(browser, student, view)
    await page.goto('/desk/classes')
    await page.getByRole('link', { name: '10 b' }).click()
    const exams = page.getByRole('region', { name: 'Exams' })
    const entry = (name: string) => exams.getByRole('listitem').filter({ hasText: name })
    await entry('Optics').getByText('To do').waitFor()
    await entry('Optics').getByText('2 attempts left').waitFor()
    await entry('Optics')
      .getByText(/^Open until/)
      .waitFor()
    await entry('Waves').getByText('Later').waitFor()
    await exams.getByText('Done or missed: 1').click()
    await entry('Heat').getByText('Missed').waitFor()
    const people = page.getByRole('region', { name: 'Who is here' })
    await people.getByText('Only your teachers see who else is a student of this class.').waitFor()
    await people.getByText(teacher.username).waitFor()
    expect(await people.getByText(other.username).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Group chat' }).getAttribute('href')).toBe(
      `/desk/chat/${conv_id}`,
    )
    expect(await findFlaws(page)).toEqual([])
    expect(problems).toEqual([])
    if (view === PHONE) continue
    await teacher.patch(`/api/v01/classes/${classId}`, { shows_members: true }, 200)
    await page.reload()
    await people.getByText(other.username).waitFor()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.locator('dialog.question').getByRole('button', { name: 'Leave' }).click()
    await page.getByText('You are in no class yet').waitFor()
    expect(problems).toEqual([])
  }
})

test('news come while a student reads older ones: nothing moves, nothing is lost', async () => {
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  await service.sql`
    insert into class_news (class_id, author_id, text, created_at)
    select ${classId}, ${teacher.id}, 'Older news ' || n || repeat(E'\n\nMore of it.', 6), now() - interval '2 days'
      from generate_series(1, 45) n`
  const { page, problems } = await openFor(browser, student, PHONE)
  await page.goto(`/desk/classes/${classId}`)
  const news = page.getByRole('region', { name: 'News' })
  await news.getByText('Older news 45').waitFor()
  expect(await news.getByText('Older news 25').count()).toBe(0)
  await news.getByRole('button', { name: 'Older ones' }).click()
  const read = news.getByText('Older news 10')
  await read.scrollIntoViewIfNeeded()
  const top = async () => (await read.boundingBox())?.y ?? Number.NaN
  const before = await top()
  for (const text of ['Bring a **ruler**', 'Room 12 today'])
    await teacher.post(`/api/v01/classes/${classId}/news`, { text, pinned: true }, 201)
  await news.getByText('Room 12 today').waitFor({ state: 'attached' })
  // Browsers scroll by whole pixels.
  await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(1)
  // What was at the end of the first page is still there, in its order, once.
  const texts = await news.getByText(/^Older news \d+$/).allInnerTexts()
  expect(texts.map((text) => Number(text.split(' ').at(-1)))).toEqual(
    Array.from({ length: texts.length }, (_, n) => 45 - n),
  )
  expect(texts.length).toBeGreaterThanOrEqual(38)
  await news.getByRole('strong').filter({ hasText: 'ruler' }).waitFor({ state: 'attached' })
  expect(await findFlaws(page)).toEqual([])
  expect(problems).toEqual([])
})

test('a student who is removed while the page is open reads so at once, and what they began goes on', async () => {
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  const examId = await classExam(classId, { name: 'Optics' })
  const { page, problems } = await openFor(browser, student, PHONE)
  await page.goto(`/desk/classes/${classId}`)
  await page.getByRole('link', { name: 'Take: Optics' }).waitFor()
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await teacher.delete(`/api/v01/classes/${classId}/members/${student.id}`, 200)
  await page.getByText('You are not in this class any more').waitFor()
  expect(await findFlaws(page)).toEqual([])
  await teacher.post(`/api/v01/classes/${classId}/news`, { text: 'For members' }, 201)
  await page.getByRole('link', { name: 'Your classes' }).click()
  await page.getByRole('heading', { level: 1, name: 'Classes' }).waitFor()
  expect(await page.getByText('For members').count()).toBe(0)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  expect(problems).toEqual([])
})

test('a code is typed with blanks and small letters, a wrong one says so, and the class is shown before', async () => {
  const classId = await createClass(service.sql, { teachers: [teacher] })
  const { code } = (await teacher.post(`/api/v01/classes/${classId}/code`, {}, 200)).body
  const late = await service.person()
  const { page, problems } = await openFor(browser, late, PHONE)
  await page.goto('/desk/classes')
  const field = page.getByLabel('Code')
  await field.fill('wrong one')
  await page.getByRole('button', { name: 'Find the class' }).click()
  await page.getByRole('alert').filter({ hasText: 'No class has this code' }).waitFor()
  await field.fill(`${code?.slice(0, 4).toLowerCase()} ${code?.slice(4)}`)
  await page.getByRole('button', { name: 'Find the class' }).click()
  await page.getByRole('heading', { level: 3, name: '10 b' }).waitFor()
  expect(await findFlaws(page)).toEqual([])
  expect(await service.sql`select 1 from class_members where user_id = ${late.id}`).toEqual([])
  await page.getByRole('button', { name: 'Join: 10 b' }).click()
  await page.getByText('You are in 10 b').waitFor()
  await page.getByRole('heading', { level: 1, name: '10 b' }).waitFor()
  expect(problems).toEqual([])
})

test('a teacher publishes, edits, pins and deletes news, and lets students see each other', async () => {
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  const { page, problems } = await openFor(browser, teacher, PHONE)
  await page.goto(`/desk/classes/${classId}/news`)
  await page.getByLabel('Tell the class something').fill('Bring a ruler')
  await page.getByRole('button', { name: 'Publish' }).click()
  const news = page.getByRole('region', { name: 'News' })
  const entry = news.getByRole('article')
  await entry.getByText('Bring a ruler').waitFor()
  expect(await page.getByLabel('Tell the class something').inputValue()).toBe('')
  await entry.getByRole('button', { name: 'Pin' }).click()
  await entry.getByText('Pinned').waitFor()
  await entry.getByRole('button', { name: 'Edit' }).click()
  await entry.getByLabel('News').fill('Bring a compass')
  // Somebody else publishes meanwhile: what is being written stays.
  await teacher.post(`/api/v01/classes/${classId}/news`, { text: 'And a pen' }, 201)
  await news.getByText('And a pen').waitFor()
  expect(await entry.first().getByLabel('News').inputValue()).toBe('Bring a compass')
  await entry.first().getByRole('button', { name: 'Save' }).click()
  await entry.getByText('Bring a compass').waitFor()
  await entry
    .first()
    .getByText(/edited/)
    .waitFor()
  expect(await findFlaws(page)).toEqual([])
  await entry.first().getByRole('button', { name: 'Delete' }).click()
  await page.getByText('News deleted').waitFor()
  await entry.filter({ hasText: 'compass' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByLabel('Students see who else is in the class').check()
  const sight = page.getByRole('region', { name: 'What students see' })
  await sight.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  expect((await student.get(`/api/v01/classes/${classId}`, 200)).body.members).toHaveLength(2)
  // Leaving the page sends the deletion.
  await expect
    .poll(() => service.sql`select text from class_news where class_id = ${classId}`)
    .toEqual([{ text: 'And a pen' }])
  expect(problems).toEqual([])
})
