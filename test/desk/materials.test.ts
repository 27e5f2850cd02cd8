import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { giveText } from '../support/content/materials.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 844 } }
const IS_TOO_WIDE = 'document.documentElement.scrollWidth > innerWidth'

let service: TestService
let browser: Browser
let teacher: Client
let student: Client
let classId: number
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  ;[teacher, student] = await Promise.all([service.person(), service.person()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})
beforeEach(async () => {
  classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
})

const at = () => `/desk/classes/${classId}/materials`
const SCRIPT = textPdf(['The derivative of a sum.', '', 'Integrals come later.'])
const fileOf = (name: string, buffer: Buffer, mimeType = 'application/pdf') => ({ name, buffer, mimeType })

test('a teacher gives a file, sees it uploaded, read and ready; renames it, deletes it and takes that back', async () => {
  const { page, problems } = await openFor(browser, teacher, PHONE)
  await page.goto(at())
  await page.getByText('No materials yet').waitFor()
  await expectFlawless(page)
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  await page.route('**/materials', async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })
  // What reads it waits too.
  const lock = await service.sql.reserve()
  await lock`begin`
  await lock`lock table material_passages`
  await page.getByLabel('Files').setInputFiles([fileOf('Analysis.pdf', SCRIPT)])
  await page.getByRole('progressbar', { name: 'Upload: Analysis.pdf' }).waitFor()
  await expectFlawless(page)
  goOn()
  const entry = page.getByRole('listitem').filter({ hasText: 'Analysis' })
  await entry.getByText('Being read').waitFor()
  await expectFlawless(page)
  await lock`commit`
  lock.release()
  await entry.getByText(/3 pages, 1 page without text, such as a scan, isn’t found/).waitFor()
  expect(await entry.getByText('Being read').count()).toBe(0)
  expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)

  await entry.getByRole('button', { name: 'Rename: Analysis.pdf' }).click()
  const dialog = page.locator('dialog.question')
  await dialog.getByLabel('Title').fill('Analysis I')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await entry.getByRole('link', { name: 'Analysis I', exact: true }).waitFor()
  await entry.getByRole('button', { name: 'Delete: Analysis I' }).click()
  await page.getByText('No materials yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await entry.getByRole('button', { name: 'Delete: Analysis I' }).click()
  await page.getByText('No materials yet').waitFor()
  // Leaving the page sends the deletion.
  await page.goto('/desk')
  await expect.poll(() => service.sql`select from materials where class_id = ${classId}`).toEqual([])
  expect(problems).toEqual([])
})

test('files are dropped; what can’t be taken or read says why, and is tried again', async () => {
  const { page, problems } = await openFor(browser, teacher)
  await page.goto(at())
  await page.getByText('No materials yet').waitFor()
  const files = await page.evaluateHandle(`(() => {
    const files = new DataTransfer()
    files.items.add(new File(['# Sums\\n\\nOne.\\n\\n# Series\\n\\nTwo.'], 'notes.markdown'))
    files.items.add(new File([new Uint8Array([0, 1, 2])], 'picture.txt'))
    return files
  })()`)
  await page.getByRole('region', { name: 'Materials' }).dispatchEvent('drop', { dataTransfer: files })
  await page.getByRole('listitem').filter({ hasText: 'notes.markdown' }).getByText('2 parts').waitFor()
  const refused = page.getByRole('listitem').filter({ hasText: 'picture.txt' })
  await refused
    .getByRole('alert')
    .filter({ hasText: 'Only PDF, Markdown and plain text are taken' })
    .waitFor()
  await expectFlawless(page)
  await refused.getByRole('button', { name: 'Try again' }).click()
  await refused.getByRole('alert').waitFor()
  await refused.getByRole('button', { name: 'Remove' }).click()
  await refused.waitFor({ state: 'detached' })
  await page.getByLabel('Files').setInputFiles([fileOf('scan.pdf', textPdf(['', '']))])
  const scan = page.getByRole('listitem').filter({ hasText: 'scan.pdf' })
  await scan.getByText('Can’t be searched').waitFor()
  await scan.getByText(/a scan needs text recognition/).waitFor()
  expect(problems).toEqual([])
})

test('a student sees what comes, finds passages with their words marked, and opens their page; in Arabic too', async () => {
  const { page, problems } = await openFor(browser, student, PHONE)
  await page.goto(`/desk/classes/${classId}`)
  await page.getByRole('link', { name: 'Materials', exact: true }).click()
  await page.getByText('No materials yet').waitFor()
  expect(await page.getByRole('button', { name: 'Choose files' }).count()).toBe(0)
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(SCRIPT)]), 'Analysis.pdf')
  await teacher.request('POST', `/api/v01/classes/${classId}/materials`, body, 201)
  await page.getByText(/3 pages/).waitFor()
  expect(await page.getByRole('button', { name: /^(Rename|Delete)/ }).count()).toBe(0)
  await page.getByRole('searchbox').fill('intégrals')
  const passages = page.getByRole('region', { name: 'Passages' })
  await passages.locator('mark', { hasText: 'Integrals' }).waitFor()
  const link = passages.getByRole('link', { name: 'Analysis.pdf, page 3' })
  expect(await link.getAttribute('href')).toMatch(/^\/files\/.*#page=3$/)
  await expectFlawless(page)
  await page.getByRole('searchbox').fill('xylophone')
  await passages.getByText('Nothing matches.').waitFor()

  await page.goto(`${at()}?lang=ar`)
  await page.getByRole('searchbox').fill('integrals')
  await page.locator('mark', { hasText: 'Integrals' }).waitFor()
  expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
  expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
  await expectFlawless(page)
  expect(problems).toEqual([])
})

test('during an exam that locks help they are closed, and open by themselves afterwards', async () => {
  await giveText(teacher, classId, 'Analysis', 'The derivative of a sum.')
  const { examId } = await createExam(service.sql, { lock_help: true })
  const { page, problems } = await openFor(browser, student)
  await page.goto(at())
  const link = page.getByRole('link', { name: 'Analysis' })
  await link.waitFor()
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await page.getByText('Closed during your exam').waitFor()
  expect(await link.count()).toBe(0)
  await expectFlawless(page)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  await link.waitFor()
  expect(problems).toEqual([])
})
