import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { addPage, createNotebook, objectsOf } from '../support/content/notes.ts'
import { openExam } from '../support/practice.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

// As schools try it in their own network. Browsers keep much for secure contexts: docs/desk.md#over-plain-http.
let service: TestService
let browser: Browser
let url: string
beforeAll(async () => {
  ;[service, browser] = await Promise.all([
    startService(),
    openBrowser('--host-resolver-rules=MAP school.test 127.0.0.1'),
  ])
  url = `http://school.test:${new URL(service.urls[0] as string).port}`
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('over plain HTTP an exam is written, a message sent, and a stroke drawn whole', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { examId } = await openExam(service.sql, 1)
  const notebookId = await createNotebook(alice)
  const pageId = await addPage(alice, notebookId)
  const { page, context, problems } = await openPage(browser, url, {
    viewport: { width: 1280, height: 1500 },
  })
  await signIn(page, alice.username, PASSWORD)
  expect(await page.evaluate('isSecureContext')).toBe(false)

  await page.goto(`/desk/notes/${notebookId}/${pageId}`)
  const box = await page.locator('svg.paper').boundingBox()
  if (!box) throw new Error('there is no paper')
  await page.mouse.move(box.x + 100, box.y + 100)
  await page.mouse.down()
  for (const x of [150, 200, 250, 300]) await page.mouse.move(box.x + x, box.y + 100)
  await page.mouse.up()
  await page.getByText('Saved', { exact: true }).waitFor()
  const [stroke] = await objectsOf(alice, pageId)
  expect(stroke?.points).toHaveLength(10)

  await page.goto(`/desk/chat/${conversationId}`)
  await page.getByLabel(/^Message to/).fill('Over the school’s own network')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.message.sent', { hasText: 'own network' }).waitFor()
  await bob.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)

  await page.goto(`/desk/exams/${examId}`)
  await page.getByRole('button', { name: 'Start the exam' }).click()
  await page.getByRole('radio', { name: 'A' }).check()
  await page.getByText('All answers saved').waitFor()
  // What a tab keeps for another one is there without locks too.
  await page.reload()
  await expect.poll(() => page.getByRole('radio', { name: 'A' }).isChecked()).toBe(true)

  for (const path of ['/desk', '/desk/practice', '/desk/tutor', '/desk/account', '/desk/people']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('over plain HTTP answers that came too late can be copied', async () => {
  const person = await service.person()
  const { examId } = await openExam(service.sql, 1)
  const { page, context, problems } = await openPage(browser, url)
  await signIn(page, person.username, PASSWORD)
  await page.goto(`/desk/exams/${examId}`)
  await page.getByRole('button', { name: 'Start the exam' }).click()
  await page.getByRole('radio', { name: 'B' }).check()
  await page.getByText('All answers saved').waitFor()
  await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  await page.getByRole('radio', { name: 'C' }).check()
  await page.getByText('came too late and are not counted').waitFor()
  await page.getByRole('button', { name: 'Copy these answers' }).click()
  await page.getByText('Copied').waitFor()
  // Into any field, as into a message to the teacher.
  await page.goto('/desk/tutor')
  await page.getByLabel('Your question').focus()
  await page.keyboard.press('Control+v')
  expect(await page.getByLabel('Your question').inputValue()).toContain('Question 1: C')
  expect(problems).toEqual([])
  await context.close()
}, 120_000)
