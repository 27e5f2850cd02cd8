import type { Store } from '../platform.ts'

const TABLE = 'entries'

/** One table of one database, opened when it is first needed. */
export function indexedDbStore(name = 'exam-practice'): Store {
  let opening: Promise<IDBDatabase> | undefined

  function open(): Promise<IDBDatabase> {
    opening ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, 1)
      request.onupgradeneeded = () => request.result.createObjectStore(TABLE)
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        const database = request.result
        // Another tab deletes or upgrades the database, or the browser closed it: the next use opens it again.
        database.onversionchange = () => {
          opening = undefined
          database.close()
        }
        database.onclose = () => {
          opening = undefined
        }
        resolve(database)
      }
    })
    // The next use tries again. Where storage is denied, `open` itself throws.
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }

  /** The results of these requests, once the transaction is complete. */
  async function run(
    mode: IDBTransactionMode,
    ask: (table: IDBObjectStore) => IDBRequest[],
  ): Promise<unknown[]> {
    // `strict`: an entry that is reported as stored survives a loss of power.
    const transaction = (await open()).transaction(TABLE, mode, { durability: 'strict' })
    const requests = ask(transaction.objectStore(TABLE))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(requests.map(({ result }) => result))
      transaction.onabort = () => reject(transaction.error)
    })
  }

  return {
    get: async (key) => (await run('readonly', (table) => [table.get(key)]))[0],
    set: async (key, value) => void (await run('readwrite', (table) => [table.put(value, key)])),
    async update(key, change) {
      await run('readwrite', (table) => {
        const stored = table.get(key)
        stored.onsuccess = () => {
          const value = change(stored.result)
          if (value === undefined) table.delete(key)
          else if (value !== stored.result) table.put(value, key)
        }
        return []
      })
    },
    delete: async (key) => void (await run('readwrite', (table) => [table.delete(key)])),
    async list(prefix) {
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
      const both = await run('readonly', (table) => [table.getAllKeys(range), table.getAll(range)])
      const [keys, values] = both as [string[], unknown[]]
      return keys.map((key, index) => [key, values[index]])
    },
    close() {
      void opening?.then((database) => database.close())
      opening = undefined
    },
  }
}
