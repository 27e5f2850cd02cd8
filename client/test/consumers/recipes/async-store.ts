import type { Store } from '@exam-practice/client'

/** The part of `@react-native-async-storage/async-storage` that is used. */
interface AsyncStorage {
  getItem(key: string): Promise<string | null>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  getAllKeys(): Promise<readonly string[]>
}

export function asyncStore(storage: AsyncStorage): Store {
  const get = async (key: string) => {
    const text = await storage.getItem(key)
    return text === null ? undefined : JSON.parse(text)
  }
  return {
    get,
    set: (key, value) => storage.setItem(key, JSON.stringify(value)),
    delete: (key) => storage.removeItem(key),
    async list(prefix) {
      const keys = (await storage.getAllKeys()).filter((key) => key.startsWith(prefix)).sort()
      return Promise.all(keys.map(async (key): Promise<[string, unknown]> => [key, await get(key)]))
    },
  }
}
