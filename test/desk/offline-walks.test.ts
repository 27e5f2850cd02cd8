import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { random } from '../../client/test/simulation/world.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { MortalBrowser } from '../support/mortal-browser.ts'
import { startProxy } from '../support/outside/proxy.ts'
import { startService, type TestService } from '../support/service.ts'
import { Sitting, TEXTS } from '../support/sitting.ts'

/**
 * LONG_TESTS=1 takes walks, from SEED (1) on, as many as WALKS says (100). SEED alone repeats the one that a failure
 * names.
 */
const { LONG_TESTS, SEED, WALKS } = process.env
const COUNT = LONG_TESTS ? Number(WALKS ?? 100) : SEED ? 1 : 3
const SEEDS = Array.from({ length: COUNT }, (_, at) => Number(SEED ?? 1) + at)
const STEPS = 12
const LETTERS = ['A', 'B', 'C', 'D']

let service: TestService
let line: Awaited<ReturnType<typeof startProxy>>
beforeAll(async () => {
  service = await startService()
  line = await startProxy(new URL(service.urls[0] as string))
  const image = { field: 'images', name: 'lens.png', bytes: await makeImage() }
  const upload = form({ subject_folder_id: 'Optics' }, image)
  await (await service.admin()).request('POST', '/api/v01/admin/images', upload, 200)
})
afterAll(async () => {
  line.close()
  await service.close()
})

test(
  'whatever happens to page, browser and network, each answer arrives, once, and none is shown as saved before',
  async () => {
    for (const seed of SEEDS)
      await walk(seed).catch((cause: unknown) => {
        throw new Error(`the walk of SEED=${seed} failed`, { cause })
      })
  },
  60_000 * SEEDS.length,
)

async function walk(seed: number): Promise<void> {
  const chance = random(seed)
  const choose = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T
  const browser = await MortalBrowser.start()
  onTestFinished(() => browser.close())
  const begun = await Sitting.begin(service, browser, `http://127.0.0.1:${line.port}`)
  const [sitting] = begun
  let page: Page = begun[1]
  /** What the page has said to have, by question. */
  const given: (string | null)[] = TEXTS.map(() => null)

  const events: (() => Promise<unknown>)[] = [
    async () => line.unplug(),
    async () => line.plug(),
    async () => {
      await page.reload()
      await sitting.waitForExam(page)
    },
    async () => {
      await page.close()
      page = await sitting.open()
    },
    async () => {
      await browser.kill()
      await browser.restart()
      page = await sitting.open()
    },
  ]
  const answer = async () => {
    const at = Math.floor(chance() * TEXTS.length)
    await page.getByRole('button', { name: `Question ${at + 1},` }).click()
    const letter = choose(LETTERS)
    await page.getByRole('radio', { name: letter }).check()
    // From here on it is kept, whatever happens.
    await expect.poll(() => statusOf(page)).not.toBe('Saving…')
    given[at] = letter
  }
  for (let step = 0; step < STEPS; step++) {
    await (chance() < 0.5 ? answer() : choose(events)())
    if ((await statusOf(page)) === 'All answers saved')
      expect(await sitting.answersAtService(), `step ${step}`).toEqual(given)
    expect(await shownBy(page), `step ${step}`).toEqual(given.map((letter) => letter !== null))
  }
  line.plug()
  await page.getByText('All answers saved').waitFor()
  expect(await sitting.answersAtService()).toEqual(given)
  expect(await sitting.clockErrorMs(page, Date.now)).toBeLessThan(2_000)
  await browser.close()
}

async function statusOf(page: Page): Promise<string> {
  return (await page.locator('.saving').textContent()) ?? ''
}

/** Which questions the page shows as answered. */
async function shownBy(page: Page): Promise<boolean[]> {
  const names = await page.getByRole('button', { name: /^Question \d,/ }).all()
  return Promise.all(
    names.map(async (each) => /, answered/.test((await each.getAttribute('aria-label')) ?? '')),
  )
}
