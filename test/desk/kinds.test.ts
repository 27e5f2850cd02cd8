import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createExamOfKinds } from '../support/content/kinds.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 844 } }
const IS_TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

let service: TestService
let browser: Browser
let examId: number
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  ;({ examId } = await createExamOfKinds(await service.admin()))
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

/** Opens an attempt at the exam with a question of each kind. */
async function begin(options: Parameters<Browser['newContext']>[0] = {}) {
  const person = await service.person()
  const opened = await openFor(browser, person, options)
  await opened.page.goto(`/desk/exams/${examId}`)
  await opened.page.getByRole('button', { name: 'Start the exam' }).click()
  await opened.page.getByRole('heading', { name: 'Question 1 of 8' }).waitFor()
  return { person, ...opened }
}

/** What is stored of the attempt, in the order of the paper. */
async function readAnswers(person: Client) {
  const { questions, answers } = (await person.get(`/api/v01/exams/${examId}/paper` as const, 200)).body
  return questions.map(({ id }) => answers[id])
}

async function next(page: Page, number: number) {
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('heading', { name: `Question ${number} of 8` }).waitFor()
}

/** The part of an element that is used here; tests are checked without the types of browsers. */
interface Element {
  ownerDocument: { activeElement: Element }
}
const hasFocus = (control: Locator) =>
  control.evaluate((element: Element) => element.ownerDocument.activeElement === element)

/** Goes through the controls with the Tab key until one has the focus. */
async function tabTo(page: Page, control: Locator) {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await hasFocus(control)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the control is not reached with Tab')
}

const itemsOf = (page: Page) => page.locator('.ordering .rich').allTextContents()

/** The end of every walk: all was right, and the review says so and why. */
async function handIn(page: Page) {
  await page.getByText('All answers saved').waitFor()
  await page.getByRole('button', { name: 'Hand in' }).click()
  await page.getByText('8 of 8 questions answered').waitFor()
  await page.getByRole('button', { name: 'Hand in now' }).click()
  await page.getByRole('link', { name: 'Review the answers' }).click()
  await page.getByText('A meadow is full of it.').waitFor()
  expect(await page.locator('article h2 + .row > .chip').allTextContents()).toEqual(Array(8).fill('Correct'))
  expect(await page.locator('.explanation').count()).toBe(8)
}

