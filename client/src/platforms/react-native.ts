import type { LifeEvent, Platform, Store } from '../platform.ts'
import { memoryStore } from '../storage/memory.ts'
import { check, globals, randomUuid } from './globals.ts'
import { uploadByXhr } from './xhr.ts'

interface Subscription {
  remove(): void
}

export interface ReactNativeOptions {
  /** Of `react-native`. */
  AppState: {
    readonly currentState: string | null
    addEventListener(type: 'change', listener: (state: string) => void): Subscription
  }
  /** Of `@react-native-community/netinfo`. */
  NetInfo: { addEventListener(listener: (state: { isConnected: boolean | null }) => void): () => void }
  /**
   * A durable store: four methods around AsyncStorage, MMKV or SQLite. Left out: everything is forgotten when the app
   * ends.
   */
  store?: Store
  /** For platforms without `crypto.getRandomValues`, for example that of `expo-crypto`. */
  uuid?: () => string
}

/** A phone app, which has no tabs. */
export function reactNative({ AppState, NetInfo, store, uuid }: ReactNativeOptions): Platform {
  check('React Native’s globals, and `uuid` where there is no crypto', ...(uuid ? [] : ['crypto']))
  return {
    ...globals,
    store: store ?? memoryStore(),
    uuid: uuid ?? randomUuid,
    isVisible: () => AppState.currentState === 'active',
    upload: uploadByXhr,
    watch(tell: (event: LifeEvent) => void) {
      let wasConnected = true
      const app = AppState.addEventListener('change', (state) => tell(state === 'active' ? 'wake' : 'hide'))
      const stop = NetInfo.addEventListener(({ isConnected }) => {
        if (isConnected && !wasConnected) tell('wake')
        wasConnected = isConnected === true
      })
      return () => {
        app.remove()
        stop()
      }
    },
  }
}
