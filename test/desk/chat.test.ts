import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { startProxy } from '../support/outside/proxy.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('two people chat; one who is cut off can still write, and misses nothing when the network is back', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const line = await startProxy(new URL(service.urls[0] as string))
  const [hers, his] = await Promise.all([
    openPage(browser, service.urls[0] as string),
    openPage(browser, `http://127.0.0.1:${line.port}`),
  ])
  await Promise.all([signIn(hers.page, alice.username, PASSWORD), signIn(his.page, bob.username, PASSWORD)])
  await his.page.getByRole('link', { name: /^Chat/ }).first().waitFor()

  await hers.page.goto(`/desk/chat/${conversationId}`)
  const write = async (page: typeof hers.page, text: string) => {
    await page.getByLabel(/^Message to/).fill(text)
    await page.getByLabel(/^Message to/).press('Enter')
  }
  await write(hers.page, 'Are you there?')
  // On another page of the desk he sees it in the title, on the icon and in the navigation.
  await expect.poll(() => his.page.title()).toMatch(/^\(1\) Home/)
  expect(await his.page.locator('link[rel=icon]').getAttribute('href')).toContain('unread')

  await his.page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: /Chat/ })
    .click()
  await his.page.getByRole('link', { name: new RegExp(alice.username) }).click()
  await his.page.getByText('Are you there?').last().waitFor()
  await expect.poll(() => his.page.title()).not.toMatch(/^\(/)
  await hers.page
    .locator('.message.mine', { hasText: 'Are you there?' })
    .getByText('read', { exact: false })
    .waitFor()

  await his.page.getByLabel(/^Message to/).pressSequentially('I')
  await hers.page.getByText('typing…').first().waitFor()

  line.freeze()
  await write(hers.page, 'This comes while you are away')
  await write(his.page, 'And this I wrote in a tunnel')
  await his.page
    .locator('.message', { hasText: 'in a tunnel' })
    .getByText(/waiting to be sent|sending/)
    .waitFor()
  expect(await his.page.getByText('while you are away').count()).toBe(0)
  line.thaw()
  for (const { page } of [hers, his])
    for (const text of ['while you are away', 'in a tunnel'])
      await page.locator('.message', { hasText: text }).waitFor()
  await his.page.locator('.message.sent', { hasText: 'in a tunnel' }).waitFor()
  expect(await hers.page.locator('.message', { hasText: 'in a tunnel' }).count()).toBe(1)
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
  line.close()
}, 180_000)
