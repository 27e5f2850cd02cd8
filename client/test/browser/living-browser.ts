import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'
import { PATIENCE_MS } from '../../../test/support/patience.ts'
import { CHROMIUM } from './pages.ts'

/** The page on which Chromium lets its developers freeze and discard tabs. */
const DISCARDS = 'chrome://discards/'
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-port=0']

const until = (holds: () => unknown) => vi.waitUntil(holds, { timeout: PATIENCE_MS })

interface Target {
  id: string
  type: string
  url: string
}

/**
 * A Chromium whose tabs live as people's do. Playwright stays attached to its pages and keeps them in focus, so that
 * they are never hidden, and Chromium never discards them; here a debugger is attached only while a script is run.
 */
export class LivingBrowser {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #address: string
  /** What is in front while other tabs are hidden. */
  #discards: Tab | undefined

  private constructor(process: ChildProcess, folder: string, address: string) {
    this.#process = process
    this.#folder = folder
    this.#address = address
  }

  static async start(): Promise<LivingBrowser> {
    const folder = await mkdtemp(path.join(tmpdir(), 'living-browser-'))
    const process = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const address = await new Promise<string>((resolve, reject) => {
      let output = ''
      process.once('exit', () => reject(new Error(output)))
      process.stderr.on('data', (chunk: Buffer) => {
        output += chunk
        const [, found] = /ws:\/\/([^/\s]+)/.exec(output) ?? []
        if (found) resolve(found)
      })
    })
    const browser = new LivingBrowser(process, folder, address)
    try {
      await browser.#openDiscards()
    } catch (error) {
      await browser.close()
      throw error
    }
    return browser
  }

  /** `url`: no other tab has it. */
  async open(url: string): Promise<Tab> {
    const { id } = JSON.parse(await this.ask(`new?${encodeURIComponent(url)}`, 'PUT')) as Target
    return new Tab(this, id, url)
  }

  async close(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill()
    await exited
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  async ask(what: string, method = 'GET'): Promise<string> {
    return (await fetch(`http://${this.#address}/json/${what}`, { method })).text()
  }

  async tabs(): Promise<Target[]> {
    const all = JSON.parse(await this.ask('list')) as Target[]
    return all.filter(({ type }) => type === 'page')
  }

  /** The result of a command of the DevTools protocol; undefined if the page ends meanwhile. */
  async command(
    id: string,
    method: string,
    params: object = {},
  ): Promise<Record<string, unknown> | undefined> {
    const socket = new WebSocket(`ws://${this.#address}/devtools/page/${id}`)
    try {
      return await new Promise((resolve, reject) => {
        socket.onerror = () => reject(new Error(`No tab ${id}`))
        socket.onclose = () => resolve(undefined)
        socket.onopen = () => {
          socket.send(JSON.stringify({ id: 1, method: 'Inspector.enable' }))
          socket.send(JSON.stringify({ id: 2, method, params }))
        }
        socket.onmessage = ({ data }) => {
          const told = JSON.parse(String(data))
          if (told.method === 'Inspector.targetCrashed') resolve(undefined)
          if (told.id === 2) resolve(told.result)
        }
      })
    } finally {
      socket.close()
    }
  }

  async hideOthers(): Promise<void> {
    await this.#discards?.show()
  }

  /** Clicks what the list of tabs offers for a tab. */
  async click(tab: Tab, label: string): Promise<void> {
    const row = this.#row(tab)
    await until(() => this.#discards?.run(`${row} !== undefined`))
    await this.#discards?.run(
      `[...${row}.querySelectorAll('[is=action-link]')].find((each) => each.textContent.includes('${label}')).click()`,
    )
  }

  /** Whether the list calls a tab so, such as `frozen`. */
  async lists(tab: Tab, state: string): Promise<boolean> {
    return (await this.#discards?.run(`${this.#row(tab)}?.innerText.includes('${state}')`)) === true
  }

  #row({ url }: Tab): string {
    const rows = `document.querySelector('discards-main')?.shadowRoot?.querySelector('discards-tab')?.shadowRoot?.querySelectorAll('tbody tr') ?? []`
    return `[...(${rows})].find((each) => each.innerText.includes('${url}'))`
  }

  async #openDiscards(): Promise<void> {
    const settings = await this.open('chrome://chrome-urls/')
    const button = `document.querySelector('chrome-urls-app')?.shadowRoot?.querySelector('cr-button')`
    await until(() => settings.run(`!!${button}`))
    await settings.run(`${button}.click()`)
    this.#discards = await this.open(DISCARDS)
    await until(async () => {
      const isThere = await this.#discards?.run(`document.querySelector('discards-main') !== null`)
      // The setting may come after the page.
      if (!isThere) await this.#discards?.run('location.reload()')
      return isThere
    })
    await settings.close()
  }
}

export class Tab {
  readonly url: string
  readonly #browser: LivingBrowser
  #id: string

  constructor(browser: LivingBrowser, id: string, url: string) {
    this.#browser = browser
    this.#id = id
    this.url = url
  }

  /** The value of an expression, or of the promise that it makes. */
  async run(expression: string): Promise<unknown> {
    const answer = await this.command('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (answer?.exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(answer.exceptionDetails)}`)
    return (answer?.result as { value?: unknown } | undefined)?.value
  }

  command(method: string, params?: object): Promise<Record<string, unknown> | undefined> {
    return this.#browser.command(this.#id, method, params)
  }

  async show(): Promise<void> {
    await this.#browser.ask(`activate/${this.#id}`)
  }

  async hide(): Promise<void> {
    await this.#browser.hideOthers()
    await until(() => this.run(`document.visibilityState === 'hidden'`))
  }

  /** Until it is shown. */
  async freeze(): Promise<void> {
    await this.hide()
    await this.#browser.click(this, '[Freeze]')
    await until(() => this.#browser.lists(this, 'frozen'))
  }

  /** Chromium takes the page's memory away, and loads it again when it is shown. */
  async discard(): Promise<void> {
    await this.hide()
    await until(async () => {
      const target = (await this.#browser.tabs()).find(({ id, url }) => url === this.url && id !== this.#id)
      this.#id = target?.id ?? this.#id
      // A click is lost if the list is drawn anew at that moment.
      if (!target) await this.#browser.click(this, '[Urgent Discard]')
      return target !== undefined
    })
  }

  /** Its process ends from one moment to the next. */
  async crash(): Promise<void> {
    await this.command('Page.crash')
    await this.close()
  }

  async close(): Promise<void> {
    await this.#browser.ask(`close/${this.#id}`)
  }
}
