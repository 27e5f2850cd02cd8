import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { every } from '../scheduling/periodic.ts'
import { shared } from '../scheduling/shared.ts'
import { bus as measured } from '../telemetry/metrics.ts'
import type { Bus } from './bus.ts'
import { isKnownKind, type Topic, type Topics } from './events.ts'
import { LocalListeners } from './local-listeners.ts'
import { openChannels } from './redis-channels.ts'
import type { SharedRedis } from './redis-connections.ts'

/** How long a measurement of the lag waits for its event. */
const LAG_TIMEOUT_MS = 1_000
/** How often a node tries whether the topics on which it failed to publish can be reached again. */
const RETRY_MS = 1_000
/** On this topic a node reports that it failed to publish an event. */
const RESYNC = 'resync'

/**
 * The bus of several nodes. Listeners of this node are called directly; other nodes that have subscribed to the topic
 * get the events by Redis pub/sub. A message is the publisher's id, so that a node can skip its own, and as JSON what
 * was published on the topic in one turn of the event loop: an event, or a list of several.
 */
export function createRedisBus(redis: SharedRedis, log: FastifyBaseLogger): Bus {
  const channels = openChannels(redis)
  const listeners = new LocalListeners(log)
  const resyncListeners: (() => void)[] = []
  const self = randomUUID()
  /** Topics of which other nodes may have missed an event of this one. */
  const failed = new Set<string>()
  /** A topic on which this node sends events to itself, to measure the lag. */
  const echo = `echo:${self}`
  let onEcho = () => {}
  /** What this turn of the event loop has published, by topic. */
  let unsent = new Map<string, unknown[]>()

  function tell(topic: string, event: unknown): void {
    if (unsent.size === 0) setImmediate(send)
    const events = unsent.get(topic)
    if (events) events.push(event)
    else unsent.set(topic, [event])
  }

  async function send(): Promise<void> {
    const texts = new Map<string, string>()
    for (const [topic, events] of unsent)
      texts.set(topic, self + JSON.stringify(events.length === 1 ? events[0] : events))
    unsent = new Map()
    for (const topic of await channels.publish(texts)) failed.add(topic)
  }

  /** Once all the topics that failed can be reached again, all nodes read again what they may have missed. */
  async function retry(): Promise<void> {
    if (failed.size === 0) return
    const topics = [...failed]
    const unreachable = await channels.publish(new Map(topics.map((topic) => [topic, `${self}[]`])))
    if (unreachable.length > 0) return
    for (const topic of topics) failed.delete(topic)
    tell(RESYNC, {})
  }

  function hear(topic: string, text: string): void {
    if (topic === echo) onEcho()
    if (text.startsWith(self)) return
    if (topic === RESYNC) {
      resync()
      return
    }
    try {
      const heard = JSON.parse(text.slice(self.length)) as Topics[Topic] | Topics[Topic][]
      for (const event of Array.isArray(heard) ? heard : [heard]) {
        measured.received.inc()
        if (typeof event?.kind !== 'string') throw new TypeError('no event')
        // A node of a newer version says more than this one understands.
        if (isKnownKind(topic as Topic, event.kind)) listeners.deliver(topic as Topic, event)
      }
    } catch (error) {
      log.warn({ err: error, topic }, 'a message on the bus could not be read')
    }
  }

  async function rejoin(): Promise<void> {
    measured.reconnects.inc()
    if (await channels.join([RESYNC, echo, ...listeners.topics()])) resync()
  }

  function resync(): void {
    for (const listener of resyncListeners) listener()
  }

  channels.onText(hear)
  channels.onReturn(() => void rejoin())
  void channels.join([RESYNC, echo])
  const retrying = every(RETRY_MS, 'telling what other nodes have missed', retry, log)

  return {
    publish(topic, event) {
      measured.published.inc()
      listeners.deliver(topic, event)
      tell(topic, event)
    },
    subscribe(topic, listener) {
      listeners.add(topic, listener)
      return {
        // Further listeners wait too: the subscription of the first one may not be finished yet.
        ready: channels.join([topic]).then(() => {}),
        close() {
          if (listeners.remove(topic, listener)) channels.leave(topic)
        },
      }
    },
    onResync: (listener) => void resyncListeners.push(listener),
    // The first node that comes gives the name.
    identify: async () => {
      try {
        return (await redis.commands.set(`${redis.prefix}bus`, self, 'NX', 'GET')) ?? self
      } catch {
        return undefined
      }
    },
    ping: channels.ping,
    measureLag: shared(async () => {
      const begun = performance.now()
      const heard = new Promise<boolean>((resolve) => {
        onEcho = () => resolve(true)
        setTimeout(() => resolve(false), LAG_TIMEOUT_MS).unref()
      })
      const lost = await channels.publish(new Map([[echo, self]]))
      return lost.length === 0 && (await heard) ? (performance.now() - begun) / 1_000 : undefined
    }),
    close: () => retrying.close(),
  }
}
