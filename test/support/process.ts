import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const NODE = fileURLToPath(new URL('node-process.ts', import.meta.url))

/** The service as its own process, as `npm start` runs it. */
export class ServiceProcess {
  readonly child: ChildProcess
  readonly dataDir: string
  output = ''

  constructor(env: Record<string, string>, program = [MAIN]) {
    this.dataDir = env.DATA_DIR ?? ''
    const { PATH = '', HOME = '' } = process.env
    this.child = spawn(process.execPath, program, { env: { PATH, HOME, PORT: '0', ...env } })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
  }

  /** Its address, once it says that it is ready. Rejects with what it printed if it ends before. */
  async ready(): Promise<string> {
    for (;;) {
      const address = /ready at (http:[^"\s]+)/.exec(this.output)?.[1]
      if (address !== undefined) return address
      if (this.ended) throw new Error(this.output)
      await Promise.race([once(this.child.stdout as NodeJS.ReadableStream, 'data'), once(this.child, 'exit')])
    }
  }

  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Its exit code, or the signal that ended it. */
  async exit(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    if (!this.ended) {
      const exited = once(this.child, 'exit')
      if (signal) this.child.kill(signal)
      await exited
    }
    return this.child.exitCode ?? this.child.signalCode
  }
}

/** A service that ends with the test that started it. */
export function startProcess(env: Record<string, string>): ServiceProcess {
  const service = new ServiceProcess(env)
  onTestFinished(async () => void (await service.exit('SIGTERM')))
  return service
}

/** One node with settings that no variable sets (node-process.ts), once it listens. */
export async function startNodeProcess(options: {
  env: Record<string, string>
  config: object
}): Promise<ServiceProcess> {
  const node = new ServiceProcess({}, [NODE, JSON.stringify(options)])
  onTestFinished(async () => void (await node.exit('SIGTERM')))
  await node.ready()
  return node
}
