import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { onTestFailed } from 'vitest'
import { type Client, PASSWORD } from './client.ts'
import { PATIENCE_MS } from './patience.ts'

const find = (...files: string[]) => files.find((file) => existsSync(file))
const WHOLE = find('/usr/bin/chromium', '/usr/bin/google-chrome')
/** Debian's build without a browser around its pages, which takes a fifth less of the processor, where it is installed. */
export const EXECUTABLE = find('/usr/bin/chromium-headless-shell') ?? WHOLE
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real Chromium without a window; `flags`: more of its own. */
export const openBrowser = (...flags: string[]) => launch(EXECUTABLE, flags)

/** As people have it: with notifications. */
export const openWholeBrowser = () => launch(WHOLE)

function launch(executablePath: string | undefined, flags: string[] = []): Promise<Browser> {
  if (!executablePath) throw new Error('Chromium is missing: apt-get install -y chromium')
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] })
}

/** A page with its own profile at the service, also outside of tests. */
export async function newPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return { page: await context.newPage(), context }
}

/** For tests of what the service worker does. The others are a fifth cheaper without one, which stores the whole desk. */
export const WITH_WORKER = { serviceWorkers: 'allow' } as const

/**
 * A page with its own profile at the service, and a list of everything that goes wrong in it. If the test fails, the
 * log says what the page showed and which requests had no answer.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
  const { page, context } = await newPage(browser, url, { serviceWorkers: 'block', ...options })
  const unanswered = new Map<Request, string>()
  page.on('request', (request) => unanswered.set(request, `${request.method()} ${request.url()}`))
  page.on('requestfinished', (request) => unanswered.delete(request))
  page.on('requestfailed', (request) => unanswered.delete(request))
  onTestFailed(async () => {
    const shown = await page
      .locator('body')
      .ariaSnapshot()
      .catch((error) => String(error))
    console.error(page.url(), [...unanswered.values()], shown)
  })
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text())
  })
  page.on('dialog', (dialog) => {
    if (dialog.message().startsWith('XSS')) problems.push(`ran: ${dialog.message()}`)
    void dialog.accept().catch(() => {})
  })
  return { page, context, problems }
}

/** Signs in by the form of the login page; `url`: of the service, where the page doesn't know it. */
export async function signIn(page: Page, username: string, password: string, url = ''): Promise<void> {
  await page.goto(`${url}/login`)
  await page.getByLabel('Username or e-mail address').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}

/** A page with its own profile, signed in. */
export async function openFor(
  browser: Browser,
  person: Client,
  options: Parameters<Browser['newContext']>[0] = {},
): ReturnType<typeof openPage> {
  const opened = await openPage(browser, person.url, options)
  await signIn(opened.page, person.username, PASSWORD)
  return opened
}
