import type { FastifyBaseLogger } from 'fastify'
import type { Listener } from './bus.ts'
import type { Topic, Topics } from './events.ts'

/** The listeners of one node by topic, for both kinds of bus. */
export class LocalListeners {
  readonly #topics = new Map<string, Set<Listener<never>>>()
  readonly #log: FastifyBaseLogger

  constructor(log: FastifyBaseLogger) {
    this.#log = log
  }

  add<T extends Topic>(topic: T, listener: Listener<T>): void {
    const listeners = this.#topics.get(topic)
    if (listeners) listeners.add(listener)
    else this.#topics.set(topic, new Set([listener]))
  }

  /** True if it was the last listener of its topic. */
  remove<T extends Topic>(topic: T, listener: Listener<T>): boolean {
    const listeners = this.#topics.get(topic)
    if (!listeners?.delete(listener) || listeners.size > 0) return false
    this.#topics.delete(topic)
    return true
  }

  deliver<T extends Topic>(topic: T, event: Topics[T]): void {
    const listeners = this.#topics.get(topic)
    if (!listeners) return
    // A copy, so that a listener may unsubscribe itself while it is being called.
    for (const listener of [...listeners] as Listener<T>[]) {
      try {
        listener(event)
      } catch (error) {
        this.#log.error({ err: error, topic }, 'a bus listener failed')
      }
    }
  }

  topics(): string[] {
    return [...this.#topics.keys()]
  }
}
