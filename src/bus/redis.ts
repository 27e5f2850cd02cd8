import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'

/** How long a caller waits for Redis before it goes on without it. */
const COMMAND_TIMEOUT_MS = 500
/** If a command stays unanswered for this long, the connection counts as dead and is made again. */
const SILENCE_MS = 1_000
const LONGEST_RETRY_MS = 500

/** The Redis that the nodes of one service share. */
export interface SharedRedis {
  commands: Redis
  /** A separate connection: commands don't wait behind pushed messages. */
  subscriber: Redis
  /** Prefix of every key and channel, so that several services can share one Redis. */
  prefix: string
  close(): void
}

/**
 * Resolves once Redis answers, or is known to be away. While it is away, commands fail at once, and both connections
 * reconnect by themselves.
 */
export async function connectRedis(
  url: string,
  serviceId: string,
  log: FastifyBaseLogger,
): Promise<SharedRedis> {
  const [commands, subscriber] = await Promise.all([
    // Commands of one turn of the event loop are sent in one write.
    connect(url, { enableAutoPipelining: true }, log),
    connect(url, {}, log),
  ])
  return {
    commands,
    subscriber,
    prefix: `exam-practice:${serviceId}:`,
    close() {
      commands.disconnect()
      subscriber.disconnect()
    },
  }
}

async function connect(
  url: string,
  options: { enableAutoPipelining?: true },
  log: FastifyBaseLogger,
): Promise<Redis> {
  const redis = new Redis(url, {
    ...options,
    lazyConnect: true,
    connectTimeout: SILENCE_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // The bus subscribes again itself, because it knows the current topics.
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, LONGEST_RETRY_MS),
  })
  let away = false
  redis.on('error', (error) => {
    if (!away) log.warn({ err: error }, 'Redis is away; this node goes on by itself')
    away = true
  })
  redis.on('ready', () => {
    if (away) log.info('Redis is back')
    away = false
  })
  // A dead connection shows only when a command stays unanswered, so one is sent regularly.
  const beat = setInterval(() => void redis.ping().catch(() => {}), SILENCE_MS).unref()
  redis.on('end', () => clearInterval(beat))
  await redis.connect().catch(() => {})
  return redis
}
