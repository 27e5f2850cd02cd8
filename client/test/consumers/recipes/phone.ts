// The bundle runs in QuickJS, with React Native's network code: whatwg-fetch and abort-controller, as they are there.
import { equal } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'
import { rolldown } from 'rolldown'
import { fetchFromService } from './service.ts'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const bundle = await rolldown({ input: file('phone-app.js'), platform: 'browser' })
const { output } = await bundle.generate({ format: 'iife' })

const engine = (await newQuickJSWASMModuleFromVariant(variant)).newContext()

function run(code: string): void {
  // Promises run when the host says so.
  for (const result of [engine.evalCode(code), engine.runtime.executePendingJobs()])
    if (result.error) throw new Error(JSON.stringify(engine.dump(result.error)))
}

function give(name: string, work: (...given: never[]) => unknown): void {
  const made = engine.newFunction(name, (...handles) => void work(...(handles.map(engine.dump) as never[])))
  engine.setProp(engine.global, name, made)
  made.dispose()
}

const outcome = new Promise<string>((resolve) => give('done', resolve))
const timers = new Set<NodeJS.Timeout>()
give('hostTimer', (id: number, ms: number) => {
  const timer = setTimeout(() => {
    timers.delete(timer)
    run(`onTimer(${id})`)
  }, ms)
  timers.add(timer)
})
give('hostSend', async (id: number, method: string, url: string, headers: string, body: string) => {
  const init = { method, headers: JSON.parse(headers), ...(body !== '' && { body }) }
  const answer = await fetchFromService(new Request(url, init))
  const sent = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const given = [id, answer.status, sent, await answer.text()]
  run(`onAnswer(${given.map((each) => JSON.stringify(each)).join(', ')})`)
})

run(await readFile(file('phone-platform.js'), 'utf8'))
run(output[0].code)
const state = JSON.parse(await outcome)
for (const timer of timers) clearTimeout(timer)
equal(state.encoder, 'none')
equal(state.kept, 'durable')
equal(state.aborted, 'AbortError')
equal(state.phase, 'submitted')
equal(state.answers[1], 'ä€😀')
equal(state.unsynced, 0)
