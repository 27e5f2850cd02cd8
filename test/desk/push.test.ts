import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { openFor, openWholeBrowser, WITH_WORKER } from '../support/browser.ts'
import { type Device, PushService } from '../support/outside/push-service.ts'
import { connectedPair, withService } from '../support/service.ts'
import { waitForWorker } from '../support/sitting.ts'

/** How long the service takes somebody for present. */
const ACTIVE_MS = 4_000
const URL_OF_ACCOUNT = '/desk/account'

/**
 * Bob with the desk open, on a browser whose push service is the given device: Chromium has none of its own without a
 * window.
 */
async function openWithPushes() {
  const [outside, browser] = [await PushService.start(), await openWholeBrowser()]
  onTestFinished(async () => {
    await browser.close()
    await outside.close()
  })
  const service = await withService({
    config: {
      push: { subject: 'mailto:admin@example.org', allowedHosts: [outside.host] },
      presence: { graceMs: 100, beatMs: 200, leaseMs: 600, activeMs: ACTIVE_MS },
    },
  })
  const { alice, bob, conversationId } = await connectedPair(service)
  const opened = await openFor(browser, bob, { ...WITH_WORKER, permissions: ['notifications'] })
  const device = outside.device()
  await opened.context.addInitScript(`PushManager.prototype.subscribe = async () => ({
    toJSON: () => (${JSON.stringify(device.subscription)})
  })`)
  const { page } = opened
  await page.goto(URL_OF_ACCOUNT)
  await waitForWorker(page)
  const browserOf = await watchWorker(opened.context, bob.url)
  const say = (text: string) => alice.send(conversationId, text, undefined, 201)
  return { ...opened, ...browserOf, service, bob, device, conversationId, say }
}

/** What the browser does with pushes, whether or not a page of the desk is open. */
async function watchWorker(context: BrowserContext, origin: string) {
  const session = await context.newCDPSession(await context.newPage())
  const registered = Promise.withResolvers<string>()
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const { scopeURL, registrationId } of registrations)
      if (scopeURL.startsWith(origin)) registered.resolve(registrationId)
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered.promise
  return {
    /** Brings what the push service got to the worker. */
    deliver: (device: Device) =>
      session.send('ServiceWorker.deliverPushMessage', {
        origin,
        registrationId,
        data: JSON.stringify(device.received.at(-1)?.text),
      }),
    /** The titles that the person sees now. */
    shown: async () => {
      const worker = context.serviceWorkers().at(-1)
      return (await worker?.evaluate(
        'registration.getNotifications().then((all) => all.map(({ title }) => title))',
      )) as string[]
    },
  }
}

async function turnOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Turn on on this device' }).click()
  await page.getByRole('button', { name: 'Turn off on this device' }).waitFor()
}

test('a message is shown within two seconds once the desk is closed, and not while it is seen', async () => {
  const { page, say, device, deliver, shown, bob, service, problems } = await openWithPushes()
  await turnOn(page)
  const sent: string[] = []
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))))
  await page.clock.install()
  await page.reload()
  const tellings = () => sent.filter((frame) => frame === '{"type":"active"}').length
  await expect.poll(tellings).toBeGreaterThan(0)
  const before = tellings()
  await page.clock.fastForward(20_000)
  await expect.poll(tellings).toBeGreaterThan(before)
  await say('while it is seen')
  // It waits for the time in which the person is not there.
  await expect
    .poll(
      async () => (await service.sql`select 1 from pushes where due_at > now() + interval '1 second'`).length,
    )
    .toBe(1)
  expect(device.received).toEqual([])

  await page.close()
  await expect.poll(() => device.received.length).toBe(1)
  await expect
    .poll(async () => (await service.sql`select 1 from pushes where user_id = ${bob.id}`).length)
    .toBe(0)
  const beganAt = Date.now()
  await say('while it is closed')
  await expect.poll(() => device.received.length, { interval: 20 }).toBe(2)
  await deliver(device)
  await expect.poll(shown, { interval: 20 }).toEqual([expect.any(String)])
  expect(Date.now() - beganAt).toBeLessThan(2_000)
  expect(problems).toEqual([])
}, 120_000)

test('a focused desk shows no push, one that was removed or signed out gets none', async () => {
  const { page, say, device, deliver, shown, bob, service } = await openWithPushes()
  await turnOn(page)
  await page.goto('about:blank')
  await say('the first')
  await expect.poll(() => device.received.length).toBe(1)
  await page.goto(URL_OF_ACCOUNT)
  await page.bringToFront()
  await deliver(device)
  await page.getByLabel('Messages in groups').selectOption('none')
  await page.getByLabel('Show what was written').check()
  await page.getByLabel('Practice that is due, once a day').check()
  await page.getByLabel('Time of the practice reminder').selectOption('7')
  await page.getByRole('button', { name: 'Save notifications' }).click()
  await page.getByText('Saved').first().waitFor()
  expect((await bob.get('/api/v01/push', 200)).body.settings).toMatchObject({
    messages: 'none',
    preview: true,
    practice: true,
    practice_hour: 7,
    time_zone: await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'),
  })
  expect(await shown()).toEqual([])

  await page.getByRole('button', { name: 'Turn off on this device' }).click()
  await page.getByRole('button', { name: 'Turn on on this device' }).waitFor()
  expect((await bob.get('/api/v01/push', 200)).body.subscriptions).toEqual([])
  await turnOn(page)
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect((await bob.get('/api/v01/push', 200)).body.subscriptions).toEqual([])
  // What was under way when they signed out.
  await deliver(device)
  await page.goto('about:blank')
  await deliver(device)
  const { body } = await say('the second')
  await expect
    .poll(async () => (await service.sql`select message_id from push_cursor`)[0]?.message_id)
    .toBe(body.message?.id)
  expect(await shown()).toEqual([])
  expect(device.received).toHaveLength(1)
}, 120_000)
