import type { Store } from '../platform.ts'

/** A store in memory: for tests, servers, and machines on which nothing may be left. */
export function memoryStore(entries = new Map<string, string>()): Store {
  return {
    get: async (key) => parse(entries.get(key)),
    // Stored as text, so that entries can't be changed from outside.
    set: async (key, value) => void entries.set(key, JSON.stringify(value)),
    delete: async (key) => void entries.delete(key),
    list: async (prefix) =>
      [...entries]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]) => [key, parse(value)]),
  }
}

function parse(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
