import { deepEqual, equal } from 'node:assert/strict'
import { createClient } from '@exam-practice/client'
import { openExam } from '@exam-practice/client/exam'
import { reactNative } from '@exam-practice/client/react-native'
import { asyncStore } from './async-store.ts'
import { answers, fetchFromService, until } from './service.ts'

// What a phone has, as AsyncStorage, AppState, NetInfo and expo-crypto give it.
const items = new Map<string, string>()
const AsyncStorage = {
  getItem: async (key: string) => items.get(key) ?? null,
  setItem: async (key: string, value: string) => void items.set(key, value),
  removeItem: async (key: string) => void items.delete(key),
  getAllKeys: async () => [...items.keys()],
}
const AppState = { currentState: 'active', addEventListener: () => ({ remove() {} }) }
const NetInfo = { addEventListener: () => () => {} }
const Crypto = { randomUUID: () => crypto.randomUUID() }

let isOnline = true
function start() {
  const store = asyncStore(AsyncStorage)
  const platform = reactNative({ AppState, NetInfo, store, uuid: Crypto.randomUUID })
  const fetch = (request: Request) =>
    isOnline ? fetchFromService(request) : Promise.reject(new TypeError('Network request failed'))
  return createClient({ baseUrl: 'http://service.test', platform: { ...platform, fetch } })
}

const client = start()
await client.session.login({ username: 'alice', password: 'practice' })
equal(client.$storage.get(), 'durable')
const { exam } = await openExam(client, 7)
isOnline = false
equal(await exam?.answer(1, 'C'), 'durable')
// The system ends the app; it is started again without a network, and then has one.
client.close()
const again = start()
equal((await again.session.ready)?.username, 'alice')
const { exam: reopened } = await openExam(again, 7)
deepEqual(reopened?.$state.get().answers, { 1: 'C' })
isOnline = true
await reopened?.refresh()
await until(() => answers[1] === 'C')
reopened?.close()
again.close()
