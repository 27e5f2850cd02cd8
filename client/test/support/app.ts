import './no-browser.ts'
import { onTestFinished } from 'vitest'
import { PASSWORD, type Client as Person } from '../../../test/support/client.ts'
import { PATIENCE_MS } from '../../../test/support/patience.ts'
import { type Client, createClient, type Platform, type Store } from '../../src/index.ts'
import { node } from '../../src/platforms/node.ts'
import { memoryStore } from '../../src/storage/memory.ts'

export interface AppOptions {
  url?: string
  store?: Store
  platform?: Partial<Platform>
}

/** A client that is signed in as this person; it is closed when the test ends. */
export async function openApp(person: Person, options: AppOptions = {}): Promise<Client> {
  const client = newApp(options.url ?? person.url, options)
  const { error } = await client.session.login({ username: person.username, password: PASSWORD })
  if (error) throw new Error(error.message)
  return client
}

/** A client that is signed in only if its store holds a session; it is closed when the test ends. */
export function newApp(url: string, { store = memoryStore(), platform }: AppOptions = {}): Client {
  const client = createClient({ baseUrl: url, platform: { ...node({ store }), ...platform } })
  onTestFinished(() => client.close())
  return client
}

/** Resolves with the store's value as soon as it fits. */
export async function until<T>(
  $store: { listen(take: (value: T) => void): () => void; get(): T },
  fits: (value: T) => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  if (fits($store.get())) return $store.get()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop()
      reject(new Error(`it stays ${JSON.stringify($store.get()).slice(0, 2_000)}`))
    }, timeoutMs)
    const stop = $store.listen((value) => {
      if (!fits(value)) return
      clearTimeout(timer)
      queueMicrotask(() => stop())
      resolve(value)
    })
  })
}
