import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { bus as measured } from '../telemetry/metrics.ts'
import type { Bus } from './bus.ts'
import type { Topic, Topics } from './events.ts'
import { LocalListeners } from './local-listeners.ts'
import type { SharedRedis } from './redis.ts'

/** How long a measurement of the lag waits for its event. */
const LAG_TIMEOUT_MS = 1_000
/** On this channel a node reports that it failed to publish an event. */
const RESYNC = 'resync'

/**
 * The bus of several nodes. Listeners of this node are called directly; other nodes that have subscribed to the topic
 * get the events by Redis pub/sub. A message is the publisher's id, so that a node can skip its own, and as JSON what was
 * published on the topic in one turn of the event loop: an event, or a list of several, which the version before doesn't
 * read.
 */
export function createRedisBus({ commands, subscriber, prefix }: SharedRedis, log: FastifyBaseLogger): Bus {
  const listeners = new LocalListeners(log)
  const resyncListeners: (() => void)[] = []
  const self = randomUUID()
  /** True while other nodes may have missed an event of this one. */
  let hasFailed = false
  /** A channel on which this node sends events to itself, to measure the lag. */
  const echo = `echo:${self}`
  let onEcho = () => {}
  /** What this turn of the event loop has published, by channel. */
  let unsent = new Map<string, unknown[]>()

  function tell(channel: string, event: unknown): void {
    if (unsent.size === 0) setImmediate(send)
    const events = unsent.get(channel)
    if (events) events.push(event)
    else unsent.set(channel, [event])
  }

  function send(): void {
    const pipeline = commands.pipeline()
    for (const [channel, events] of unsent)
      pipeline.publish(prefix + channel, self + JSON.stringify(events.length === 1 ? events[0] : events))
    unsent = new Map()
    void pipeline.exec((error, answers) => {
      if (error || answers?.some(([failure]) => failure)) hasFailed = true
    })
  }

  function hear(channel: string, text: string): void {
    const topic = channel.slice(prefix.length)
    if (topic === echo) onEcho()
    if (text.startsWith(self)) return
    if (topic === RESYNC) {
      resync()
      return
    }
    try {
      const heard = JSON.parse(text.slice(self.length)) as Topics[Topic] | Topics[Topic][]
      for (const event of Array.isArray(heard) ? heard : [heard]) {
        measured.received.add()
        if (typeof event?.kind !== 'string') throw new TypeError('no event')
        listeners.deliver(topic as Topic, event)
      }
    } catch (error) {
      log.warn({ err: error, topic }, 'a message on the bus could not be read')
    }
  }

  /** False if Redis did not answer; after the reconnect `rejoin` repeats the subscriptions. */
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
    if (await join([RESYNC, echo, ...listeners.topics()])) resync()
  }

  function resync(): void {
    for (const listener of resyncListeners) listener()
  }

  subscriber.on('message', hear)
  subscriber.on('ready', () => {
    measured.reconnects.add()
    void rejoin()
  })
  commands.on('ready', () => {
    measured.reconnects.add()
    if (!hasFailed) return
    hasFailed = false
    tell(RESYNC, {})
  })
  void join([RESYNC, echo])

  return {
    publish(topic, event) {
      measured.published.add()
      listeners.deliver(topic, event)
      tell(topic, event)
    },
    subscribe(topic, listener) {
      listeners.add(topic, listener)
      return {
        // Further listeners wait too: the subscription of the first one may not be finished yet.
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
    async measureLag() {
      const begun = performance.now()
      const heard = new Promise<boolean>((resolve) => {
        onEcho = () => resolve(true)
        setTimeout(() => resolve(false), LAG_TIMEOUT_MS).unref()
      })
      try {
        await commands.publish(prefix + echo, self)
        return (await heard) ? (performance.now() - begun) / 1_000 : undefined
      } catch {
        return undefined
      }
    },
    async close() {
      subscriber.off('message', hear)
    },
  }
}
