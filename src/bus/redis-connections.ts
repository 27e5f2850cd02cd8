import type { FastifyBaseLogger } from 'fastify'
import { Cluster, Redis } from 'ioredis'
import { type RedisAddress, type RedisHosts, readRedisAddress } from '../settings/redis-address.ts'

/** How long a caller waits for Redis before it goes on without it. */
const COMMAND_TIMEOUT_MS = 500
/** If a command stays unanswered for this long, the connection counts as dead and is made again. */
const SILENCE_MS = 1_000
const LONGEST_RETRY_MS = 500
/** How often a cluster may redirect a command whose slot has moved, or retry it during a failover. */
const MOST_REDIRECTIONS = 4

/** The Redis that the nodes of one service share. */
export interface SharedRedis {
  commands: Redis | Cluster
  /** A separate connection: commands don't wait behind pushed messages. A cluster makes one for each of its parts. */
  subscriber: Redis | Cluster
  /** Prefix of every key and channel, so that several services can share one Redis. */
  prefix: string
  /** Prefix of the keys that scripts look at together: a cluster has to keep them in one place. */
  scriptPrefix: string
  close(): void
}

/**
 * A command whose failure makes no difference; the log has said that Redis is away. Never throws: ioredis does so at
 * once, rather than reject, for a slot of a cluster that no node has.
 */
export async function tryCommand(command: () => Promise<unknown>): Promise<void> {
  try {
    await command()
  } catch {
    // What it would have written is written again later, or expires.
  }
}

/**
 * Resolves once Redis answers, or is known to be away. While it is away, commands fail at once, and the connections
 * are made again by themselves. Throws if it is one that the service can't use.
 */
export async function connectRedis(
  url: string,
  serviceId: string,
  log: FastifyBaseLogger,
): Promise<SharedRedis> {
  const address = readRedisAddress(url)
  const shared = { prefix: `exam-practice:${serviceId}:`, scriptPrefix: `exam-practice:{${serviceId}}:` }
  if (address.kind === 'cluster') {
    const cluster = await connectCluster(address, log)
    return { ...shared, commands: cluster, subscriber: cluster, close: () => cluster.disconnect() }
  }
  const [commands, subscriber] = await Promise.all([
    // Commands of one turn of the event loop are sent in one write.
    connect(address, { enableAutoPipelining: true }, log),
    connect(address, {}, log),
  ])
  const close = () => {
    commands.disconnect()
    subscriber.disconnect()
  }
  const problem = await findProblem(commands)
  if (problem !== undefined) {
    close()
    throw new Error(problem)
  }
  commands.on('ready', async () => {
    const foundLater = await findProblem(commands)
    if (foundLater !== undefined) log.error(foundLater)
  })
  return { ...shared, scriptPrefix: shared.prefix, commands, subscriber, close }
}

/**
 * Why this Redis can't be used as one, if it can be asked. A cluster refuses what has keys in several of its parts, and
 * Sentinel keeps nothing at all: presence and messages would be lost without a word.
 */
async function findProblem(redis: Redis): Promise<string | undefined> {
  const about = redis.status === 'ready' ? await redis.info('server').catch(() => '') : ''
  const mode = /^redis_mode:(\w+)/m.exec(about)?.[1] ?? 'standalone'
  if (mode === 'standalone') return undefined
  return mode === 'sentinel'
    ? "REDIS_URL: it leads to Sentinel's own port: write redis+sentinel://host:26379/?name=…"
    : `REDIS_URL: it leads to a Redis in ${mode} mode: write redis+cluster://…`
}

/** Settings of every connection. */
const CONNECTION = {
  connectTimeout: SILENCE_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SILENCE_MS,
  maxRetriesPerRequest: 0,
  // The bus subscribes again itself, because it knows the current topics.
  autoResubscribe: false,
}

const retryStrategy = (attempt: number) => Math.min(50 * attempt, LONGEST_RETRY_MS)

/** Redis knows neither this user nor this password: that doesn't mend itself, as an absence does. */
const REFUSAL = /\b(WRONGPASS|NOAUTH|invalid password|without any password configured)\b/

