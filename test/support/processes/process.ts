import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const ROOT = new URL('../../../', import.meta.url)
const NODE = fileURLToPath(new URL('node-process.ts', import.meta.url))
const CLOCK = new URL('shifted-clock.ts', import.meta.url).href
/** The same arguments of Node.js as in the scripts of package.json. */
const EARLIER = ['--import', new URL('src/quick-imports.ts', ROOT).href]
/** Compiled code, shared by one process with the next. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('node_modules/.cache/tests', ROOT))

/** Program, arguments and environment of `npm run admin`. */
export function adminCommand(args: string[], env: Record<string, string>) {
  const { PATH = '' } = process.env
  return {
    program: [...EARLIER, fileURLToPath(new URL('src/cli.ts', ROOT)), ...args],
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  }
}

/** Runs `npm run admin` as an operator does, `input` piped into it; answers its exit code and output. */
export async function runAdmin(args: string[], env: Record<string, string>, input = '') {
  const command = adminCommand(args, env)
  try {
    const running = promisify(execFile)(process.execPath, command.program, { env: command.env })
    running.child.stdin?.end(input)
    const { stdout } = await running
    return { code: 0, stdout, stderr: '' }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

/** The service in its own process, as `npm start` runs it. */
export class ServiceProcess {
  readonly child: ChildProcess
  readonly dataDir: string
  output = ''

  constructor(
    env: Record<string, string>,
    program = [fileURLToPath(new URL('src/main.ts', ROOT))],
    { canShiftClock = false } = {},
  ) {
    this.dataDir = env.DATA_DIR ?? ''
    const { PATH = '', HOME = '' } = process.env
    const earlier = [...EARLIER, ...(canShiftClock ? ['--import', CLOCK] : [])]
    this.child = spawn(process.execPath, [...earlier, ...program], {
      env: { PATH, HOME, NODE_COMPILE_CACHE, PORT: '0', DRAIN_DELAY: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(canShiftClock ? ['ipc' as const] : [])],
    })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
  }

  /** Its address, when it is ready. Rejects with its output if it ends before. */
  async ready(): Promise<string> {
    for (;;) {
      const address = /ready at (http:[^"\s]+)/.exec(this.output)?.[1]
      if (address !== undefined) return address
      if (this.ended) throw new Error(this.output)
      await Promise.race([once(this.child.stdout as NodeJS.ReadableStream, 'data'), once(this.child, 'exit')])
    }
  }

  /** Shifts its clock; the process must have been started with `canShiftClock`. */
  async shiftClock(milliseconds: number): Promise<void> {
    const shifted = once(this.child, 'message')
    this.child.send(milliseconds)
    await shifted
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

/** Starts one node with settings that have no variable (node-process.ts); resolves when it listens. */
export async function startNodeProcess({
  env,
  config,
  canShiftClock = false,
}: {
  env: Record<string, string>
  config: object
  canShiftClock?: boolean
}): Promise<ServiceProcess> {
  const program = [NODE, JSON.stringify({ env: { DRAIN_DELAY: '0', ...env }, config })]
  const node = new ServiceProcess({}, program, { canShiftClock })
  onTestFinished(async () => void (await node.exit('SIGTERM')))
  await node.ready()
  return node
}
