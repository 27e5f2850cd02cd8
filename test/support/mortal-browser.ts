import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { EXECUTABLE, FLAGS } from './browser.ts'
import { PATIENCE_MS } from './patience.ts'

/** A Chromium that can be killed as a crash or a power cut does it, and started again with the same profile. */
export class MortalBrowser {
  readonly #profile: string
  #process: ChildProcess | undefined
  #context: BrowserContext | undefined

  static async start(): Promise<MortalBrowser> {
    const browser = new MortalBrowser(await mkdtemp(path.join(tmpdir(), 'exam-practice-profile-')))
    await browser.restart()
    return browser
  }

  private constructor(profile: string) {
    this.#profile = profile
  }

  get context(): BrowserContext {
    if (!this.#context) throw new Error('The browser is not running')
    return this.#context
  }

  newPage(): Promise<Page> {
    return this.context.newPage()
  }

  /** Every process of it ends at once, without a chance to store anything. */
  async kill(): Promise<void> {
    const running = this.#process
    this.#process = this.#context = undefined
    if (!running?.pid) return
    const ended = once(running, 'exit')
    process.kill(-running.pid, 'SIGKILL')
    await ended
  }

  /** Starts again after a `kill`. */
  async restart(): Promise<void> {
    const flags = [...FLAGS, '--headless', '--remote-debugging-port=0', `--user-data-dir=${this.#profile}`]
    this.#process = spawn(EXECUTABLE ?? 'chromium', flags, {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const browser = await chromium.connectOverCDP(await readAddress(this.#process))
    this.#context = browser.contexts()[0]
    this.#context?.setDefaultTimeout(PATIENCE_MS)
  }

  async close(): Promise<void> {
    await this.kill()
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Where it listens, which it writes when it is ready. */
async function readAddress({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error('The browser was started without its log')
  for await (const line of createInterface(stderr)) {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (address) {
      stderr.resume()
      return address
    }
  }
  throw new Error('Chromium did not start')
}