/** Throws if Redis, or one of the Sentinels, has refused the password. */
function requireWelcome(failure: Error | undefined, giveUp: () => void): void {
  const { message, lastNodeError } = (failure ?? {}) as Error & { lastNodeError?: Error }
  const said = [message, lastNodeError?.message].find((each) => each !== undefined && REFUSAL.test(each))
  if (said === undefined) return
  giveUp()
  throw new Error(
    `REDIS_URL: Redis refuses its user or password: write both as redis://user:password@host (Redis says ${said})`,
  )
}

async function connect(
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  more: { enableAutoPipelining?: true },
  log: FastifyBaseLogger,
): Promise<Redis> {
  const options = { ...CONNECTION, ...more, lazyConnect: true, enableOfflineQueue: false, retryStrategy }
  const redis =
    address.kind === 'single'
      ? new Redis(address.url, options)
      : new Redis({ ...options, ...sentinelOptions(address) })
  tellAbsence(redis, log)
  // A dead connection shows only when a command stays unanswered, so one is sent regularly.
  const beat = setInterval(() => void redis.ping().catch(() => {}), SILENCE_MS).unref()
  redis.on('end', () => clearInterval(beat))
  let failure: Error | undefined
  const keep = (error: Error) => {
    failure = error
  }
  redis.on('error', keep)
  await redis.connect().catch(() => {})
  redis.off('error', keep)
  requireWelcome(failure, () => redis.disconnect())
  return redis
}

function sentinelOptions(address: Extract<RedisAddress, { kind: 'sentinel' }>) {
  return {
    ...login(address),
    sentinels: address.hosts,
    name: address.name,
    db: address.db,
    ...(address.sentinelPassword && { sentinelPassword: address.sentinelPassword }),
    enableTLSForSentinelMode: address.tls,
    sentinelCommandTimeout: SILENCE_MS,
    sentinelRetryStrategy: retryStrategy,
    // A primary that was replaced may still answer: Sentinels say when to go on to the new one.
    failoverDetector: true,
  }
}

async function connectCluster(
  address: Extract<RedisAddress, { kind: 'cluster' }>,
  log: FastifyBaseLogger,
): Promise<Cluster> {
  const cluster = new Cluster(address.hosts, {
    redisOptions: { ...CONNECTION, ...login(address) },
    shardedSubscribers: true,
    enableAutoPipelining: true,
    // ioredis keeps only unsharded subscriptions out of pipelines. A pipeline with a sharded one goes over the
    // subscriber's connection as a whole, where answers and pushes are then mistaken for one another.
    autoPipeliningIgnoredCommands: ['ssubscribe', 'sunsubscribe'],
    enableOfflineQueue: false,
    lazyConnect: true,
    slotsRefreshTimeout: SILENCE_MS,
    slotsRefreshInterval: SILENCE_MS,
    maxRedirections: MOST_REDIRECTIONS,
    clusterRetryStrategy: retryStrategy,
  })
  tellAbsence(cluster, log)
  // Not by `connect`: its promise never settles if the cluster answers that it has lost some of its parts.
  const settled = new Promise<(Error & { lastNodeError?: Error }) | undefined>((resolve) => {
    for (const event of ['ready', 'error', 'close']) cluster.once(event, resolve)
  })
  cluster.connect().catch(() => {})
  const failure = await settled
  requireWelcome(failure, () => cluster.disconnect())
  if (/cluster support disabled/.test(String(failure?.lastNodeError))) {
    cluster.disconnect()
    throw new Error('REDIS_URL: it leads to a Redis that is no cluster: write redis://… with one host')
  }
  return cluster
}

function login({ username, password, tls }: RedisHosts) {
  return { ...(username && { username }), ...(password && { password }), ...(tls && { tls: {} }) }
}

/** Says in the log when Redis, or a part of it, goes and comes. */
function tellAbsence(redis: Redis | Cluster, log: FastifyBaseLogger): void {
  let away = false
  const gone = (error: Error) => {
    if (!away) log.warn({ err: error }, 'Redis is away; this node goes on by itself')
    away = true
  }
  redis.on('error', gone)
  const back = () => {
    if (away) log.info('Redis is back')
    away = false
  }
  redis.on('ready', back)
  if (!(redis instanceof Cluster)) return
  redis.on('subscribersReady', back)
  // Where no error came before it, a part has answered, but not that all is well.
  redis.on('reconnecting', () =>
    gone(new Error('the cluster is not ready: see cluster_state in CLUSTER INFO')),
  )
}
