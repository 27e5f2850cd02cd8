import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import { makeImage } from '../support/content/images.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { connectedPair, startService, type TestService, withService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

function bubble(page: Page, text: string) {
  return page.locator('.message.sent', { hasText: text }).last()
}

function field(page: Page) {
  return page.getByLabel(/^Message to/)
}

test('people react by click and by keyboard, and both see it', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  await alice.send(conversationId, 'We passed', undefined, 201)
  const [hers, his] = [await openFor(browser, alice), await openFor(browser, bob)]
  for (const { page } of [hers, his]) await page.goto(`/desk/chat/${conversationId}`)
  await bubble(his.page, 'We passed').hover()
  await bubble(his.page, 'We passed').getByRole('button', { name: 'React' }).click()
  await his.page.getByLabel('Search emoji').fill('party popper')
  await expectFlawless(his.page)
  await his.page.getByLabel('Search emoji').press('Enter')
  const reaction = (page: Page, count: number) =>
    bubble(page, 'We passed').getByRole('button', { name: `🎉 ${count}` })
  await reaction(hers.page, 1).waitFor()
  expect(await reaction(hers.page, 1).getAttribute('title')).toBe(bob.username)
  await reaction(hers.page, 1).click()
  await reaction(his.page, 2).waitFor()
  expect(await reaction(his.page, 2).getAttribute('aria-pressed')).toBe('true')
  await reaction(his.page, 2).click()
  await reaction(hers.page, 1).waitFor()

  await bubble(his.page, 'We passed').hover()
  await bubble(his.page, 'We passed').getByRole('button', { name: 'React' }).click()
  await his.page.getByRole('button', { name: '🙏', exact: true }).click()
  await bubble(hers.page, 'We passed').getByRole('button', { name: '🙏 1' }).waitFor()

  // By the keyboard alone: from the search into the grid, one to the right, one back.
  await bubble(hers.page, 'We passed').getByRole('button', { name: 'React' }).focus()
  await hers.page.keyboard.press('Enter')
  await hers.page.getByLabel('Search emoji').waitFor()
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'Enter']) await hers.page.keyboard.press(key)
  await bubble(his.page, 'We passed').getByRole('button', { name: '👍 1' }).waitFor()
  await expectFlawless(hers.page)
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
}, 120_000)

test('on a phone a tap shows what can be done, and further taps react', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  await alice.send(conversationId, 'We passed', undefined, 201)
  const { page, context } = await openFor(browser, bob, {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  })
  await page.goto(`/desk/chat/${conversationId}`)
  const react = bubble(page, 'We passed').getByRole('button', { name: 'React' })
  const bar = await react.boundingBox()
  const text = await bubble(page, 'We passed').boundingBox()
  if (!bar || !text) throw new Error('the message is not shown')
  // Where the text and the bar that isn't there yet overlap.
  await page.touchscreen.tap(bar.x + bar.width / 2, Math.max(bar.y + bar.height - 2, text.y + 1))
  await react.tap({ trial: true })
  expect(await page.getByLabel('Search emoji').count()).toBe(0)
  await react.tap()
  await page.getByRole('button', { name: '🙏', exact: true }).tap()
  await bubble(page, 'We passed').getByRole('button', { name: '🙏 1' }).waitFor()
  await context.close()
}, 120_000)

