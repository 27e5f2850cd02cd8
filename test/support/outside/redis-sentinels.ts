import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { RedisServer } from './redis.ts'

const NAME = 'exam'
/** After so long without an answer Sentinels replace the primary. */
const DOWN_AFTER_MS = 2_000
/** Sentinels that wanted to lead at the same time try again after a while of this order. */
const FAILOVER_TIMEOUT_MS = 3_000

/** A primary with a replica, and three Sentinels that watch them. */
export class RedisBehindSentinels {
  readonly url: string
  readonly primary: RedisServer
  readonly #others: RedisServer[]
  readonly #folder: string

  private constructor(primary: RedisServer, replica: RedisServer, sentinels: RedisServer[], folder: string) {
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')
    this.url = `redis+sentinel://${hosts}/?name=${NAME}`
    this.primary = primary
    this.#others = [replica, ...sentinels]
    this.#folder = folder
  }

  static async start(): Promise<RedisBehindSentinels> {
    const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-redis-'))
    const primary = await RedisServer.start(['--dir', folder])
    const replica = await RedisServer.start([
      '--dir',
      folder,
      '--replicaof',
      '127.0.0.1',
      String(primary.port),
    ])
    const sentinels: RedisServer[] = []
    for (const name of ['one', 'two', 'three']) {
      const settings = path.join(folder, `${name}.conf`)
      const lines = [
        `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
        `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
        `sentinel failover-timeout ${NAME} ${FAILOVER_TIMEOUT_MS}`,
      ]
      await writeFile(settings, `${lines.join('\n')}\n`)
      sentinels.push(await RedisServer.start([settings, '--sentinel']))
    }
    return new RedisBehindSentinels(primary, replica, sentinels, folder)
  }

  async stop(): Promise<void> {
    for (const server of [...this.#others, this.primary]) await server.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
