import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

let model: TestModel
let service: TestService
let browser: Browser
beforeAll(async () => {
  model = await startModel({ silenceMs: 60_000 })
  ;[service, browser] = await Promise.all([startService({ config: { ai: model.ai } }), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
  await model.stub.close()
})

// A question that was stopped may never have reached the model.
beforeEach(() => void model.stub.script.splice(0))

test('the first answer of a conversation stays, by the keyboard alone; what failed stays in the field', async () => {
  const person = await service.person()
  const { page, context, problems } = await openFor(browser, person)
  await page.goto('/desk/tutor')
  await page.getByRole('button', { name: 'Show me a worked example.' }).click()
  const field = page.getByLabel('Your question')
  expect(await field.inputValue()).toBe('Show me a worked example.')
  model.stub.script.push({ kind: 'status', status: 400 })
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await field.inputValue()).toBe('Show me a worked example.')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('Show me a worked example.')

  model.stub.script.push({ kind: 'answer', text: 'Take **two** steps. By $a^2 = b$ it is so.' })
  await field.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('Of momentum')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/desk\/tutor\/\d+$/)
  await page.getByText('it is so').waitFor()
  await page.locator('strong', { hasText: 'two' }).waitFor()
  await page.getByRole('link', { name: /^Show me a worked/ }).waitFor()
  await expect.poll(() => page.getByText('it is so').count()).toBe(1)
  // The new address takes nothing from who goes on typing.
  await page.keyboard.type('And then?')
  expect(await field.inputValue()).toBe('And then?')
  await expectFlawless(page)

  // Away and back: the conversation is shown from the service.
  const first = page.url()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('heading', { name: 'What would you like to understand?' }).waitFor()
  await page.locator('textarea:focus').waitFor()
  expect(await page.getByText('it is so').count()).toBe(0)
  await page.goBack()
  await page.waitForURL(first)
  await page.getByText('it is so').waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a first question that was stopped is in its conversation', async () => {
  const person = await service.person()
  const { page, context, problems } = await openFor(browser, person)
  await page.goto('/desk/tutor')
  model.stub.script.push({
    kind: 'answer',
    text: 'A long way to go from here '.repeat(20),
    hold: 2,
    until: new Promise(() => {}),
  })
  await page.getByLabel('Your question').fill('How far is it?')
  await page.keyboard.press('Enter')
  await page.getByText('A long way to go').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.waitForURL(/\/desk\/tutor\/\d+$/)
  await page.getByText('A long way to go').waitFor()
  await page.getByText('Stopped', { exact: true }).waitFor()
  const field = page.getByLabel('Your question')
  await page.keyboard.type('Shorter')
  expect(await field.inputValue()).toBe('Shorter')
  const again = page.getByRole('button', { name: 'Ask again' })
  expect(await again.count()).toBe(0)
  await field.fill('')
  await again.click()
  expect(await field.inputValue()).toBe('How far is it?')

  model.stub.script.push({ kind: 'answer', text: 'Not far.' })
  await page.keyboard.press('Enter')
  await page.getByText('Not far.').waitFor()
  expect(await page.getByText('A long way to go').count()).toBe(1)
  expect(problems).toEqual([])
  await context.close()
})

test('who leaves a first question stays where they went; it is in its conversation, or without a word in the field', async () => {
  const person = await service.person()
  const { page, context, problems } = await openFor(browser, person)
  const field = page.getByLabel('Your question')
  const list = page.getByRole('region', { name: 'Earlier conversations' })
  const asked = async (question: string) => {
    await page.goto('/desk/tutor')
    await field.fill(question)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stop' }).waitFor()
  }
  const held = (hold: number) =>
    model.stub.script.push({
      kind: 'answer',
      text: 'On and on. '.repeat(40),
      hold,
      until: new Promise(() => {}),
    })

  held(2)
  await asked('Am I called back?')
  await page.getByText('On and on.').waitFor()
  await page.getByRole('link', { name: 'Exams', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Exams' }).waitFor()
  await page.waitForTimeout(500)
  expect(new URL(page.url()).pathname).toBe('/desk/exams')
  await page.getByRole('link', { name: 'Tutor', exact: true }).click()
  await list.getByRole('link', { name: 'Am I called back?' }).click()
  await page.getByText('On and on.').waitFor()

  // Left for another conversation.
  held(2)
  await asked('And now?')
  await page.getByText('On and on.').waitFor()
  await list.getByRole('link', { name: 'Am I called back?' }).click()
  await list.getByRole('link', { name: 'And now?' }).waitFor()
  await page.getByRole('heading', { name: 'Am I called back?' }).waitFor()

  // Nothing of it is stored before the first word.
  held(0)
  await asked('Still thinking?')
  await page.getByRole('link', { name: 'Exams', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Exams' }).waitFor()
  await page.getByRole('link', { name: 'Tutor', exact: true }).click()
  expect(await field.inputValue()).toBe('Still thinking?')
  held(0)
  await asked('Still there?')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('Still there?')
  held(0)
  await asked('Not yet?')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect.poll(() => field.inputValue()).toBe('Not yet?')
  expect(new URL(page.url()).pathname).toBe('/desk/tutor')
  expect(problems).toEqual([])
  await context.close()
})

test('an earlier conversation opens at its end, where the field is', async () => {
  const person = await service.person()
  model.stub.script.push({ kind: 'answer', text: 'A line of a long answer\n\n'.repeat(60) })
  const { page, context, problems } = await openFor(browser, person)
  await page.goto('/desk/tutor')
  await page.getByLabel('Your question').fill('At length, please')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/desk\/tutor\/\d+$/)
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    await page.goto('/desk/tutor')
    await page.getByRole('link', { name: 'At length, please' }).click()
    await page.getByText('A line of a long answer').last().waitFor()
    // The bar of a phone covers the lowest 56 pixels.
    const bottom = async () => {
      const box = await page.getByLabel('Your question').boundingBox()
      return box ? box.y + box.height : Infinity
    }
    await expect.poll(bottom).toBeLessThan(viewport.height - 56)
  }
  expect(problems).toEqual([])
  await context.close()
})

test('conversations beyond the newest fifty are reached, and a deleted one comes back by undo', async () => {
  const person = await service.person()
  await service.sql`
    insert into assistant_conversations (user_id, title, message_count, updated_at)
    select ${person.id}, 'Topic ' || n, 0, now() - n * interval '1 hour' from generate_series(1, 120) as n`
  const { page, context, problems } = await openFor(browser, person)
  await page.goto('/desk/tutor')
  const list = page.getByRole('region', { name: 'Earlier conversations' })
  const older = list.getByRole('button', { name: 'Show older conversations' })
  await older.click()
  await list.getByRole('link', { name: 'Topic 100', exact: true }).waitFor()
  await older.click()
  const last = list.getByRole('link', { name: 'Topic 120', exact: true })
  await last.click()
  await page.getByRole('heading', { name: 'Topic 120' }).waitFor()
  expect(await older.count()).toBe(0)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await last.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await last.waitFor()
  expect(problems).toEqual([])
  await context.close()
})
