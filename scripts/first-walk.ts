/**
 * Times the first minute of a new user: `npm start` in a fresh checkout, opening the page, signing in with one demo
 * account and, in a private window, with another, a message and its answer.
 *
 *   git clone <repository> fresh && (cd fresh && npm ci) && npx node scripts/first-walk.ts fresh
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { newPage, openBrowser } from '../test/support/browser.ts'

const folder = path.resolve(process.argv[2] ?? '.')
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const begun = performance.now()
const service = spawn('npm', ['start'], {
  cwd: folder,
  env: { ...environment, PORT: process.env.PORT ?? '3017' },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
})
let browser: Browser | undefined
try {
  const url = await findAddress()
  tell('the service says where it is')
  browser = await openBrowser()
  const alice = await come(browser, url, 'alice')
  const bob = await come(browser, url, 'bob')
  tell('two people are in')
  await alice.getByRole('link', { name: /^Chat/ }).first().click()
  await alice.getByRole('link', { name: /Bob/ }).click()
  await write(alice, 'Hello Bob')
  await bob.getByRole('link', { name: /^Chat/ }).first().click()
  await bob.getByRole('link', { name: /Alice/ }).click()
  await bob.getByRole('log').getByText('Hello Bob').waitFor()
  await write(bob, 'Hello Alice')
  await alice.getByRole('log').getByText('Hello Alice').waitFor()
  tell('they have talked')
} finally {
  await browser?.close()
  // Ends npm together with the service that it started.
  if (service.pid && service.exitCode === null) process.kill(-service.pid)
  if (service.exitCode === null) await once(service, 'exit')
}

async function findAddress(): Promise<string> {
  for await (const line of createInterface(service.stdout)) {
    const url = /(http:\/\/\S+)\s+open it/.exec(line)?.[1]
    if (url) {
      service.stdout.resume()
      return url
    }
  }
  throw new Error('the service did not start')
}

async function come(browser: Browser, url: string, username: string): Promise<Page> {
  const { page } = await newPage(browser, url)
  await page.goto('/')
  await page.getByRole('button', { name: username }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  return page
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel(/^Message to/).fill(text)
  await page.getByLabel(/^Message to/).press('Enter')
}

function tell(what: string): void {
  process.stdout.write(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(5)} s  ${what}\n`)
}
