import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createMail } from '../adapters/mail.ts'
import { createPush } from '../adapters/push.ts'
import { createFiles } from '../adapters/storage.ts'
import { buildApp } from '../app.ts'
import { createMemoryBus } from '../bus/bus-memory.ts'
import { createRedisBus } from '../bus/bus-redis.ts'
import { createMemoryPresence } from '../bus/presence-memory.ts'
import { createRedisPresence } from '../bus/presence-redis.ts'
import { createMemoryRateSlots } from '../bus/rate-slots-memory.ts'
import { createRedisRateSlots } from '../bus/rate-slots-redis.ts'
import { connectRedis } from '../bus/redis-connections.ts'
import { createMemoryTallies } from '../bus/tallies-memory.ts'
import { createRedisTallies } from '../bus/tallies-redis.ts'
import type { Core } from '../core.ts'
import { closeDatabase, connectDatabase } from '../db/database-client.ts'
import { identifyDatabase, learnServer } from '../db/database-server.ts'
import { createJobQueue } from '../db/job-queue.ts'
import { followReplica } from '../db/read-replica.ts'
import { watchSessions } from '../features/auth/session-watch.ts'
import { watchNodes } from '../features/nodes/node-watch.ts'
import { createGate } from '../scheduling/gate.ts'
import type { Config } from '../settings/config.ts'
import { createRefreshTokens } from '../tokens/refresh-tokens.ts'
import { deriveKeys } from '../tokens/secrets.ts'
import { startBackground } from './background.ts'

/**
 * Connections that may wait to be accepted when a node listens; the system may allow fewer. Any more are dropped, and
 * come again seconds later.
 */
export const BACKLOG = 4_096

/** One node of the service, ready to listen. */
export interface ServiceNode {
  app: FastifyInstance
  core: Core
  /**
   * Reports in `/readyz` that it is leaving, and goes on serving for `config.drainDelayMs` while sockets are closed
   * one by one. Call `close` after it.
   */
  drain(): Promise<void>
  /** Accepts no new work; ends requests and sockets first, then everything that they use. */
  close(): Promise<void>
  /** Ends the waiting of `drain` and `close`. */
  hurry(): void
}

/** How long running requests may take when the node is closing: nearly as long as any request may. */
const IN_FLIGHT_MS = 9_500
/** How long connections that were accepted last have for sending a request; later ones are refused. */
const LAST_REQUESTS_MS = 500
/** How long running requests may take after `hurry`: enough to send answers that are ready. */
const HURRIED_MS = 100
/** Turns of the event loop in which connected clients are accepted before nobody else can connect. */
const MOST_TURNS = 1_000
const SHORT_TURN_MS = 0.2

/** The settings of a node, and what they leave open. */
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
  const server = await learnServer(databaseUrl, log)
  const db = connectDatabase({ url: databaseUrl, pool: config.databasePool, ...server })
  const replica =
    config.databaseReadUrl === undefined
      ? undefined
      : followReplica(
          db,
          { url: config.databaseReadUrl, pool: config.databasePool, takesSettings: server.takesSettings },
          log,
        )
  const redis =
    config.redisUrl === undefined
      ? undefined
      : await connectRedis(config.redisUrl, await identifyDatabase(db), log)
  const ownSlots = createMemoryRateSlots(clock)
  const [draining, closing, hurried] = [new AbortController(), new AbortController(), new AbortController()]
  const parts: Omit<Core, 'sessions' | 'nodes'> = {
    config,
    log,
    clock,
    db,
    replica,
    bus: redis ? createRedisBus(redis, log) : createMemoryBus(log),
    presence: redis
      ? createRedisPresence(redis, config.presence, log)
      : createMemoryPresence(config.presence),
    rateSlots: redis ? createRedisRateSlots(redis, ownSlots) : ownSlots,
    gate: createGate(config, clock),
    tallies: redis ? createRedisTallies(redis, config.presence, log) : createMemoryTallies(),
    refreshTokens: createRefreshTokens(jwtSecrets),
    files: createFiles(config),
    jobs: createJobQueue(databaseUrl, log),
    mail: createMail(config, log),
    push: createPush(config),
    ...(await createProviders(config, clock, log)),
    jwtSecrets,
    fileKeys: deriveKeys(jwtSecrets, 'file addresses'),
    draining: draining.signal,
    closing: closing.signal,
  }
  const core: Core = { ...parts, sessions: await watchSessions(parts), nodes: await watchNodes(parts) }
  const app = await buildApp(core)
  const background = await startBackground(core, () => app.listeningOrigin)
  return {
    app,
    core,
    async drain() {
      draining.abort()
      await sleep(config.drainDelayMs, undefined, { signal: hurried.signal }).catch(() => {})
    },
    hurry: () => hurried.abort(),
    async close() {
      const { lastOne } = await stopListening(app.server)
      if (draining.signal.aborted && config.drainDelayMs > 0)
        await sleep(LAST_REQUESTS_MS, undefined, { signal: hurried.signal }).catch(() => {})
      closing.abort()
      const cutOff = () => app.server.closeAllConnections()
      const timer = setTimeout(cutOff, hurried.signal.aborted ? HURRIED_MS : IN_FLIGHT_MS)
      hurried.signal.addEventListener('abort', cutOff)
      await app.close()
      await lastOne
      clearTimeout(timer)
      await background.close()
      core.push?.close()
      await core.sessions.close()
      await core.nodes.close()
      await core.presence.close()
      await core.tallies.close()
      await core.bus.close()
      redis?.close()
      await replica?.close()
      await closeDatabase(db)
    },
  }
}

/** What speaks to the servers of others is loaded only where a setting names one. */
async function createProviders(
  config: Config,
  clock: () => number,
  log: FastifyBaseLogger,
): Promise<Pick<Core, 'ai' | 'google' | 'oidc'>> {
  const { createAi } = config.ai.apiKey || config.ai.baseUrl ? await import('../adapters/anthropic.ts') : {}
  const { createGoogle } = config.googleClientIds.length > 0 ? await import('../adapters/google.ts') : {}
  const { createOidc } = config.oidc ? await import('../adapters/oidc.ts') : {}
  return {
    ai: createAi?.(config.ai),
    google: createGoogle?.(config),
    oidc: config.oidc && createOidc?.(config.oidc, clock, log),
  }
}

/**
 * Accepts no more connections; accepted ones go on. The promise resolves at the last one's end. A connected client that
 * is not accepted would lose its request, and a turn of the event loop accepts only one. So this waits for a turn that
 * accepted none and was too short for another one to come.
 */
async function stopListening(server: Server): Promise<{ lastOne: Promise<void> }> {
  let accepted = 0
  const count = () => {
    accepted += 1
  }
  server.on('connection', count)
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const [before, began] = [accepted, performance.now()]
    await new Promise((resolve) => setImmediate(resolve))
    if (accepted === before && performance.now() - began < SHORT_TURN_MS) break
  }
  server.off('connection', count)
  return { lastOne: new Promise((resolve) => server.close(() => resolve())) }
}
