import type { Browser, Page } from 'playwright-core'
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

/** A page of notes with strokes at these heights, on two devices of one person. */
async function openTwice(heights: number[]) {
  const person = await service.person()
  const notebookId = await createNotebook(person)
  const pageId = await addPage(person, notebookId)
  const objects = heights.map((y) => stroke(`at ${y}`, y))
  await person.post(`/api/v01/pages/${pageId}/sync`, { objects, start_index: 0 }, 200)
  const open = async () => {
    const opened = await openFor(browser, person, { viewport: { width: 1280, height: 1500 } })
    await opened.page.goto(`/desk/notes/${notebookId}/${pageId}`)
    await opened.page.locator('svg.paper').waitFor()
    return opened
  }
  return { person, pageId, one: await open(), other: await open() }
}

const stroke = (id: string, y: number) => ({
  id,
  kind: 'stroke',
  color: '#1d2321',
  width: 4,
  points: [100, y, 200, y, 300, y],
})

async function drag(page: Page, tool: string, ...places: [number, number][]): Promise<void> {
  await page.getByRole('button', { name: tool, exact: true }).click()
  const box = await page.locator('svg.paper').boundingBox()
  if (!box) throw new Error('there is no paper')
  for (const [at, [x, y]] of places.entries()) {
    await page.mouse.move(box.x + (x / 1200) * box.width, box.y + (y / 1600) * box.height)
    if (at === 0) await page.mouse.down()
  }
  await page.mouse.up()
}

const draw = (page: Page, y: number) => drag(page, 'Pen', [100, y], [200, y], [300, y])
const shift = (page: Page, y: number, to: number) => drag(page, 'Move', [200, y], [200, to])
const erase = (page: Page, y: number) => drag(page, 'Erase', [200, y])

const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor()

/** How far down the strokes of a page lie, to the next ten. */
async function heightsOf(person: Client, pageId: number): Promise<number[]> {
  const objects = await objectsOf(person, pageId)
  return objects
    .map(({ points }) => Math.round(((points as number[])[1] ?? 0) / 10) * 10)
    .sort((a, b) => a - b)
}
const marks = (page: Page) => page.locator('svg.paper').getAttribute('aria-label')

test('what two devices draw, move and erase on a page all stays, and nobody is asked', async () => {
  const { person, pageId, one, other } = await openTwice([200, 300, 400])
  await one.context.setOffline(true)
  await draw(one.page, 600)
  await shift(one.page, 200, 250)
  await one.page.getByText('Kept on this device').waitFor()
  await draw(other.page, 700)
  await erase(other.page, 300)
  await saved(other.page)
  await one.context.setOffline(false)
  await saved(one.page)
  await expect.poll(() => heightsOf(person, pageId)).toEqual([250, 400, 600, 700])
  expect(await marks(one.page)).toBe('A page with 4 marks')
  // What is undone is one's own.
  for (const _ of [1, 2]) await one.page.getByRole('button', { name: 'Undo', exact: true }).click()
  await saved(one.page)
  await expect.poll(() => heightsOf(person, pageId)).toEqual([200, 400, 700])

  // A device that was never away, but hasn't seen it.
  await draw(other.page, 800)
  await saved(other.page)
  await expect.poll(() => heightsOf(person, pageId)).toEqual([200, 400, 700, 800])
  expect([...one.problems, ...other.problems]).toEqual([])
  await one.context.close()
  await other.context.close()
}, 120_000)

test.each([
  ['Keep mine', 250],
  ['Keep the other device’s', 500],
])(
  'only what both devices changed is asked, and what else they did stays: %s',
  async (answer, height) => {
    const { person, pageId, one, other } = await openTwice([200, 300])
    await one.context.setOffline(true)
    await shift(one.page, 200, 250)
    await draw(one.page, 600)
    await one.page.getByText('Kept on this device').waitFor()
    await shift(other.page, 200, 500)
    await draw(other.page, 700)
    await saved(other.page)
    await one.context.setOffline(false)
    const question = one.page.getByText('A mark was changed here and on another device.')
    await question.waitFor()
    // Nothing is lost by a reload meanwhile, nor by going on.
    await one.page.reload()
    await question.waitFor()
    await draw(one.page, 800)
    await one.page.getByRole('button', { name: answer }).click()
    await saved(one.page)
    await expect
      .poll(() => heightsOf(person, pageId))
      .toEqual([height, 300, 600, 700, 800].sort((a, b) => a - b))
    expect([...one.problems, ...other.problems]).toEqual([])
    await one.context.close()
    await other.context.close()
  },
  120_000,
)

test('a save whose answer was lost is no change of another device', async () => {
  const { person, pageId, one, other } = await openTwice([200])
  await other.context.close()
  let isLost = true
  await one.page.route('**/sync', async (route) => {
    if (!isLost) return route.continue()
    await route.fetch()
    isLost = false
    await route.abort()
  })
  await shift(one.page, 200, 300)
  await one.page.getByText('Kept on this device').waitFor()
  await shift(one.page, 300, 400)
  await saved(one.page)
  expect(await heightsOf(person, pageId)).toEqual([400])
  expect(await one.page.getByRole('alert').count()).toBe(0)
  await one.context.close()
})
