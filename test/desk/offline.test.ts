import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { MortalBrowser } from '../support/mortal-browser.ts'
import { startProxy } from '../support/outside/proxy.ts'
import { startService, type TestService } from '../support/service.ts'
import { findInCaches, listKept, Sitting } from '../support/sitting.ts'

/** The clocks of the devices are behind the service's by this. */
const AHEAD_MS = 7 * 60_000
const serviceNow = () => Date.now() + AHEAD_MS

let service: TestService
let line: Awaited<ReturnType<typeof startProxy>>
let url: string
let browser: MortalBrowser
beforeAll(async () => {
  service = await startService({ clock: serviceNow })
  line = await startProxy(new URL(service.urls[0] as string))
  url = `http://127.0.0.1:${line.port}`
  const admin = await service.admin()
  const image = { field: 'images', name: 'lens.png', bytes: await makeImage() }
  await admin.request('POST', '/api/v01/admin/images', form({ subject_folder_id: 'Optics' }, image), 200)
})
afterAll(async () => {
  line.close()
  await service.close()
})
beforeEach(async () => {
  browser = await MortalBrowser.start()
})
afterEach(async () => {
  line.thaw()
  line.plug()
  await browser.close()
})

test('without a network an exam survives reloads, closed tabs and killed browsers, with its images and clock', async () => {
  const [sitting, first] = await Sitting.begin(service, browser, url)
  await first.keyboard.press('b')
  await first.getByText('All answers saved').waitFor()
  line.unplug()
  await first.keyboard.press('n')
  // Nobody has looked at this question while there was a network.
  await expectImage(first)
  await first.keyboard.press('a')
  await first.getByText(/Saving 1|1 kept on this device/).waitFor()
  await first.reload()
  await sitting.waitForExam(first)
  await expectAsLeft(first, 'A')
  await first.keyboard.press('c')
  await first.getByText(/Saving 1|1 kept on this device/).waitFor()
  await first.close()

  const second = await sitting.open()
  await expectAsLeft(second, 'C')
  await second.keyboard.press('d')
  await second.getByText(/Saving 1|1 kept on this device/).waitFor()
  await browser.kill()
  await browser.restart()
  const third = await sitting.open()
  await third.getByRole('button', { name: 'Question 1, answered' }).waitFor()
  await third.getByRole('button', { name: 'Question 2, answered' }).click()
  await expectAsLeft(third, 'D')
  expect(await sitting.answersAtService()).toEqual(['B', null, null])

  line.plug()
  await third.getByText('All answers saved').waitFor()
  expect(await sitting.answersAtService()).toEqual(['B', 'D', null])
  await third.getByRole('button', { name: 'Hand in' }).click()
  await third.getByRole('button', { name: 'Hand in now' }).click()
  await third.getByRole('heading', { name: 'Handed in' }).waitFor()
  const attempts = await service.sql`select status from attempts where user_id = ${sitting.person.id}`
  expect(attempts).toHaveLength(1)

  async function expectAsLeft(page: Page, letter: string): Promise<void> {
    expect(await page.getByRole('radio', { name: letter }).isChecked()).toBe(true)
    await expectImage(page)
    expect(await sitting.clockErrorMs(page, serviceNow)).toBeLessThan(2_000)
  }
}, 180_000)

