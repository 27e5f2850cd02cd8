import { Cluster, type Redis } from 'ioredis'
import type { SharedRedis } from './redis-connections.ts'

/** How long after a failure a cluster's channels are joined again. */
const REJOIN_MS = 1_000

/** The bus' channels: a Redis' own, or a cluster's sharded ones, which lie on the primary of their topic's slot. */
export interface RedisChannels {
  /** Sends texts by topic; resolves with the topics of those that may be lost. */
  publish(texts: ReadonlyMap<string, string>): Promise<string[]>
  /** False if Redis did not answer; `onReturn` is called when it is worth another try. */
  join(topics: string[]): Promise<boolean>
  leave(topic: string): void
  onText(listener: (topic: string, text: string) => void): void
  /** Called when subscriptions may be lost, and texts missed, because a connection is new or a slot has moved. */
  onReturn(listener: () => void): void
  /** Rejects while some of the channels can't be reached. */
  ping(): Promise<void>
}

export function openChannels({ commands, subscriber, prefix }: SharedRedis): RedisChannels {
  return commands instanceof Cluster
    ? openShardedChannels(commands, prefix)
    : openPlainChannels(commands, subscriber as Redis, prefix)
}

function openPlainChannels(commands: Redis, subscriber: Redis, prefix: string): RedisChannels {
  return {
    async publish(texts) {
      const pipeline = commands.pipeline()
      for (const [topic, text] of texts) pipeline.publish(prefix + topic, text)
      const answers = await pipeline.exec().catch(() => null)
      return [...texts.keys()].filter((_, index) => !answers?.[index] || answers[index][0] !== null)
    },
    async join(topics) {
      try {
        await subscriber.subscribe(...topics.map((topic) => prefix + topic))
        return true
      } catch {
        if (subscriber.status === 'ready') subscriber.disconnect(true)
        return false
      }
    },
    leave: (topic) => void subscriber.unsubscribe(prefix + topic).catch(() => {}),
    onText: (listener) =>
      void subscriber.on('message', (channel, text) => listener(channel.slice(prefix.length), text)),
    onReturn: (listener) => void subscriber.on('ready', listener),
    async ping() {
      await Promise.all([commands.ping(), subscriber.ping()])
    },
  }
}

function openShardedChannels(cluster: Cluster, prefix: string): RedisChannels {
  /** A topic's hash tag says which slot its channel is in. */
  const channelOf = (topic: string) => `${prefix}{${topic}}`
  /** ioredis would list a channel as often as it is subscribed to. */
  const joined = new Map<string, Promise<unknown>>()
  const listeners: (() => void)[] = []
  let rejoining: NodeJS.Timeout | undefined

  function tellReturn(): void {
    clearTimeout(rejoining)
    rejoining = undefined
    joined.clear()
    for (const listener of listeners) listener()
  }

  function subscribe(topic: string): Promise<unknown> {
    const subscribing = joined.get(topic) ?? cluster.ssubscribe(channelOf(topic))
    joined.set(topic, subscribing)
    return subscribing
  }

  // ioredis tells so after each change of the cluster that it has noticed.
  cluster.on('subscribersReady', tellReturn)
  cluster.on('ready', tellReturn)

  return {
    async publish(texts) {
      // Async: for a slot that nobody has, ioredis throws at once.
      const sent = [...texts].map(async ([topic, text]) => cluster.spublish(channelOf(topic), text))
      const outcomes = await Promise.allSettled(sent)
      return [...texts.keys()].filter((_, index) => outcomes[index]?.status === 'rejected')
    },
    async join(topics) {
      const outcomes = await Promise.allSettled(topics.map(subscribe))
      if (outcomes.every(({ status }) => status === 'fulfilled')) return true
      rejoining ??= setTimeout(tellReturn, REJOIN_MS).unref()
      return false
    },
    leave(topic) {
      joined.delete(topic)
      cluster.sunsubscribe(channelOf(topic)).catch(() => {})
    },
    onText: (listener) =>
      void cluster.on('smessage', (channel: string, text: string) =>
        listener(channel.slice(prefix.length + 1, -1), text),
      ),
    onReturn: (listener) => void listeners.push(listener),
    async ping() {
      const primaries = cluster.nodes('master')
      if (primaries.length === 0) throw new Error('no primary of the cluster is known')
      await Promise.all(primaries.map((primary) => primary.ping()))
    },
  }
}
