// Runs inside of an engine that has what a phone's has.
import 'whatwg-fetch'
import { createClient } from '@exam-practice/client'
import { openExam, sendKeptAnswers } from '@exam-practice/client/exam'
import { reactNative } from '@exam-practice/client/react-native'
import { AbortController, AbortSignal } from 'abort-controller/dist/abort-controller.mjs'
import { asyncStore } from './async-store.ts'

const items = new Map()
const AsyncStorage = {
  getItem: async (key) => items.get(key) ?? null,
  setItem: async (key, value) => void items.set(key, value),
  removeItem: async (key) => void items.delete(key),
  getAllKeys: async () => [...items.keys()],
}

/** As in React Native from 0.87 on: a signal says why. */
class Controller extends AbortController {
  abort(reason = Object.assign(new Error('It was aborted'), { name: 'AbortError' })) {
    if (!globalThis.LACKING.includes('AbortSignal.prototype.reason')) this.signal.reason ??= reason
    super.abort()
  }
}
Object.assign(AbortSignal, {
  any() {
    throw new Error('Not on phones')
  },
  timeout() {
    throw new Error('Not on phones')
  },
})
AbortSignal.prototype.throwIfAborted = function throwIfAborted() {
  if (this.aborted) throw this.reason
}
Object.assign(globalThis, { AbortController: Controller, AbortSignal })
globalThis.takeAway()

async function run() {
  const platform = reactNative({
    AppState: { currentState: 'active', addEventListener: () => ({ remove() {} }) },
    NetInfo: { addEventListener: () => () => {} },
    store: asyncStore(AsyncStorage),
    ...(globalThis.crypto === undefined && { uuid: () => `of the app ${'0'.repeat(30)} ${Math.random()}` }),
  })
  const client = createClient({ baseUrl: 'http://service.test', platform })
  const kept = sendKeptAnswers(client)
  await client.session.login({ username: 'alice', password: 'practice' })
  const { exam } = await openExam(client, 7)
  const stored = await exam.answer(1, 'ä€😀')
  await exam.submit()
  await new Promise((resolve) => exam.$state.subscribe(({ phase }) => phase === 'submitted' && resolve()))
  await kept.send()
  const abort = new AbortController()
  const asked = client.GET('/api/v01/auth/me', { signal: abort.signal }).catch((error) => error.name)
  abort.abort()
  const outcome = {
    found: globalThis.listFound(),
    kept: stored,
    aborted: await asked,
    left: kept.$kept.get().length,
    uuids: [platform.uuid(), platform.uuid()],
    ...exam.$state.get(),
  }
  client.close()
  return JSON.stringify(outcome)
}

run().then(globalThis.done, (error) => globalThis.done(`${error} ${error?.stack}`))
