import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, openFor, openPage, signIn } from '../support/browser.ts'
import { type Client, PASSWORD } from '../support/client.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { connect, connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

async function write(page: Page, text: string) {
  await page.getByLabel(/^Message to/).fill(text)
  await page.getByLabel(/^Message to/).press('Enter')
  await bubble(page, text).waitFor()
}

function bubble(page: Page, text: string) {
  return page.locator('.message.sent', { hasText: text }).last()
}

/** Confirms in the desk's dialog. */
async function agree(page: Page, verb: string) {
  await page.locator('dialog.question').getByRole('button', { name: verb, exact: true }).click()
}

test('members of a group write, reply, edit and delete; its owner renames it, adds and removes people', async () => {
  const { alice, bob } = await connectedPair(service)
  const carol = await service.person()
  const former = await service.person()
  await connect(alice, carol)
  await connect(alice, former)
  await former.put(`/api/v01/chat/blocks/${alice.id}`, undefined, 200)
  const [hers, his] = [await openFor(browser, alice), await openFor(browser, bob)]
  await hers.page.goto('/desk/chat')
  await hers.page.getByRole('button', { name: 'New group' }).click()
  await hers.page.getByLabel('Name', { exact: true }).fill('The night before')
  await hers.page.getByRole('checkbox', { name: bob.username }).check()
  await hers.page.getByRole('button', { name: 'Create the group' }).click()
  await hers.page.getByRole('heading', { name: 'The night before' }).waitFor()
  await write(hers.page, 'Who knows the third one?')

  await his.page.goto('/desk/chat')
  await his.page.getByRole('link', { name: /The night before/ }).click()
  await bubble(his.page, 'the third one').hover()
  await bubble(his.page, 'the third one').getByRole('button', { name: 'Reply' }).click()
  await his.page.getByText(`Reply to ${alice.username}`).waitFor()
  await expectFlawless(his.page)
  await write(his.page, 'It is 42')
  await bubble(hers.page, 'It is 42').locator('.quote', { hasText: 'Who knows' }).waitFor()

  await bubble(his.page, 'It is 42').hover()
  await bubble(his.page, 'It is 42').getByRole('button', { name: 'Edit' }).click()
  const field = his.page.getByLabel(/^Message to/)
  expect(await field.inputValue()).toBe('It is 42')
  await field.press('Escape')
  await his.page.getByText('Editing').waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('')
  await bubble(his.page, 'It is 42').hover()
  await bubble(his.page, 'It is 42').getByRole('button', { name: 'Edit' }).click()
  await field.fill('It is surely 42')
  await his.page.reload()
  await bubble(his.page, 'It is 42').hover()
  await bubble(his.page, 'It is 42').getByRole('button', { name: 'Edit' }).click()
  await expect.poll(() => field.inputValue()).toBe('It is surely 42')
  await write(his.page, 'It is 43')
  await bubble(hers.page, 'It is 43').getByText('edited').waitFor()
  expect(await bubble(hers.page, 'It is 42').count()).toBe(0)
  await bubble(his.page, 'It is 43').hover()
  await bubble(his.page, 'It is 43').getByRole('button', { name: 'Delete' }).click()
  await bubble(his.page, 'Deleted').waitFor()
  await his.page.getByRole('button', { name: 'Undo' }).click()
  await bubble(his.page, 'It is 43').hover()
  await bubble(his.page, 'It is 43').getByRole('button', { name: 'Delete' }).click()
  await bubble(hers.page, 'Deleted').waitFor()

  await hers.page.getByRole('button', { name: 'Members' }).click()
  const members = hers.page.getByRole('dialog')
  await members.getByLabel('Name of the group').fill('The morning after')
  await members.getByRole('button', { name: 'Rename' }).click()
  await his.page.getByRole('heading', { name: 'The morning after' }).waitFor()
  expect(await members.getByLabel('Add somebody').getByRole('option').allTextContents()).toEqual([
    carol.username,
  ])
  await members.getByLabel('Add somebody').selectOption({ label: carol.username })
  await members.getByRole('button', { name: 'Add', exact: true }).click()
  await members.getByText(`@${carol.username}`).waitFor()
  await expectFlawless(hers.page)
  await members
    .getByRole('listitem')
    .filter({ hasText: bob.username })
    .getByRole('button', { name: 'Remove' })
    .click()
  await agree(hers.page, 'Remove')
  await his.page.getByText('This conversation isn’t there').waitFor()
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
}, 120_000)