test('files are chosen, pasted and dropped, shown while they go, and opened or saved by the other', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const [hers, his] = [await openFor(browser, alice), await openFor(browser, bob)]
  for (const { page } of [hers, his]) await page.goto(`/desk/chat/${conversationId}`)
  await field(hers.page).waitFor()
  const image = await makeImage('png', { width: 900, height: 600 })
  await hers.page.getByLabel('Files', { exact: true }).setInputFiles([
    { name: 'board.png', mimeType: 'image/png', buffer: Buffer.from(image) },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('What was on the board') },
    { name: 'talk.mp4', mimeType: 'video/mp4', buffer: Buffer.from('no film') },
  ])
  await hers.page.getByText('they may say where they were taken').waitFor()
  await hers.page.getByRole('button', { name: 'Remove talk.mp4' }).click()
  await hers.page.getByText('they may say where they were taken').waitFor({ state: 'detached' })
  await bring(hers.page, 'paste', 'pasted.txt')
  await bring(hers.page, 'drop', 'dropped.txt')
  await hers.page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor()
  await expectFlawless(hers.page)
  await field(hers.page).fill('From today')
  await field(hers.page).press('Enter')

  const received = bubble(his.page, 'From today')
  for (const name of ['notes.txt', 'pasted.txt', 'dropped.txt']) await received.getByText(name).waitFor()
  const [saved] = await Promise.all([
    his.page.waitForEvent('download'),
    received.getByRole('button', { name: 'Save' }).first().click(),
  ])
  expect(saved.suggestedFilename()).toBe('notes.txt')
  await received.getByRole('button', { name: 'board.png' }).click()
  const shown = his.page.getByRole('dialog', { name: 'board.png' }).getByRole('img')
  const width = () => shown.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth)
  await expect.poll(width).toBe(900)
  await expectFlawless(his.page)
  await his.page.keyboard.press('Escape')
  await shown.waitFor({ state: 'detached' })
  await expectFlawless(his.page)
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
}, 120_000)

