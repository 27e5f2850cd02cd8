import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Redis } from 'ioredis'
import { vi } from 'vitest'
import { PATIENCE_MS } from '../patience.ts'
import { freePort } from './ports.ts'
import { RedisServer } from './redis.ts'

const SLOTS = 16_384
const PRIMARIES = 3
/** After so long without an answer the others replace a primary; shorter ones replace each other on a busy machine. */
const NODE_TIMEOUT_MS = 3_000

/** Three primaries with a replica each. */
export class RedisCluster {
  readonly url: string
  readonly #folder: string
  readonly #servers: RedisServer[]

  private constructor(folder: string, servers: RedisServer[]) {
    this.#folder = folder
    this.#servers = servers
    this.url = `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
  }

  static async start(): Promise<RedisCluster> {
    const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-redis-'))
    const buses: number[] = []
    const servers: RedisServer[] = []
    for (let n = 0; n < 2 * PRIMARIES; n++) {
      const bus = await freePort()
      const options = [
        ...['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--dir', folder],
        ...['--cluster-config-file', `${n}.conf`, '--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
      ]
      servers.push(await RedisServer.start(options))
      buses.push(bus)
    }
    const cluster = new RedisCluster(folder, servers)
    const [first] = servers as [RedisServer]
    const share = Math.ceil(SLOTS / PRIMARIES)
    for (const [n, server] of servers.entries()) {
      if (n < PRIMARIES) await ask(server, 'ADDSLOTSRANGE', n * share, Math.min(SLOTS, (n + 1) * share) - 1)
      await ask(server, 'SET-CONFIG-EPOCH', n + 1)
      if (n > 0) await ask(server, 'MEET', '127.0.0.1', first.port, buses[0] as number)
    }
    const isMet = async (server: RedisServer) => (await nodes(server)).length === servers.length
    await untilEach(servers, isMet)
    for (const [n, server] of servers.slice(PRIMARIES).entries())
      await ask(server, 'REPLICATE', String(await ask(servers[n] as RedisServer, 'MYID')))
    await cluster.untilWhole()
    return cluster
  }

  /** Until every slot has a primary, each with a replica that knows what it knows. */
  async untilWhole(): Promise<void> {
    const isOk = async (server: RedisServer) =>
      String(await ask(server, 'INFO')).includes('cluster_state:ok') && (await isInSync(server))
    await untilEach(this.#servers, isOk)
  }

  /** The primary of a key or channel. */
  async primaryOf(key: string): Promise<RedisServer> {
    const [anyone] = this.#servers.filter(({ isRunning }) => isRunning) as [RedisServer]
    const slot = Number(await ask(anyone, 'KEYSLOT', key))
    const owner = (await nodes(anyone)).find(({ ranges }) => ranges.some(([a, b]) => a <= slot && slot <= b))
    return this.#servers.find(({ port }) => port === owner?.port) as RedisServer
  }

  /** Gives the slot of a key or channel, with what is in it, to another primary. */
  async moveSlot(key: string): Promise<void> {
    const from = await this.primaryOf(key)
    const slot = Number(await ask(from, 'KEYSLOT', key))
    const all = await nodes(from)
    const source = all.find(({ port }) => port === from.port)
    const target = all.find(({ port, ranges }) => port !== from.port && ranges.length > 0)
    const to = this.#servers.find(({ port }) => port === target?.port)
    if (!source || !target || !to) throw new Error('no other primary')
    await ask(to, 'SETSLOT', slot, 'IMPORTING', source.id)
    await ask(from, 'SETSLOT', slot, 'MIGRATING', target.id)
    await using(from, async (redis) => {
      const keys = (await redis.cluster('GETKEYSINSLOT', slot, 1_000)) as string[]
      if (keys.length > 0) await redis.call('MIGRATE', '127.0.0.1', to.port, '', '0', '5000', 'KEYS', ...keys)
    })
    for (const server of [to, from]) await ask(server, 'SETSLOT', slot, 'NODE', target.id)
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) await server.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

interface ClusterNode {
  id: string
  port: number
  /** Of slots; none for a replica. */
  ranges: [number, number][]
}

async function nodes(server: RedisServer): Promise<ClusterNode[]> {
  const lines = String(await ask(server, 'NODES'))
    .trim()
    .split('\n')
  return lines.map((line) => {
    const [id = '', address = '', , , , , , , ...slots] = line.split(' ')
    const ranges = slots.filter((slot) => !slot.startsWith('['))
    return {
      id,
      port: Number(/:(\d+)@/.exec(address)?.[1]),
      ranges: ranges.map((range) => {
        const [from, to = from] = range.split('-').map(Number) as [number, number?]
        return [from, to]
      }),
    }
  })
}

async function untilEach(
  servers: RedisServer[],
  holds: (server: RedisServer) => Promise<boolean>,
): Promise<void> {
  const look = async () => {
    if (!(await Promise.all(servers.map(holds))).every(Boolean)) throw new Error('the cluster is not ready')
  }
  await vi.waitFor(look, { interval: 50, timeout: PATIENCE_MS })
}

async function isInSync(server: RedisServer): Promise<boolean> {
  const about = await using(server, (redis) => redis.info('replication'))
  return about.includes('role:master')
    ? !about.includes('connected_slaves:0')
    : about.includes('link_status:up')
}

async function ask(server: RedisServer, ...args: [string, ...(string | number)[]]): Promise<unknown> {
  return using(server, (redis) => redis.call('CLUSTER', ...args))
}

async function using<T>(server: RedisServer, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url, { retryStrategy: null })
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}
