import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { openBrowser, openPage, signIn, WITH_WORKER } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startUpdatableDesk } from '../support/outside/newer-desk.ts'
import { withService } from '../support/service.ts'
import { listCaches, waitForUpdate, waitForWorker } from '../support/sitting.ts'

/** Which versions the files are of that a page has loaded. */
const versionsOf = (page: Page) =>
  page.evaluate(() => {
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
    const built = loaded.filter((name) => /assets\/.*\.(js|css)$/.test(name))
    return [...new Set(built.map((name) => (name.includes('.newer.') ? 'newer' : 'older')))]
  })

test('an update never mixes versions in a tab, never interrupts an exam, and leaves nothing behind', async () => {
  const [service, browser] = [await withService(), await openBrowser()]
  onTestFinished(() => browser.close())
  const desk = await startUpdatableDesk(service.urls[0] as string)
  onTestFinished(() => desk.close())
  const person = await service.person()
  const { examId } = await createExam(service.sql, { questions: [{ question_text: 'The only one' }, {}] })
  const { page: older, context, problems } = await openPage(browser, desk.url, WITH_WORKER)
  await signIn(older, person.username, PASSWORD)
  await waitForWorker(older)
  await older.goto(`/desk/exams/${examId}`)
  await older.getByRole('button', { name: 'Start the exam' }).click()
  await older.getByText('The only one').waitFor()
  const [shell = ''] = await listCaches(older)
  const newerShell = shell.replace(/-en$/, '-newer-en')

  desk.update()
  const newer = await context.newPage()
  await newer.goto('/desk')
  await newer.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  expect(await versionsOf(newer)).toEqual(['newer'])
  await expect.poll(() => listCaches(newer)).toEqual([shell, newerShell])
  await waitForUpdate(newer)
  // Whatever it opens for the first time, the older tab opens its own, and the exam goes on there.
  await older.keyboard.press('b')
  await older.getByText('All answers saved').waitFor()
  await older.getByRole('link', { name: 'Library' }).first().click()
  await older.getByRole('heading', { level: 1, name: 'Library' }).waitFor()
  expect(await versionsOf(older)).toEqual(['older'])
  await newer.reload()
  await newer.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  expect(await listCaches(newer)).toContain(shell)

  await older.reload()
  await older.getByRole('heading', { level: 1, name: 'Library' }).waitFor()
  expect(await versionsOf(older)).toEqual(['newer'])
  await expect.poll(() => listCaches(newer)).toEqual([newerShell])
  expect(problems).toEqual([])
}, 300_000)
