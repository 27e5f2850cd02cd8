import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'
import { listCaches, waitForWorker } from '../support/sitting.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('the desk is in the language that the browser asks for, then in the one that the person chooses', async () => {
  const person = await service.person()
  const { page, problems } = await openPage(browser, service.urls[0] as string, { locale: 'de-AT' })
  const language = () => page.evaluate('document.documentElement.lang')
  await page.goto('/login')
  await page.locator('[name=username]').fill(person.username)
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('[type=submit], form button').first().click()
  await page.waitForURL('/')
  expect(await language()).toBe('de')
  await waitForWorker(page)
  expect(await listCaches(page)).toEqual([expect.stringMatching(/^desk-shell-\w+-de$/)])
  await page.goto('/desk/account')
  await page.locator('select[name=language]').selectOption('ar')
  await Promise.all([
    page.waitForEvent('load'),
    page.locator('form:has([name=language]) [type=submit]').click(),
  ])
  await page.locator('select[name=language]').waitFor()
  expect(await language()).toBe('ar')
  expect(await page.locator('select[name=language]').inputValue()).toBe('ar')
  // What opens without the service is in that language too.
  await expect.poll(() => listCaches(page)).toEqual([expect.stringMatching(/^desk-shell-\w+-ar$/)])
  expect(problems).toEqual([])
})
