// Engines of phones, each with nothing but itself: what it says goes to `take`, as JSON of a name and values.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'

export interface Engine {
  /** Runs a script, and the promises that it settles. */
  run(code: string): void
  end(): Promise<void>
}

/** `take` is called with what the engine's `tell` was called with. */
export type Begin = (take: (message: string) => void) => Promise<Engine>

export async function quickJs(take: (message: string) => void): Promise<Engine> {
  const engine = (await newQuickJSWASMModuleFromVariant(variant)).newContext()
  const made = engine.newFunction('tell', (message) => take(engine.getString(message)))
  engine.setProp(engine.global, 'tell', made)
  made.dispose()
  return {
    run(code) {
      // Promises run when the host says so.
      for (const result of [engine.evalCode(code), engine.runtime.executePendingJobs()])
        if (result.error) throw new Error(JSON.stringify(engine.dump(result.error)))
    },
    end: async () => {},
  }
}

/** Before what is meant for the host, among what else a program prints. */
const MARK = '\u0001'

/** An engine's program, which runs a script for each line that it reads. It has neither timers nor a network. */
async function program(command: string, args: string[], take: (message: string) => void): Promise<Engine> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  createInterface(child.stdout).on('line', (line) => {
    const at = line.indexOf(MARK)
    if (at >= 0) take(line.slice(at + 1))
  })
  const write = (line: string) =>
    child.stdin.write(
      `${line.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`,
    )
  write(`globalThis.tell = (message) => print(${JSON.stringify(MARK)} + message)`)
  return {
    run(code) {
      const failed = `tell(JSON.stringify(['done', error + ' ' + error.stack]))`
      write(`try { (0, eval)(${JSON.stringify(code)}) } catch (error) { ${failed} }`)
    },
    async end() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

/** Of the commit that React Native 0.70 has: no older one is used by any version that the client runs on. */
export const hermes: Begin = (take) => {
  const folder = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' }[process.platform as string]
  const command = createRequire(import.meta.url).resolve(`hermes-engine-cli/${folder}/hermes`)
  return program(command, [], take)
}

const LOOP = 'for (let line; (line = readline()); ) { (0, eval)(line); drainMicrotasks() }'

/** WebKit’s, where it is installed (Debian’s libjavascriptcoregtk-4.0-bin). */
export const javaScriptCore: Begin = (take) => program('jsc', ['-e', LOOP], take)

export const hasJavaScriptCore = spawnSync('jsc', ['-e', '']).status === 0
