import { beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS } from '../../test/support/patience.ts'
import { connectedPair, type SharedService, sharedService } from '../../test/support/service.ts'
import { createChat, type RoomMessage } from '../src/chat/chat.ts'
import type { Platform } from '../src/index.ts'
import { openApp, until } from './support/app.ts'
import { Network } from './support/network.ts'

// Loaded by a variable, so that its file is not checked here: its types are those of phones, not of Node.
const PLATFORM = '../src/platforms/react-native.ts'
const { reactNative }: { reactNative(options: object): Platform } = await import(PLATFORM)

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

/** The parts of React Native's API that the client uses; the test says what happens on the phone. */
class Phone {
  currentState = 'active'
  readonly #appListeners = new Set<(state: string) => void>()
  readonly #netListeners = new Set<(state: { isConnected: boolean | null }) => void>()

  readonly platform = () =>
    reactNative({
      AppState: {
        currentState: this.currentState,
        addEventListener: (_: string, listener: (state: string) => void) => {
          this.#appListeners.add(listener)
          return { remove: () => this.#appListeners.delete(listener) }
        },
      },
      NetInfo: {
        addEventListener: (listener: (state: { isConnected: boolean | null }) => void) => {
          this.#netListeners.add(listener)
          return () => this.#netListeners.delete(listener)
        },
      },
    })

  show(state: 'active' | 'background'): void {
    for (const tell of this.#appListeners) tell(state)
  }

  connect(isConnected: boolean | null): void {
    for (const tell of this.#netListeners) tell({ isConnected })
  }

  get listeners(): number {
    return this.#appListeners.size + this.#netListeners.size
  }
}

test('an app that was in the background without a network shows what it missed when it is opened again', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const network = await Network.start(alice.url)
  const phone = new Phone()
  const app = await openApp(alice, { url: network.url, platform: phone.platform() })
  const chat = createChat(app)
  const room = chat.room(conversationId)
  await until(app.live.$status, (status) => status === 'online')
  await until(room.$state, ({ status }) => status === 'ready')

  // The socket is dead, but the app has got no close event.
  phone.show('background')
  phone.connect(false)
  network.down()
  network.freeze()
  await bob.send(conversationId, 'while you were away')
  network.heal()
  phone.connect(true)
  phone.show('active')
  const isThere = (messages: readonly RoomMessage[]) => messages.at(-1)?.message === 'while you were away'
  await until(room.$messages, isThere, PATIENCE_MS)

  await chat.send(conversationId, 'here again')
  await until(room.$messages, (messages) => messages.at(-1)?.state === 'sent')
  app.close()
  expect(phone.listeners).toBe(0)
  network.close()
})
