import { atom, type ReadableAtom } from 'nanostores'
import { withLimit } from '../http/request.ts'
import type { Platform, Store } from '../platform.ts'
import { memoryStore } from './memory.ts'

/** A store that takes longer than this has failed. */
const LIMIT_MS = 4_000
const PROBES = 2

/**
 * `durable`: what is written stays on this machine. `memory`: it is forgotten with the page, because there is no store,
 * or none that works. `full`: the latest write failed; what this page has is tried again.
 */
export type StorageState = 'durable' | 'memory' | 'full'

/**
 * The platform's store, as far as it can be relied upon: it is tried first, and replaced by memory if it doesn't work;
 * every use has a time limit. A use that fails rejects, and so does each one while an earlier one hangs: else the two
 * could overtake each other.
 */
export class Storage implements Store {
  readonly #state = atom<StorageState>('durable')
  readonly $state: ReadableAtom<StorageState> = this.#state
  readonly #platform: Platform
  readonly #chosen: Promise<Store>
  #hanging = 0

  constructor(platform: Platform) {
    this.#platform = platform
    this.#chosen = this.#choose()
  }

  get(key: string): Promise<unknown> {
    return this.#use((store) => store.get(key))
  }

  list(prefix: string): Promise<[string, unknown][]> {
    return this.#use((store) => store.list(prefix))
  }

  set(key: string, value: unknown): Promise<void> {
    return this.#use((store) => store.set(key, value), true)
  }

  delete(key: string): Promise<void> {
    return this.#use((store) => store.delete(key), true)
  }

  update(key: string, change: (stored: unknown) => unknown): Promise<void> {
    return this.#use(async (store) => {
      if (store.update) return store.update(key, change)
      const stored = await store.get(key)
      const value = change(stored)
      if (value === undefined) await store.delete(key)
      else if (value !== stored) await store.set(key, value)
    }, true)
  }

  close(): void {
    void this.#chosen.then((store) => store.close?.())
  }

  async #choose(): Promise<Store> {
    const { store } = this.#platform
    for (let probe = 1; probe <= PROBES; probe++)
      try {
        await withLimit(
          this.#platform,
          LIMIT_MS / PROBES,
          probeStore(store, `probe/${this.#platform.uuid()}`),
        )
        if (store.isVolatile) this.#state.set('memory')
        return store
      } catch {}
    this.#state.set('memory')
    return memoryStore()
  }

  async #use<T>(work: (store: Store) => Promise<T>, isWrite = false): Promise<T> {
    const store = await this.#chosen
    let isLate = false
    try {
      if (this.#hanging > 0) throw new Error('The store hangs')
      const running = (async () => work(store))().finally(() => {
        if (isLate) this.#hanging -= 1
      })
      const result = await withLimit(this.#platform, LIMIT_MS, running, () => {
        isLate = true
        this.#hanging += 1
      })
      if (isWrite && this.#state.get() === 'full') this.#state.set('durable')
      return result
    } catch (error) {
      if (isWrite && this.#state.get() === 'durable') this.#state.set('full')
      throw error
    }
  }
}

/** Rejects unless a value can be written, read and deleted. */
async function probeStore(store: Store, key: string): Promise<void> {
  await store.set(key, key)
  if ((await store.get(key)) !== key) throw new Error('The store forgets')
  await store.delete(key)
}
