import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const NODE = fileURLToPath(new URL('node-process.ts', import.meta.url))

/** A service in a process of its own, which can be signalled and killed. It ends with the test that started it. */
export class ServiceProcess {
  /** All that it printed. */
  output = ''
  /** Its address, once it is `ready`. */
  url = ''
  readonly #child: ChildProcess
  readonly #exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  readonly #ready = Promise.withResolvers<void>()

  private constructor(args: string[], env: Record<string, string>) {
    this.#child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
        const [, address] = /ready at (http:\/\/[^"\s]+)/.exec(this.output) ?? []
        if (address === undefined) return
        this.url = address
        this.#ready.resolve()
      })
    this.#exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }))
    this.#ready.promise.catch(() => {})
    void this.#exited.then(() => this.#ready.reject(new Error(`the service ended: ${this.output}`)))
    onTestFinished(async () => {
      this.signal('SIGKILL')
      await this.#exited
    })
  }

  /** What `npm start` runs, with these settings; it may still refuse to start. */
  static launch(env: Record<string, string>): ServiceProcess {
    return new ServiceProcess([MAIN], { PORT: '0', LOG_LEVEL: 'info', ...env })
  }

  /** The same, listening. */
  static async main(env: Record<string, string>): Promise<ServiceProcess> {
    const service = ServiceProcess.launch(env)
    await service.#ready.promise
    return service
  }

  /** One node with settings that the environment doesn't offer (test/support/node-process.ts). */
  static async node(options: object): Promise<ServiceProcess> {
    const service = new ServiceProcess([NODE, JSON.stringify(options)], {})
    await service.#ready.promise
    return service
  }

  get pid(): number | undefined {
    return this.#child.pid
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
