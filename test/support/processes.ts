import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const NODE = fileURLToPath(new URL('node-process.ts', import.meta.url))

/** A service in a process of its own, which can be signalled and killed. */
export class ServiceProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>

  private constructor(url: string, child: ChildProcess, exited: ServiceProcess['exited']) {
    this.url = url
    this.#child = child
    this.#exited = exited
  }

  /** What `npm start` runs, with these settings. */
  static main(env: Record<string, string>): Promise<ServiceProcess> {
    return ServiceProcess.#start([MAIN], { PORT: '0', LOG_LEVEL: 'info', ...env })
  }

  /** One node with settings that the environment doesn't offer (test/support/node-process.ts). */
  static node(options: object): Promise<ServiceProcess> {
    return ServiceProcess.#start([NODE, JSON.stringify(options)], {})
  }

  static async #start(args: string[], env: Record<string, string>): Promise<ServiceProcess> {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exited
    })
    // Read to the end, or the service would block on a full pipe.
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    const url = await new Promise<string>((resolve, reject) => {
      lines.on('line', (line) => {
        const [, address] = /ready at (http:\/\/[^"\s]+)/.exec(line) ?? []
        if (address) resolve(address)
      })
      exited.then(({ code, signal }) => reject(new Error(`the service ended: ${code ?? signal}`)))
    })
    return new ServiceProcess(url, child, exited)
  }

  get exited() {
    return this.#exited
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.#exited
  }
}
