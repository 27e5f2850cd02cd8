import type { Bus, Subscription } from '../bus/bus.ts'
import type { ClientTopic } from '../bus/events.ts'
import { AppError } from '../errors.ts'
import { encodeFrame } from './frame.ts'

/** Topics that one socket may listen to at once. */
const LIMIT = 100

/** What one socket asked to hear of beyond its owner's own conversations. */
export class SocketTopics {
  readonly #bus: Bus
  readonly #write: (frame: Buffer) => void
  readonly #subscriptions = new Map<ClientTopic, Subscription>()

  constructor(bus: Bus, write: (frame: Buffer) => void) {
    this.#bus = bus
    this.#write = write
  }

  /** Resolves once events of the topic will arrive. */
  async add(topic: ClientTopic): Promise<void> {
    if (this.#subscriptions.has(topic)) return
    if (this.#subscriptions.size >= LIMIT)
      throw new AppError('validation_failed', { message: `At most ${LIMIT} topics at once` })
    const subscription = this.#bus.subscribe(topic, ({ frame }) => this.#write(encodeFrame(frame)))
    this.#subscriptions.set(topic, subscription)
    await subscription.ready
  }

  remove(topic: ClientTopic): void {
    this.#subscriptions.get(topic)?.close()
    this.#subscriptions.delete(topic)
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close()
    this.#subscriptions.clear()
  }
}
