import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort, waitForPort } from './ports.ts'

export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A private Redis that can stop and return at the same address, without its data. */
export class RedisServer {
  readonly port: number
  readonly #options: string[]
  #process: ChildProcess | undefined

  private constructor(port: number, options: string[]) {
    this.port = port
    this.#options = options
  }

  /** `options` come first on its command line, so that they can name a file of settings. */
  static async start(options: string[] = []): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options)
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  get isRunning(): boolean {
    return this.#process !== undefined
  }

  async start(): Promise<void> {
    this.#process = spawn(
      'redis-server',
      [...this.#options, '--port', String(this.port), '--bind', '127.0.0.1', '--save', ''],
      { stdio: 'ignore' },
    )
    await waitForPort(this.port)
  }

  async stop(): Promise<void> {
    if (!this.#process) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
    this.#process = undefined
  }

  /** Removes all data. */
  flush(): void {
    execFileSync('redis-cli', ['-p', String(this.port), 'flushall'], { stdio: 'ignore' })
  }

  /** Freezes: connections stay open, and nothing is answered. */
  freeze(): void {
    this.#process?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#process?.kill('SIGCONT')
  }
}
