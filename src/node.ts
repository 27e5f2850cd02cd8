import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createAi } from './adapters/ai.ts'
import { createDiskFiles } from './adapters/files-disk.ts'
import { createS3Files } from './adapters/files-s3.ts'
import { createGoogle } from './adapters/google.ts'
import { createMail } from './adapters/mail.ts'
import { buildApp } from './app.ts'
import { createMemoryBus } from './bus/bus-memory.ts'
import { createRedisBus } from './bus/bus-redis.ts'
import { createMemoryPresence } from './bus/presence-memory.ts'
import { createRedisPresence } from './bus/presence-redis.ts'
import { createMemoryRateSlots } from './bus/rate-slots-memory.ts'
import { createRedisRateSlots } from './bus/rate-slots-redis.ts'
import { connectRedis } from './bus/redis.ts'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import { closeDatabase, connectDatabase, identifyDatabase } from './db/client.ts'
import { createJobQueue } from './db/job-queue.ts'
import { startGenerationWorker } from './features/generation/worker.ts'
import { DRAIN_MS } from './http/draining.ts'
import { createTokens } from './tokens.ts'

/** One node of the service, ready to listen. */
export interface ServiceNode {
  app: FastifyInstance
  core: Core
  /** Sends everybody to other nodes: new work is refused, sockets are closed one after another. Then `close`. */
  drain(): Promise<void>
  /** Ends requests and sockets first, then what they used. */
  close(): Promise<void>
}

/** How long requests in flight may take from then on; with the drain, as long as any request may. */
const IN_FLIGHT_MS = 7_000

/** What a node needs beside its settings: where they were left open, the caller has decided. */
export interface NodeOptions {
  config: Config
  log: FastifyBaseLogger
  databaseUrl: string
  jwtSecrets: string[]
  clock?: () => number
}

export async function createNode({
  config,
  log,
  databaseUrl,
  jwtSecrets,
  clock = Date.now,
}: NodeOptions): Promise<ServiceNode> {
  const db = connectDatabase({ url: databaseUrl, pool: config.databasePool })
  const redis =
    config.redisUrl === undefined
      ? undefined
      : await connectRedis(config.redisUrl, await identifyDatabase(db), log)
  const ownSlots = createMemoryRateSlots(clock)
  const draining = new AbortController()
  const core: Core = {
    config,
    log,
    clock,
    db,
    bus: redis ? createRedisBus(redis, log) : createMemoryBus(log),
    presence: redis
      ? createRedisPresence(redis, config.presence, log)
      : createMemoryPresence(config.presence.grace),
    rateSlots: redis ? createRedisRateSlots(redis, ownSlots) : ownSlots,
    tokens: createTokens(jwtSecrets, clock),
    files:
      config.storage.kind === 's3' ? createS3Files(config.storage) : createDiskFiles(config.storage.folder),
    ai: config.ai.apiKey || config.ai.baseUrl ? createAi(config.ai) : undefined,
    jobs: createJobQueue(databaseUrl, log),
    mail: createMail(config, log),
    google: createGoogle(config),
    fileSecret: jwtSecrets[0] ?? '',
    draining: draining.signal,
  }
  const app = await buildApp(core)
  await startGenerationWorker(core)
  return {
    app,
    core,
    async drain() {
      draining.abort()
      await setTimeout(DRAIN_MS)
    },
    async close() {
      const cutOff = globalThis.setTimeout(() => app.server.closeAllConnections(), IN_FLIGHT_MS)
      await app.close()
      clearTimeout(cutOff)
      await core.jobs.close()
      await core.presence.close()
      await core.bus.close()
      redis?.close()
      await closeDatabase(db)
    },
  }
}
