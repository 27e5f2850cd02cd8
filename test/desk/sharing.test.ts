import { expect, onTestFinished, test } from 'vitest'
import { openBrowser, openFor, signIn, WITH_WORKER } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { connectedPair, withService } from '../support/service.ts'
import { listCaches, waitForWorker } from '../support/sitting.ts'

/** What a device does when somebody shares a picture with the installed desk. */
const SHARE = `(async () => {
  const canvas = new OffscreenCanvas(8, 8)
  canvas.getContext('2d').fillRect(0, 0, 8, 8)
  const form = new FormData()
  form.append('files', await canvas.convertToBlob(), 'Tafel ä.png')
  return (await window.fetch('/desk/share', { method: 'POST', body: form })).url
})()`
/** Chromium has no badge without a window. */
const BADGES = `globalThis.badges = []
Object.assign(Navigator.prototype, {
  setAppBadge: async (count) => void badges.push(count),
  clearAppBadge: async () => void badges.push(0),
})`

test('a picture that another app shares goes into the conversation that is chosen, and stays nowhere', async () => {
  const [service, browser] = [await withService(), await openBrowser()]
  onTestFinished(() => browser.close())
  const { alice, bob, conversationId } = await connectedPair(service)
  const { page, problems } = await openFor(browser, alice, WITH_WORKER)
  await waitForWorker(page)
  const address = String(await page.evaluate(SHARE))
  expect(new URL(address).pathname).toBe('/desk/chat')
  await page.goto(address)
  await page.getByText('Choose the conversation that gets the picture.').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await page.locator(`a[href="/desk/chat/${conversationId}"]`).click()
  await page.getByRole('button', { name: 'Remove Tafel ä.png' }).waitFor()
  expect(await page.getByText('Choose the conversation').count()).toBe(0)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect
    .poll(async () => (await bob.get(`/api/v01/chat/conversations/${conversationId}/messages`, 200)).body)
    .toMatchObject({ messages: [{ attachments: [{ name: 'Tafel ä.png', type: 'image/png' }] }] })
  // What is shared and not taken goes with the session.
  await page.evaluate(SHARE)
  expect(await listCaches(page)).toContain('shared-files')
  await page.goto('/desk/account')
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.waitForURL('**/login')
  expect(await listCaches(page)).not.toContain('shared-files')
  expect(problems).toEqual([])
})

test('what is shared can be discarded, and is gone once somebody else has signed in over the session', async () => {
  const [service, browser] = [await withService(), await openBrowser()]
  onTestFinished(() => browser.close())
  const { alice, bob } = await connectedPair(service)
  const { page, context, problems } = await openFor(browser, alice, WITH_WORKER)
  await waitForWorker(page)
  const notice = page.getByText('Choose the conversation that gets the picture.')
  await page.goto(String(await page.evaluate(SHARE)))
  await notice.waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await notice.waitFor({ state: 'detached' })
  await page.goto(String(await page.evaluate(SHARE)))
  await notice.waitFor()
  const other = await context.newPage()
  await signIn(other, bob.username, PASSWORD)
  await notice.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('another site shares nothing by a form, whether or not it hides where it comes from', async () => {
  const [service, browser] = [await withService(), await openBrowser()]
  onTestFinished(() => browser.close())
  const { alice } = await connectedPair(service)
  const { page, context } = await openFor(browser, alice, WITH_WORKER)
  await waitForWorker(page)
  const form = `<form method="post" enctype="multipart/form-data" action="${alice.url}/desk/share">
    <input type="file" name="files"></form>`
  await context.route('http://elsewhere.test/*', (route) => {
    const policy = new URL(route.request().url()).pathname.slice(1)
    return route.fulfill({ contentType: 'text/html', headers: { 'referrer-policy': policy }, body: form })
  })
  for (const policy of ['unsafe-url', 'no-referrer']) {
    await page.goto(`http://elsewhere.test/${policy}`)
    const picture = { name: 'planted.png', mimeType: 'image/png', buffer: Buffer.from('a picture') }
    await page.locator('input').setInputFiles(picture)
    await page.evaluate('document.forms[0].submit()')
    await page.waitForURL('**/desk/chat')
    await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
    expect(await page.getByText('Choose the conversation that gets the picture.').count(), policy).toBe(0)
  }
}, 120_000)

/** Puts a picture into the cache of another stay, and asks for it by an address that has expired. */
const ASK = `(async () => {
  const canvas = new OffscreenCanvas(8, 8)
  canvas.getContext('2d').fillRect(0, 0, 8, 8)
  const kept = await caches.open('exam-images-another-stay')
  await kept.put('/files/Optics/lens.png?signature=1', new Response(await canvas.convertToBlob()))
  const image = new Image()
  const end = new Promise((resolve) => {
    image.onload = () => resolve('shown')
    image.onerror = () => resolve('refused')
  })
  image.src = '/files/Optics/lens.png?signature=2'
  return end
})()`

test('a picture that another stay has fetched is shown to nobody else', async () => {
  const [service, browser] = [await withService(), await openBrowser()]
  onTestFinished(() => browser.close())
  const { page } = await openFor(browser, await service.person(), WITH_WORKER)
  await waitForWorker(page)
  expect(await page.evaluate(ASK)).toBe('refused')
}, 120_000)

test('the icon of the installed desk has the number of unread messages', async () => {
  const [service, browser] = [await withService(), await openBrowser()]
  onTestFinished(() => browser.close())
  const { alice, bob, conversationId } = await connectedPair(service)
  const { page, context } = await openFor(browser, alice, WITH_WORKER)
  await context.addInitScript(BADGES)
  await page.goto('/desk')
  await expect.poll(() => page.evaluate('badges.at(-1)')).toBe(0)
  for (const text of ['one', 'two']) await bob.send(conversationId, text, undefined, 201)
  await expect.poll(() => page.evaluate('badges.at(-1)')).toBe(2)
})
