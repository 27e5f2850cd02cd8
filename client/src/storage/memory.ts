import type { Store } from '../platform.ts'

/** A store in memory: for tests, servers, and machines on which nothing may be left. */
export function memoryStore(entries = new Map<string, unknown>()): Store {
  const write = (key: string, value: unknown) => void entries.set(key, copy(value))
  return {
    isVolatile: true,
    get: async (key) => copy(entries.get(key)),
    set: async (key, value) => write(key, value),
    delete: async (key) => void entries.delete(key),
    async update(key, change) {
      const value = change(copy(entries.get(key)))
      if (value === undefined) entries.delete(key)
      else write(key, value)
    },
    list: async (prefix) =>
      [...entries]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]) => [key, copy(value)]),
  }
}

/**
 * A copy, so that entries can't be changed from outside; files can't be changed. Not every phone has `structuredClone`.
 */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (value?.constructor !== Object) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]))
}
