// The bundle runs in QuickJS, Hermes and JavaScriptCore, with React Native's network code: whatwg-fetch and
// abort-controller, as they are there. First with all that a phone may have, then without each of it, then without any.
import { equal } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transformSync } from '@babel/core'
import { rolldown } from 'rolldown'
import { type Begin, hasJavaScriptCore, hermes, javaScriptCore, quickJs } from './phone-engines.ts'
import { fetchFromService, forget } from './service.ts'

/** What engines and React Native lack, some of them or all. */
const MAY_LACK = [
  'TextEncoder',
  'TextDecoder',
  'structuredClone',
  'queueMicrotask',
  'crypto',
  'crypto.randomUUID',
  'AbortSignal.timeout',
  'AbortSignal.any',
  'AbortSignal.prototype.reason',
  'AbortSignal.prototype.throwIfAborted',
  'WeakRef',
  'FinalizationRegistry',
  'Intl',
  'Intl.Segmenter',
  'URL',
  'ReadableStream',
  'Blob',
  'Array.fromAsync',
  'Array.prototype.at',
  'Array.prototype.findLast',
  'Array.prototype.toSorted',
  'Object.groupBy',
  'Object.hasOwn',
  'Promise.allSettled',
  'Promise.any',
  'Promise.withResolvers',
  'String.prototype.isWellFormed',
  'String.prototype.replaceAll',
]

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const bundle = await rolldown({ input: file('phone-app.js'), platform: 'browser' })
const { output } = await bundle.generate({ format: 'iife' })
const [{ code }] = output
const platform = await readFile(file('phone-platform.js'), 'utf8')
/** As an app of React Native compiles it: Hermes knows neither classes nor async functions. */
const compile = (source: string) =>
  transformSync(source, {
    // The helpers are written into the file, since nobody is here to load them.
    presets: [['@react-native/babel-preset', { enableBabelRuntime: false }]],
    filename: 'app.js',
    babelrc: false,
    configFile: false,
  })?.code ?? ''

async function tryIn(what: string, begin: Begin, [before, app]: string[], lacking: string[]): Promise<void> {
  forget()
  const timers = new Set<NodeJS.Timeout>()
  let resolve: (said: string) => void = () => {}
  const outcome = new Promise<string>((settle) => {
    resolve = settle
  })
  const host: Record<string, (...given: never[]) => unknown> = {
    done: (said: string) => resolve(said),
    hostTimer(id: number, ms: number) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        engine.run(`onTimer(${id})`)
      }, ms)
      timers.add(timer)
    },
    async hostSend(id: number, method: string, url: string, headers: string, body: string) {
      const init = { method, headers: JSON.parse(headers), ...(body !== '' && { body }) }
      const answer = await fetchFromService(new Request(url, init))
      const sent = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
      const given = [id, answer.status, sent, await answer.text()]
      engine.run(`onAnswer(${given.map((each) => JSON.stringify(each)).join(', ')})`)
    },
  }
  const engine = await begin((message) => {
    const [name, ...given] = JSON.parse(message)
    host[name]?.(...(given as never[]))
  })
  const late = setTimeout(() => resolve('it took too long'), 20_000)
  engine.run(`globalThis.LACKING = ${JSON.stringify(lacking)}`)
  engine.run(before ?? '')
  engine.run(app ?? '')
  const said = await outcome
  for (const timer of [late, ...timers]) clearTimeout(timer)
  await engine.end()
  const state = said.startsWith('{') ? JSON.parse(said) : { error: said }
  equal(state.error, undefined, `${what}: ${state.error}`)
  equal(state.found.join(), '', `${what} has what it should lack`)
  equal(state.kept, 'durable', what)
  equal(state.aborted, 'AbortError', what)
  equal(state.phase, 'submitted', what)
  equal(state.answers[1], 'ä€😀', what)
  equal(state.unsynced, 0, what)
  equal(state.left, 0, what)
  equal(new Set(state.uuids.filter((each: string) => each.length > 30)).size, 2, what)
}

const lacks = [[], ...MAY_LACK.map((each) => [each]), MAY_LACK]
const engines: [string, Begin, string[]][] = [
  ['QuickJS', quickJs, [platform, code]],
  ['Hermes', hermes, [compile(platform), compile(code)]],
  ...(hasJavaScriptCore
    ? [['JavaScriptCore', javaScriptCore, [platform, code]] satisfies [string, Begin, string[]]]
    : []),
]
for (const [name, begin, scripts] of engines)
  for (const lacking of lacks) {
    const what = lacking.length > 1 ? 'any of it' : (lacking[0] ?? 'nothing')
    await tryIn(`${name} without ${what}`, begin, scripts, lacking)
  }