test('every kind is answered by the keyboard alone, and the review shows answers, key and explanation', async () => {
  const { page, context, problems, person } = await begin()
  await page.keyboard.press('b')
  await page.keyboard.press('n')
  await page.getByText('Which are even?').waitFor()
  await page.keyboard.press('b')
  await page.keyboard.press('e')
  await page.keyboard.press('n')
  await tabTo(page, page.getByLabel('Your answer'))
  await page.keyboard.type('3,14')
  const answered = page.getByRole('button', { name: 'Question 3, answered' })
  await answered.waitFor()
  // What the service will not read is not counted.
  await page.keyboard.type('o')
  await page.locator('small.warn', { hasText: 'would count as unanswered' }).waitFor()
  await page.getByRole('button', { name: 'Question 3, not answered' }).waitFor()
  await page.getByText('2 answered', { exact: true }).waitFor()
  await page.keyboard.press('Backspace')
  await answered.waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Next' }))
  await page.keyboard.press('Enter')
  await page.getByText('What is green').waitFor()
  await tabTo(page, page.getByLabel('Your answer'))
  await page.keyboard.type(' Grass')
  await tabTo(page, page.getByRole('button', { name: 'Next' }))
  await page.keyboard.press('Enter')

  await page.getByText('Where do they stand?').waitFor()
  for (const [prompt, city] of [
    ['Eiffel Tower', 'Paris'],
    ['Colosseum', 'Rome'],
  ] as const) {
    const select = page.getByLabel(prompt)
    await tabTo(page, select)
    const place = await select.locator('option').allTextContents()
    const at = place.findIndex((text) => text.endsWith(city))
    for (let presses = 0; presses < at; presses += 1) await page.keyboard.press('ArrowDown')
    await expect.poll(() => select.locator('option:checked').textContent()).toContain(city)
  }
  await expectFlawless(page)
  await tabTo(page, page.getByRole('button', { name: 'Next' }))
  await page.keyboard.press('Enter')

  await page.getByText('From small to large').waitFor()
  for (const [place, animal] of ['ant', 'cat', 'cow', 'whale'].entries()) {
    const grip = page.getByRole('button', { name: `Move ${animal}` })
    await tabTo(page, grip)
    for (let at = (await itemsOf(page)).indexOf(animal); at > place; at -= 1) {
      await page.keyboard.press('ArrowUp')
      await expect.poll(async () => (await itemsOf(page))[at - 1]).toBe(animal)
      expect(await hasFocus(grip)).toBe(true)
    }
  }
  if (await page.getByRole('button', { name: 'Answer with this order' }).isVisible())
    await page.getByRole('button', { name: 'Answer with this order' }).press('Enter')
  expect(await itemsOf(page)).toEqual(['ant', 'cat', 'cow', 'whale'])
  await expectFlawless(page)
  await tabTo(page, page.getByRole('button', { name: 'Next' }))
  await page.keyboard.press('Enter')

  await page.getByText('Roses are').waitFor()
  await tabTo(page, page.getByLabel('Gap 1'))
  await page.keyboard.type('Red')
  await tabTo(page, page.getByLabel('Gap 2'))
  await page.keyboard.type('bl')
  await tabTo(page, page.getByLabel('Gap 3'))
  await page.keyboard.type('4e')
  await page.getByText('Gap 3 doesn’t read as a number yet').waitFor()
  await page.keyboard.type('0')
  // The mark of the fourth one is within a formula: its field stands below the text.
  await tabTo(page, page.getByLabel('Gap 4'))
  await page.keyboard.type('y')
  await expectFlawless(page)
  await tabTo(page, page.getByRole('button', { name: 'Next' }))
  await page.keyboard.press('Enter')

  await page.getByText('How far does it fall').waitFor()
  await tabTo(page, page.getByLabel('Your answer'))
  await page.keyboard.type('\\frac12g t')
  await page.locator('.formula-read .katex').waitFor()
  const written = page.getByRole('button', { name: 'Question 8, answered' })
  await written.waitFor()
  // Half a formula doesn't take the place of a whole one while it is typed.
  await page.keyboard.type('^')
  await page.locator('small.warn', { hasText: 'would count as unanswered' }).waitFor()
  await page.getByText('All answers saved').waitFor()
  expect((await readAnswers(person))[7]).toBe('\\frac12g t')
  await page.keyboard.type('2')
  await expect.poll(async () => (await readAnswers(person))[7]).toBe('\\frac12g t^2')
  await expectFlawless(page)
  await handIn(page)
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('on a phone every kind is answered by touch, and nothing is wider than the screen', async () => {
  const { page, context, problems, person } = await begin({ ...PHONE, hasTouch: true, isMobile: true })
  const touch = await context.newCDPSession(page)
  /** A finger moves from one thing to another. */
  async function drag(from: Locator, to: Locator) {
    await from.scrollIntoViewIfNeeded()
    const [start, end] = await Promise.all([centreOf(from), centreOf(to)])
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [start] })
    for (const part of [0.3, 0.6, 1]) {
      const point = { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] })
    }
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  }
  const fits = async () => expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
  await page.getByRole('radio', { name: 'B', exact: false }).tap()
  await fits()
  await next(page, 2)
  await page.getByRole('checkbox', { name: /^B/ }).tap()
  await page.getByRole('checkbox', { name: /^E/ }).tap()
  await next(page, 3)
  await page.getByLabel('Your answer').fill('3.14')
  await next(page, 4)
  await page.getByLabel('Your answer').fill('grass')
  await fits()
  await next(page, 5)
  for (const [prompt, city] of [
    ['Eiffel Tower', 'Paris'],
    ['Colosseum', 'Rome'],
  ] as const) {
    await drag(
      page.locator('.pick', { hasText: city }).locator('.grip'),
      page.locator('.prompt', { hasText: prompt }),
    )
    await expect.poll(() => page.getByLabel(prompt).locator('option:checked').textContent()).toContain(city)
  }
  await fits()
  await expectFlawless(page)
  await next(page, 6)
  for (const [place, animal] of ['ant', 'cat', 'cow', 'whale'].entries()) {
    const row = page.locator('.ordering > li', { hasText: animal })
    if ((await itemsOf(page)).indexOf(animal) !== place)
      await drag(row.locator('.grip'), page.locator('.ordering > li').nth(place))
    await expect.poll(async () => (await itemsOf(page)).indexOf(animal)).toBe(place)
  }
  const asItIs = page.getByRole('button', { name: 'Answer with this order' })
  if (await asItIs.isVisible()) await asItIs.tap()
  await fits()
  await next(page, 7)
  await page.getByLabel('Gap 1').fill('crimson')
  await page.getByLabel('Gap 2').selectOption('blue')
  await page.getByLabel('Gap 3').fill('4')
  await page.getByLabel('Gap 4').fill('Y')
  await fits()
  await next(page, 8)
  const typed = page.getByLabel('Your answer')
  await typed.fill('gt')
  await page.getByRole('button', { name: 'x²' }).click()
  await expect.poll(() => typed.inputValue()).toBe('gt^2')
  await page.getByRole('button', { name: '/', exact: true }).click()
  await expect.poll(() => typed.inputValue()).toBe('gt^2/')
  expect(await hasFocus(typed)).toBe(true)
  await page.keyboard.type('2')
  await page.locator('.formula-read .katex').waitFor()
  await fits()
  await expect.poll(async () => (await readAnswers(person)).includes(undefined)).toBe(false)
  await handIn(page)
  await fits()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('choices and items are dragged by the mouse, and what is chosen by a list is what is dragged', async () => {
  const { page, context, problems, person } = await begin()
  await page.getByRole('button', { name: 'Question 5' }).click()
  const prompt = page.locator('.prompt', { hasText: 'Colosseum' })
  await dragByMouse(page, page.locator('.pick', { hasText: 'Oslo' }), prompt)
  await expect
    .poll(() => page.getByLabel('Colosseum').locator('option:checked').textContent())
    .toContain('Oslo')
  await page.getByLabel('Colosseum').selectOption('')
  await page.getByText('All answers saved').waitFor()
  await expect.poll(() => readAnswers(person)).toEqual(Array(8).fill(undefined))
  await page.getByRole('button', { name: 'Question 6' }).click()
  const before = await itemsOf(page)
  await dragByMouse(page, page.locator('.ordering > li').first(), page.locator('.ordering > li').last())
  await expect.poll(() => itemsOf(page)).toEqual([...before.slice(1), before[0]])
  await page.getByLabel(`Place of ${before[0]}`).selectOption('1')
  await expect.poll(() => itemsOf(page)).toEqual(before)
  // Called off, and dropped nowhere: all stays.
  await page.mouse.move(0, 0)
  await dragByMouse(page, page.locator('.ordering > li').first(), page.getByRole('heading', { level: 1 }))
  expect(await itemsOf(page)).toEqual(before)
  // Another device gets the same order.
  const again = await openFor(browser, person)
  await again.page.goto(`/desk/exams/${examId}`)
  await again.page.getByRole('button', { name: 'Question 6' }).click()
  await expect.poll(() => itemsOf(again.page)).toEqual(before)
  expect([...problems, ...again.problems]).toEqual([])
  await again.context.close()
  await context.close()
}, 120_000)

async function dragByMouse(page: Page, from: Locator, to: Locator) {
  const [start, end] = await Promise.all([centreOf(from), centreOf(to)])
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2)
  await page.mouse.move(end.x, end.y)
  await page.mouse.up()
}

async function centreOf(element: Locator): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox()
  if (!box) throw new Error('it is not shown')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
