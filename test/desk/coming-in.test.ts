import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
let examId: number
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  ;({ examId } = await createExam(service.sql, { name: 'Where a link leads' }))
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('a link to an exam leads there after the sign-in', async () => {
  const { username } = await service.person()
  const { page, context, problems } = await openPage(browser, service.urls[0] as string)
  await page.goto(`/exam/${examId}`)
  expect(new URL(page.url()).pathname).toBe('/login')
  // A wrong password on the way does not lose the address.
  await page.getByLabel('Username or e-mail address').fill(username)
  await page.getByLabel('Password', { exact: true }).fill('not this one')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Where a link leads' }).waitFor()
  await page.getByRole('button', { name: 'Start the exam' }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a link to an exam leads there after creating an account', async () => {
  const { page, context } = await openPage(browser, service.urls[0] as string)
  await page.goto(`/exam/${examId}`)
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Username', { exact: true }).fill('comes.new')
  await page.getByLabel('E-mail address').fill('comes.new@example.org')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Where a link leads' }).waitFor()
  // Without a conversation, a phone too says how to get one.
  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto('/desk/chat')
  await page.getByRole('link', { name: 'Find somebody' }).waitFor()
  await context.close()
})

test('an ended web session does not send people with good tokens to the sign-in, a sign-out does', async () => {
  const person = await service.person()
  const { page, context } = await openPage(browser, service.urls[0] as string)
  await signIn(page, person.username, PASSWORD)
  await context.clearCookies({ name: 'session' })
  await page.goto('/')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.goto(`/exam/${examId}`)
  await page.getByRole('heading', { level: 1, name: 'Where a link leads' }).waitFor()

  await page.goto('/desk/account')
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.waitForURL('**/login')
  await page.goto('/')
  expect(new URL(page.url()).pathname).toBe('/login')
  await context.close()
})

test('nothing that somebody typed or saw is left in the browser once they have signed out', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { page, context, problems } = await openPage(browser, service.urls[0] as string)
  await signIn(page, alice.username, PASSWORD)
  await page.goto(`/desk/chat/${conversationId}`)
  await page.getByRole('textbox', { name: 'Message' }).fill('between us')
  const kept = async () => JSON.stringify(await page.evaluate('({ ...localStorage })'))
  await expect.poll(kept).toContain('between us')
  await page.goto('/desk/account')
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.waitForURL('**/login')
  expect(await kept()).toBe('{}')
  await signIn(page, bob.username, PASSWORD)
  expect(await kept()).not.toContain('between us')
  expect(problems).toEqual([])
  await context.close()
})