test('an upload shows how far it is, and ends when it is cancelled', async () => {
  const { alice, conversationId } = await connectedPair(service)
  const { page, context, problems } = await openFor(browser, alice)
  await page.goto(`/desk/chat/${conversationId}`)
  await field(page).waitFor()
  await page.route('**/attachments', () => {})
  await page
    .getByLabel('Files', { exact: true })
    .setInputFiles({ name: 'slow.txt', mimeType: 'text/plain', buffer: Buffer.from('slow') })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
  // What is written meanwhile doesn't wait for it.
  await field(page).fill('Meanwhile')
  await field(page).press('Enter')
  await bubble(page, 'Meanwhile').waitFor()
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('slow.txt').waitFor({ state: 'detached' })
  const { messages } = (await alice.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body
  expect(messages.map(({ message }) => message)).toEqual(['Meanwhile'])
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('short lines in a row look sent at once, with a clock until it is their turn, and none fails', async () => {
  const paced = await withService({ config: { chat: { sendIntervalMs: 2_000 } } })
  const { alice, conversationId } = await connectedPair(paced)
  const { page, context, problems } = await openFor(browser, alice)
  await page.goto(`/desk/chat/${conversationId}`)
  const lines = ['So', 'as I', 'was', 'saying']
  for (const line of lines) {
    await field(page).fill(line)
    await field(page).press('Enter')
  }
  const last = page.locator('.message.mine', { hasText: 'saying' })
  await last.getByTitle('waiting to be sent').waitFor()
  // It offers nothing of its own: that is for those that failed.
  expect(await last.locator('.actions.always').count()).toBe(0)
  await expectFlawless(page)
  await bubble(page, 'saying').waitFor()
  expect(await page.locator('.message.failed').count()).toBe(0)
  const { messages } = (await alice.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body
  expect(messages.map(({ message }) => message)).toEqual(lines)
  const times = messages.map(({ created_at }) => Date.parse(created_at))
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  // The service says whole seconds.
  for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(2_000)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('names are mentioned behind letters of scripts without blanks, full stops and underscores, not in code and links', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { page, context, problems } = await openFor(browser, alice)
  await page.goto(`/desk/chat/${conversationId}`)
  const name = bob.username
  const cases: [string, boolean][] = [
    [`見て@${name}さん`, true],
    [`ดูนี่@${name}`, true],
    [`Done.@${name}.`, true],
    [`_@${name}_ and all`, true],
    [`\`x\` @${name} \`y\``, true],
    [`me@${name}`, false],
    [`\`@${name}\``, false],
    [`\`\`\`js\n@${name}\n\`\`\``, false],
    [`https://example.org/@${name}`, false],
    [`[to @${name}](https://example.org)`, false],
  ]
  for (const [text] of cases) {
    await field(page).fill(text)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => field(page).inputValue()).toBe('')
  }
  await expect.poll(() => page.locator('.message.sent').count()).toBe(cases.length)
  const path = `/api/v01/chat/conversations/${conversationId}/messages` as const
  const { messages } = (await bob.get(path, 200)).body
  expect(messages.map(({ message, mentions }) => [message, mentions.length > 0])).toEqual(cases)
  // In an address nobody is suggested, so Enter sends it.
  await field(page).pressSequentially(`見https://example.org/@${name.slice(0, 4)}`)
  expect(await page.getByRole('option').count()).toBe(0)
  await field(page).fill('')
  await field(page).pressSequentially(`見@${name.slice(0, 4)}`)
  await page.getByRole('option', { name }).waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('an @ completes to a member, who sees that they are meant, in a muted conversation too', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const [hers, his] = [await openFor(browser, alice), await openFor(browser, bob)]
  await his.page.goto(`/desk/chat/${conversationId}`)
  await his.page.getByRole('button', { name: 'Options' }).click()
  await his.page.getByRole('button', { name: 'For an hour' }).click()
  await his.page.getByText(/^Muted until/).waitFor()
  await expectFlawless(his.page)
  await his.page.goto('/desk/chat')
  await hers.page.goto(`/desk/chat/${conversationId}`)
  await field(hers.page).pressSequentially(`Can you help, @${bob.username.slice(0, 4)}`)
  await hers.page.getByRole('option', { name: bob.username }).waitFor()
  await expectFlawless(hers.page)
  await field(hers.page).press('Enter')
  expect(await field(hers.page).inputValue()).toBe(`Can you help, @${bob.username} `)
  await field(hers.page).press('Enter')
  await bubble(hers.page, 'Can you help').waitFor()
  const row = his.page.getByRole('link', { name: new RegExp(alice.username) })
  await row.getByTitle('You are mentioned').waitFor()
  await row.getByTitle('muted').waitFor()
  await expectFlawless(his.page)
  expect((await bob.get('/api/v01/chat/unread', 200)).body).toMatchObject({ unread: 0, mentions: 1 })
  await row.click()
  await his.page.locator('.message.mentioning', { hasText: 'Can you help' }).waitFor()
  expect([...hers.problems, ...his.problems]).toEqual([])
  await Promise.all([hers.context.close(), his.context.close()])
}, 120_000)

test('a search leads to a message in its place, and a quotation to what it quotes; then back to the latest', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const ids: number[] = []
  for (let number = 1; number <= 260; number++) {
    const text = number === 40 ? 'The Brückenkurs begins at nine' : `Line ${number}`
    ids.push((await alice.send(conversationId, text, undefined, 201)).body.message.id)
  }
  const path = `/api/v01/chat/conversations/${conversationId}/messages` as const
  await alice.post(path, { message: 'As I said', reply_to_id: ids[9] ?? 0 }, 201)
  await bob.post(`/api/v01/chat/conversations/${conversationId}/read`, {}, 200)
  const { page, context, problems } = await openFor(browser, bob)
  await page.goto(`/desk/chat/${conversationId}`)
  await bubble(page, 'As I said').waitFor()
  await page.getByLabel('Search chat').fill('bruckenk')
  const found = page.getByRole('region', { name: 'Messages' }).getByRole('link')
  await found.waitFor()
  expect(await found.locator('mark').textContent()).toBe('Brückenk')
  await expectFlawless(page)
  await found.click()
  await page.locator('.message.sought', { hasText: 'begins at nine' }).waitFor()
  await expect.poll(() => isInSight(page, 'begins at nine')).toBe(true)
  expect(await page.getByRole('log').getByText('As I said').count()).toBe(0)
  expect(new URL(page.url()).search).toBe('')

  // From there one scrolls on to the newest without a hole.
  await page.getByRole('log').hover()
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 2_000)
        return isInSight(page, 'As I said')
      },
      { interval: 50 },
    )
    .toBe(true)
  await bubble(page, 'As I said')
    .getByRole('button', { name: /Line 10/ })
    .click()
  await expect.poll(() => isInSight(page, /^Line 10$/)).toBe(true)
  await page.getByRole('button', { name: 'To the latest ↓' }).click()
  await expect.poll(() => isInSight(page, 'As I said')).toBe(true)

  await page.getByLabel('Search chat').fill('nobody wrote this')
  await page.getByText('Nobody has written that').waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 180_000)

test('on a phone the name of a room can be read, and a closed dialog gives the focus back', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  await service.sql`update users set full_name = 'Bartholomew Featherstone' where id = ${bob.id}`
  const { page, context, problems } = await openFor(browser, alice, { viewport: { width: 390, height: 844 } })
  await page.goto(`/desk/chat/${conversationId}`)
  const name = page.getByRole('heading', { name: 'Bartholomew Featherstone' })
  await name.waitFor()
  expect((await name.boundingBox())?.width).toBeGreaterThan(120)
  await expectFlawless(page)
  for (const dialog of ['Options', 'Disconnect or block'])
    for (const way of ['Close', 'Escape']) {
      const opener = page.getByRole('button', { name: dialog, exact: true }).last()
      await opener.press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor()
      if (way === 'Escape') await page.keyboard.press('Escape')
      else await page.getByRole('dialog').getByRole('button', { name: 'Close' }).press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await expect
        .poll(() => opener.evaluate((element) => element === element.ownerDocument.activeElement))
        .toBe(true)
    }
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByRole('heading', { name: 'Chat' }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('conversations are pinned to the top, and archived ones come back with the next message', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { page, context, problems } = await openFor(browser, bob)
  await page.goto(`/desk/chat/${conversationId}`)
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByRole('button', { name: 'Pin to the top' }).click()
  await page.getByRole('button', { name: 'Unpin' }).waitFor()
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.getByRole('button', { name: 'Unarchive' }).waitFor()
  await page.keyboard.press('Escape')
  const row = page.getByRole('link', { name: new RegExp(alice.username) })
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Archived (1)' }).click()
  await row.getByTitle('pinned').waitFor()
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Archived (1)' }).click()
  await alice.send(conversationId, 'Are you back?', undefined, 201)
  await row.waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

/** Whether a message is between the upper and the lower end of the list. */
async function isInSight(page: Page, text: string | RegExp): Promise<boolean> {
  const place = await page
    .getByRole('log')
    .getByRole('article')
    .filter({ has: page.getByText(text) })
    .last()
    .boundingBox({ timeout: 1_000 })
    .catch(() => null)
  const frame = await page.getByRole('log').boundingBox()
  return !!place && !!frame && place.y >= frame.y && place.y + place.height <= frame.y + frame.height
}

/** Brings a text file as the clipboard or the mouse do. */
async function bring(page: Page, how: 'paste' | 'drop', name: string): Promise<void> {
  const data = await page.evaluateHandle((given) => {
    const { DataTransfer, File } = globalThis as unknown as {
      DataTransfer: new () => { items: { add(file: unknown): void } }
      File: new (parts: string[], name: string, options: object) => unknown
    }
    const transfer = new DataTransfer()
    transfer.items.add(new File([given], given, { type: 'text/plain' }))
    return transfer
  }, name)
  const place = how === 'paste' ? field(page) : page.getByRole('log')
  if (how === 'drop') await place.dispatchEvent('drop', { dataTransfer: data })
  else await place.evaluate(pasteInto, data)
}

function pasteInto(target: unknown, clipboardData: unknown): void {
  const { ClipboardEvent } = globalThis as unknown as {
    ClipboardEvent: new (type: string, options: object) => unknown
  }
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
  ;(target as { dispatchEvent(event: unknown): void }).dispatchEvent(event)
}
