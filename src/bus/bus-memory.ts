import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from './bus.ts'
import { LocalListeners } from './local-listeners.ts'

/** The bus of a single node: all listeners are in this process, and it is never away. */
export function createMemoryBus(log: FastifyBaseLogger): Bus {
  const listeners = new LocalListeners(log)
  const name = randomUUID()
  return {
    publish: (topic, event) => listeners.deliver(topic, event),
    subscribe(topic, listener) {
      listeners.add(topic, listener)
      return { ready: Promise.resolve(), close: () => void listeners.remove(topic, listener) }
    },
    onResync() {},
    identify: async () => name,
    async ping() {},
    measureLag: async () => undefined,
    async close() {},
  }
}
