// Runs inside of QuickJS, which has what a phone's engine has: no TextEncoder, no crypto, no structuredClone, no DOM.
import 'whatwg-fetch'
import { createClient } from '@exam-practice/client'
import { openExam } from '@exam-practice/client/exam'
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

Object.assign(globalThis, { AbortController, AbortSignal })

async function run() {
  const platform = reactNative({
    AppState: { currentState: 'active', addEventListener: () => ({ remove() {} }) },
    NetInfo: { addEventListener: () => () => {} },
    store: asyncStore(AsyncStorage),
    uuid: () => `${Math.random()}`,
  })
  const client = createClient({ baseUrl: 'http://service.test', platform })
  await client.session.login({ username: 'alice', password: 'practice' })
  const { exam } = await openExam(client, 7)
  const kept = await exam.answer(1, 'ä€😀')
  await exam.submit()
  await new Promise((resolve) => exam.$state.subscribe(({ phase }) => phase === 'submitted' && resolve()))
  const abort = new AbortController()
  const asked = client.GET('/api/v01/auth/me', { signal: abort.signal }).catch((error) => error.name)
  abort.abort()
  const { name } = globalThis.TextEncoder ?? { name: 'none' }
  const outcome = { encoder: name, kept, aborted: await asked, ...exam.$state.get() }
  client.close()
  return JSON.stringify(outcome)
}

run().then(done, (error) => done(`${error} ${error.stack}`))
