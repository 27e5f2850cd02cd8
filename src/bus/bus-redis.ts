import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from './bus.ts'
import type { Topic, Topics } from './events.ts'
import { LocalListeners } from './local-listeners.ts'
import type { SharedRedis } from './redis.ts'

/** Where a node says that it could not tell the others something. */
const RESYNC = 'resync'

/**
 * The bus of several nodes. Listeners of this node are called directly; the others hear of an event over
 * Redis pub/sub, if they subscribed to its topic. A message is the publisher's id, which lets a node pass
 * over its own, and the event as JSON.
 */
export function createRedisBus({ commands, subscriber, prefix }: SharedRedis, log: FastifyBaseLogger): Bus {
  const listeners = new LocalListeners(log)
  const resyncListeners: (() => void)[] = []
  const self = randomUUID()
  /** True while the other nodes may lack something that this one published. */
  let untold = false

  function tell(channel: string, event: unknown): void {
    commands.publish(prefix + channel, self + JSON.stringify(event)).catch(() => {
      untold = true
    })
  }

  function hear(channel: string, text: string): void {
    if (text.startsWith(self)) return
    const topic = channel.slice(prefix.length)
    if (topic === RESYNC) {
      resync()
      return
    }
    try {
      const event = JSON.parse(text.slice(self.length)) as Topics[Topic]
      if (typeof event?.kind !== 'string') throw new TypeError('no event')
      listeners.deliver(topic as Topic, event)
    } catch (error) {
      log.warn({ err: error, topic }, 'a message on the bus could not be read')
    }
  }

  /** False if Redis did not answer; then the connection begins afresh, and `rejoin` makes up for it. */
  async function join(channels: string[]): Promise<boolean> {
    try {
      await subscriber.subscribe(...channels.map((channel) => prefix + channel))
      return true
    } catch {
      if (subscriber.status === 'ready') subscriber.disconnect(true)
      return false
    }
  }

  async function rejoin(): Promise<void> {
    if (await join([RESYNC, ...listeners.topics()])) resync()
  }

  function resync(): void {
    for (const listener of resyncListeners) listener()
  }

  subscriber.on('message', hear)
  subscriber.on('ready', () => void rejoin())
  commands.on('ready', () => {
    if (!untold) return
    untold = false
    tell(RESYNC, {})
  })
  void join([RESYNC])

  return {
    publish(topic, event) {
      listeners.deliver(topic, event)
      tell(topic, event)
    },
    subscribe(topic, listener) {
      listeners.add(topic, listener)
      return {
        // Also for a further listener: the first one's subscription may be under way still.
        ready: join([topic]).then(() => {}),
        close() {
          if (listeners.remove(topic, listener)) subscriber.unsubscribe(prefix + topic).catch(() => {})
        },
      }
    },
    onResync: (listener) => void resyncListeners.push(listener),
    async ping() {
      await Promise.all([commands.ping(), subscriber.ping()])
    },
    async close() {
      subscriber.off('message', hear)
    },
  }
}