test('people find, connect with, block and unblock one another', async () => {
  const [seeker, found] = [await service.person(), await service.person()]
  const [hers, his] = [await openFor(browser, seeker), await openFor(browser, found)]
  await hers.page.goto('/desk/people')
  await hers.page.getByLabel('Username or name').fill(found.username)
  await hers.page.getByRole('button', { name: 'Connect' }).click()
  await hers.page.getByText('Asked', { exact: true }).waitFor()
  await his.page.getByRole('link', { name: /People 1/ }).click()
  await his.page.getByRole('button', { name: 'Accept' }).click()
  await his.page.getByRole('heading', { name: seeker.username }).waitFor()
  await hers.page.getByRole('link', { name: 'Write', exact: true }).waitFor()
  await write(his.page, 'Hello to you')

  await hers.page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: /Chat/ })
    .click()
  await hers.page.getByRole('link', { name: new RegExp(found.username) }).click()
  await hers.page.getByRole('button', { name: 'Disconnect or block' }).click()
  await hers.page.getByRole('button', { name: 'Block', exact: true }).click()
  await agree(hers.page, 'Block')
  await his.page.getByText('You are no longer connected: nothing can be sent or edited here').waitFor()
  const mine = his.page.getByRole('article').filter({ hasText: 'Hello to you' })
  await mine.getByRole('button', { name: 'Delete' }).waitFor({ state: 'attached' })
  expect(await mine.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  expect(await mine.locator('[dir=auto]').count()).toBe(1)
  await hers.page.goto('/desk/people')
  await hers.page.getByRole('button', { name: 'Unblock' }).click()
  await hers.page.getByRole('heading', { name: 'Blocked' }).waitFor({ state: 'detached' })
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
}, 120_000)

test('a long room opens at the first unread message, and older ones load above without moving what is read', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  for (let number = 1; number <= 260; number++)
    await alice.send(conversationId, `Line ${number}${' of some length'.repeat(number % 7)}`, undefined, 201)
  await bob.post(`/api/v01/chat/conversations/${conversationId}/read`, { up_to_seq: 120 }, 200)
  const { page, context, problems } = await openFor(browser, bob)
  await page.goto(`/desk/chat/${conversationId}`)
  // 140 are unread, which is more than one page: the first of them is visible, below its mark.
  await page.getByText('New messages', { exact: true }).waitFor()
  await expect.poll(async () => (await topLine(page)).number).toBe(121)
  const jump = page.getByRole('button', { name: /new messages ↓/ })
  await jump.click()
  await expect.poll(() => lineInSight(page, 260)).toBe(true)
  await jump.waitFor({ state: 'detached' })
  await expect.poll(async () => unreadOf(bob)).toBe(0)

  // To somebody who has scrolled up, a new message is counted, but doesn't move the others.
  const log = page.getByRole('log')
  await log.hover()
  await page.mouse.wheel(0, -2_000)
  await page.getByRole('button', { name: 'To the latest ↓' }).waitFor()
  await alice.send(conversationId, 'One more', undefined, 201)
  await page.getByRole('button', { name: '1 new message ↓' }).click()
  await expect.poll(() => bubble(page, 'One more').isVisible()).toBe(true)

  // Scrolls up to the first line: what is visible keeps its place whenever older messages load.
  let fetched = 0
  page.on('response', (response) => {
    if (response.url().includes('before=')) fetched += 1
  })
  await log.hover()
  let top = (await topLine(page)).number
  await vi.waitUntil(
    async () => {
      await page.mouse.wheel(0, -300)
      const { number } = await topLine(page)
      expect(top - number, 'lines passed by one turn of the wheel').toBeLessThan(20)
      top = number
      return number === 1
    },
    { timeout: 120_000, interval: 20 },
  )
  expect(fetched).toBeGreaterThan(0)
  expect(problems).toEqual([])
  await context.close()
}, 180_000)

test('a day begins where its reader is', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  for (const time of ['2026-01-01T22:30:00Z', '2026-01-01T23:30:00Z']) {
    const { message } = (await alice.send(conversationId, time)).body
    await service.sql`update messages set created_at = ${time} where id = ${message.id}`
  }
  const { page, context } = await openPage(browser, service.urls[0] as string, {
    timezoneId: 'Europe/Berlin',
  })
  await signIn(page, bob.username, PASSWORD)
  await page.goto(`/desk/chat/${conversationId}`)
  await bubble(page, '2026-01-01T23:30').waitFor()
  expect(await page.locator('.divider:not(.new)').allTextContents()).toEqual(['1 Jan 2026', '2 Jan 2026'])
  await context.close()
})

async function unreadOf(person: Client): Promise<number> {
  return (await person.get('/api/v01/chat/unread', 200)).body.unread
}

/** The parts of an element that are used here, since tests are checked without the types of browsers. */
interface DomElement {
  textContent: string
  querySelector(what: string): DomElement
  getBoundingClientRect(): { top: number; bottom: number }
}

/** The lines that are completely visible, from top to bottom. */
function linesInSight(page: Page): Promise<{ number: number; top: number }[]> {
  return page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: {
        querySelector(what: string): DomElement
        querySelectorAll(what: string): Iterable<DomElement>
      }
    }
    const frame = document.querySelector('.scroller').getBoundingClientRect()
    return [...document.querySelectorAll('.scroller .message')]
      .map((each) => ({ box: each.getBoundingClientRect(), text: each.querySelector('.rich').textContent }))
      .filter(({ box }) => box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1)
      .map(({ box, text }) => ({ number: Number(/Line (\d+)/.exec(text)?.[1]), top: box.top }))
      .filter(({ number }) => !Number.isNaN(number))
      .sort((one, other) => one.top - other.top)
  })
}

async function lineInSight(page: Page, number: number): Promise<boolean> {
  return (await linesInSight(page)).some((line) => line.number === number)
}

async function topLine(page: Page) {
  return vi.waitUntil(async () => (await linesInSight(page))[0], { timeout: PATIENCE_MS })
}
