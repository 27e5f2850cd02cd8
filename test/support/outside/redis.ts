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
  #process: ChildProcess | undefined

  private constructor(port: number) {
    this.port = port
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort())
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    this.#process = spawn(
      'redis-server',
      ['--port', String(this.port), '--bind', '127.0.0.1', '--save', ''],
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