describe('answers that a closed page of an exam has left', () => {
  const kept = (page: Page) => page.getByText('1 answer of yours is still on this device alone.')

  /** Answers without a network, and closes the page. */
  async function leave(): Promise<[Sitting, Page]> {
    const [sitting, page] = await Sitting.begin(service, browser, url)
    line.unplug()
    await page.keyboard.press('b')
    await page.getByText(/Saving 1|1 kept on this device/).waitFor()
    return [sitting, page]
  }

  test('are shown at home while there is no network, also after a crash, and sent from there when it is back', async () => {
    const [sitting, page] = await leave()
    await page.close()
    const first = await openHome()
    await kept(first).waitFor()
    await first.getByRole('main').getByText('The private exam').first().waitFor()
    await browser.kill()
    await browser.restart()
    const home = await openHome()
    await kept(home).waitFor()
    expect(await sitting.answersAtService()).toEqual([null, null, null])

    line.plug()
    await expect.poll(() => sitting.answersAtService()).toEqual(['B', null, null])
    await expect.poll(() => kept(home).count()).toBe(0)
    // It goes on where it was left.
    await home.getByRole('heading', { name: 'The private exam is under way' }).waitFor()
    const [attempt] = await service.sql`select status from attempts where user_id = ${sitting.person.id}`
    expect(attempt).toEqual({ status: 'active' })
  }, 120_000)

  test('are handed in from anywhere in the desk, if they were to be', async () => {
    const [sitting, page] = await leave()
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByRole('button', { name: 'Hand in now' }).click()
    await page
      .getByText(/handed in as soon as|Handing in/)
      .first()
      .waitFor()
    await page.close()
    const home = await openHome()
    await home.getByText('You have handed it in, but that is on this device alone so far.').waitFor()
    // Home itself is left, too.
    await home.goto(`${url}/desk/account`)
    line.plug()
    const readStatus = () =>
      service.sql`select status, answers from attempts where user_id = ${sitting.person.id}`
    await expect.poll(readStatus).toEqual([
      {
        status: 'submitted',
        answers: expect.objectContaining({ [sitting.questionIds[0] as number]: 'B' }),
      },
    ])
    await home.goto(`${url}/desk`)
    await home.getByText('Latest results').first().waitFor()
    expect(await home.getByText('is under way').count()).toBe(0)
    expect(await home.getByText('on this device alone').count()).toBe(0)
  }, 120_000)

  test('wait for their own student, and are neither shown nor sent while another one is signed in', async () => {
    const [sitting, page] = await leave()
    await page.close()
    const leaving = await openHome()
    await leaving.goto(`${url}/desk/account`)
    await leaving.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await expect.poll(() => leaving.url()).not.toContain('/desk')
    await leaving.close()
    line.plug()

    const other = await service.person()
    await other.post(`/api/v01/exams/${sitting.examId}/start`, {}, 201)
    const home = await browser.newPage()
    await home.goto(`${url}/login`)
    await signIn(home, other.username, PASSWORD, url)
    await home.getByRole('heading', { name: 'The private exam is under way' }).waitFor()
    // They have the same exam, and leave an answer of their own.
    const taking = await browser.newPage()
    await taking.goto(sitting.address)
    await sitting.waitForExam(taking)
    expect(await taking.getByRole('radio', { name: 'B' }).isChecked()).toBe(false)
    line.unplug()
    await taking.keyboard.press('c')
    await taking.getByText(/Saving 1|1 kept on this device/).waitFor()
    await taking.close()
    await home.goto(`${url}/desk`)
    await kept(home).waitFor()
    expect(await kept(home).count()).toBe(1)
    line.plug()
    await expect.poll(() => readAnswers(other.id)).toEqual({ [sitting.questionIds[0] as number]: 'C' })
    await expect.poll(() => kept(home).count()).toBe(0)
    expect(await sitting.answersAtService()).toEqual([null, null, null])
    await home.goto(`${url}/desk/account`)
    await home.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await home.getByLabel('Password', { exact: true }).waitFor()

    // Where their own student comes back, they are sent.
    await signIn(home, sitting.person.username, PASSWORD, url)
    await expect.poll(() => sitting.answersAtService()).toEqual(['B', null, null])
    expect(await readAnswers(other.id)).toEqual({ [sitting.questionIds[0] as number]: 'C' })
  }, 120_000)

  async function openHome(): Promise<Page> {
    const page = await browser.newPage()
    await page.goto(`${url}/desk`)
    return page
  }

  async function readAnswers(userId: number) {
    const [row] = await service.sql`select answers from attempts where user_id = ${userId}`
    return row?.answers
  }
})

test('a network that only hangs, or that answers by itself, does not keep the desk from opening', async () => {
  const [sitting, page] = await Sitting.begin(service, browser, url)
  line.freeze()
  await page.goto(sitting.address)
  await sitting.waitForExam(page)
  line.thaw()
  await page.reload()
  await sitting.waitForExam(page)
  const place = new URL(sitting.address).pathname
  for (const answer of ['200 OK\r\ncontent-type: text/html', '302 Found\r\nlocation: http://127.0.0.1:1/'])
    line.answerNext(
      Buffer.from(`GET ${place}`),
      Buffer.from(`HTTP/1.1 ${answer}\r\ncontent-length: 0\r\n\r\n`),
    )
  await page.reload()
  await sitting.waitForExam(page)
}, 120_000)

test('nothing of a person stays in the caches when their session ends, however it ends', async () => {
  const ways: [name: string, end: (page: Page, sitting: Sitting) => Promise<unknown>][] = [
    [
      'they sign out',
      async (page) => {
        await page.goto(`${url}/desk/account`)
        await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
        await page.getByLabel('Password', { exact: true }).waitFor()
      },
    ],
    [
      'they sign out without a network',
      async (page) => {
        line.unplug()
        await page.goto(`${url}/desk/account`)
        await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
        await expect.poll(() => page.url()).not.toContain('/desk')
        line.plug()
        await page.goto(`${url}/login`)
      },
    ],
    [
      'another device ends it while the browser is closed',
      async (_page, { person, address }) => {
        await browser.kill()
        for (const { id, current } of (await person.get('/api/v01/account/sessions', 200)).body.sessions)
          if (!current) await person.delete(`/api/v01/account/sessions/${id}`, 200)
        await browser.restart()
        const page = await browser.newPage()
        await page.goto(address)
        await page.getByLabel('Password', { exact: true }).waitFor()
      },
    ],
    [
      'somebody else signs in',
      async (page) => {
        await page.goto(`${url}/logout`).catch(() => {})
        await page.context().clearCookies()
        await signIn(page, (await service.person()).username, PASSWORD, url)
      },
    ],
  ]
  for (const [name, end] of ways) {
    const [sitting, page] = await Sitting.begin(service, browser, url)
    await end(page, sitting)
    const last = browser.context.pages().at(-1) as Page
    await expect.poll(() => listKept(last), { message: name }).not.toContain('/files/Optics/lens.png')
    expect(
      await findInCaches(last, [sitting.person.username, 'The private exam', 'The first one']),
      name,
    ).toEqual([])
    await browser.context.clearCookies()
    for (const each of browser.context.pages()) await each.close()
  }
}, 240_000)

async function expectImage(page: Page): Promise<void> {
  const image = page.getByRole('img', { name: 'Part of the question' })
  await expect.poll(() => image.evaluate((shown) => Reflect.get(shown, 'naturalWidth'))).toBe(8)
}
