import path from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createAi } from './adapters/ai.ts'
import { createDiskFiles } from './adapters/files-disk.ts'
import { buildApp } from './app.ts'
import { createMemoryBus } from './bus/bus-memory.ts'
import { createMemoryRateSlots } from './bus/rate-slots-memory.ts'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import { closeDatabase, connectDatabase } from './db/client.ts'
import { createJobQueue } from './db/job-queue.ts'
import { startGenerationWorker } from './features/generation/worker.ts'
import { createTokens } from './tokens.ts'

/** One node of the service, ready to listen. */
export interface ServiceNode {
  app: FastifyInstance
  core: Core
  /** Ends requests and sockets first, then what they used. */
  close(): Promise<void>
}

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
  const core: Core = {
    config,
    log,
    clock,
    db,
    bus: createMemoryBus(log),
    rateSlots: createMemoryRateSlots(clock),
    tokens: createTokens(jwtSecrets, clock),
    files: createDiskFiles(path.join(config.dataDir, 'files')),
    ai: config.ai.apiKey || config.ai.baseUrl ? createAi(config.ai) : undefined,
    jobs: createJobQueue(databaseUrl, log),
    fileSecret: jwtSecrets[0] ?? '',
  }
  const app = await buildApp(core)
  await startGenerationWorker(core)
  return {
    app,
    core,
    async close() {
      await app.close()
      await core.jobs.close()
      await core.bus.close()
      await closeDatabase(db)
    },
  }
}
