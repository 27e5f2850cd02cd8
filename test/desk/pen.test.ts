import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { addPage, createNotebook, objectsOf } from '../support/content/notes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

const PAPER_IN_SIGHT = { width: 1280, height: 1500 }

type Place = [x: number, y: number]

/** A page of notes with a pen and a hand over it: places are those of the paper's own 1200 × 1600 units. */
async function openPaper(person: Client) {
  const notebookId = await createNotebook(person)
  const pageId = await addPage(person, notebookId)
  const { page, context, problems } = await openFor(browser, person, {
    hasTouch: true,
    viewport: PAPER_IN_SIGHT,
  })
  await page.goto(`/desk/notes/${notebookId}/${pageId}`)
  const paper = page.locator('svg.paper')
  await paper.waitFor()
  const session = await context.newCDPSession(page)
  const pen = (type: PenEvent, place: Place, force = 0.5) => movePen(session, page, type, place, force)
  const hand = (type: TouchEvent, place?: Place) => moveHand(session, page, type, place)
  const marks = () => paper.getAttribute('aria-label')
  const tool = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const stored = async () => {
    await page.getByText('Saved', { exact: true }).waitFor()
    return objectsOf(person, pageId)
  }
  return { page, context, problems, pen, hand, marks, tool, stored }
}

type PenEvent = 'mousePressed' | 'mouseMoved' | 'mouseReleased'
type TouchEvent = 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel'

async function toScreen(page: Page, [x, y]: Place): Promise<{ x: number; y: number }> {
  const box = await page.locator('svg.paper').boundingBox()
  if (!box) throw new Error('there is no paper')
  return { x: box.x + (x / 1200) * box.width, y: box.y + (y / 1600) * box.height }
}

async function movePen(session: CDPSession, page: Page, type: PenEvent, place: Place, force: number) {
  await session.send('Input.dispatchMouseEvent', {
    type,
    ...(await toScreen(page, place)),
    button: 'left',
    buttons: type === 'mouseReleased' ? 0 : 1,
    clickCount: 1,
    pointerType: 'pen',
    force,
  })
}

async function moveHand(session: CDPSession, page: Page, type: TouchEvent, place?: Place) {
  const touchPoints = place ? [{ ...(await toScreen(page, place)), radiusX: 30, radiusY: 30, id: 7 }] : []
  await session.send('Input.dispatchTouchEvent', { type, touchPoints })
}

/** How thick each horizontal stroke is drawn. */
const thicknesses = (page: Page) =>
  page
    .locator('svg.paper > path')
    .evaluateAll((all) => all.map((each) => (each as unknown as Path).getBBox().height))
interface Path {
  getBBox(): { height: number }
}

test('a pen that is pressed draws a thicker stroke, which stays so', async () => {
  const person = await service.person()
  const { page, context, problems, pen, marks, stored } = await openPaper(person)
  for (const [y, force] of [
    [200, 0.1],
    [400, 0.9],
  ] as const) {
    await pen('mousePressed', [100, y], force)
    for (const x of [150, 200, 250, 300]) await pen('mouseMoved', [x, y], force)
    await pen('mouseReleased', [300, y], 0)
  }
  await expect.poll(marks).toBe('A page with 2 marks')
  const [light = 0, firm = 0] = await thicknesses(page)
  expect(firm).toBeGreaterThan(2 * light)
  const pressures = (await stored()).map((each) => each.pressures as number[])
  expect(pressures.map((all) => all.map((each) => Math.round(each * 10) / 10))).toEqual([
    [0.1, 0.1, 0.1, 0.1, 0.1],
    [0.9, 0.9, 0.9, 0.9, 0.9],
  ])
  await page.reload()
  await expect.poll(() => thicknesses(page)).toEqual([light, firm])
  expect(problems).toEqual([])
  await context.close()
})

test('a hand that rests on the page while a pen is used draws, ends and erases nothing', async () => {
  const person = await service.person()
  const { context, problems, pen, hand, marks, tool, stored } = await openPaper(person)
  const ys = async () =>
    (await stored()).map((each) => (each.points as number[]).filter((_value, index) => index % 2 === 1))

  // It comes before the pen, moves under it, and leaves before it.
  await hand('touchStart', [600, 900])
  await hand('touchMove', [700, 1000])
  await pen('mousePressed', [100, 200])
  await pen('mouseMoved', [200, 200])
  await hand('touchMove', [800, 1100])
  await pen('mouseMoved', [300, 200])
  await hand('touchEnd')
  await pen('mouseMoved', [400, 200])
  await pen('mouseReleased', [400, 200])
  await expect.poll(marks).toBe('A page with 1 mark')
  await expect.poll(ys).toEqual([[200, 200, 200, 200]])

  // It comes after the pen, and the browser takes it for something else.
  await pen('mousePressed', [100, 300])
  await hand('touchStart', [600, 900])
  await hand('touchMove', [700, 1000])
  await pen('mouseMoved', [200, 300])
  await hand('touchCancel')
  await pen('mouseMoved', [300, 300])
  await pen('mouseReleased', [300, 300])
  await expect.poll(marks).toBe('A page with 2 marks')
  await expect.poll(ys).toEqual([
    [200, 200, 200, 200],
    [300, 300, 300],
  ])

  // It rests between two strokes, and where something would be erased.
  const rest = async () => {
    await hand('touchStart', [200, 200])
    await hand('touchMove', [300, 260])
    await hand('touchEnd')
  }
  await rest()
  await tool('Erase')
  await rest()
  await tool('Move')
  expect(await marks()).toBe('A page with 2 marks')
  await tool('Erase')
  await pen('mousePressed', [200, 200])
  await pen('mouseReleased', [200, 200])
  await expect.poll(marks).toBe('A page with 1 mark')
  // A finger still moves what a pen wrote.
  await tool('Move')
  await hand('touchStart', [200, 300])
  await hand('touchMove', [200, 350])
  await hand('touchMove', [200, 400])
  await hand('touchEnd')
  await expect.poll(ys).toEqual([[400, 400, 400]])
  expect(problems).toEqual([])
  await context.close()
})

test('without a pen a finger draws', async () => {
  const person = await service.person()
  const { context, problems, hand, marks, stored } = await openPaper(person)
  await hand('touchStart', [100, 200])
  await hand('touchMove', [150, 200])
  await hand('touchMove', [200, 200])
  await hand('touchEnd')
  await expect.poll(marks).toBe('A page with 1 mark')
  expect((await stored())[0]).toMatchObject({ points: [100, 200, 150, 200, 200, 200] })
  expect((await stored())[0]).not.toHaveProperty('pressures')
  expect(problems).toEqual([])
  await context.close()
})
