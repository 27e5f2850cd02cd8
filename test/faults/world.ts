import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import { driverOptions } from '../../src/db/database-client.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../src/db/embedded/embedded-server.ts'
import { Client } from '../support/client.ts'
import { freePort } from '../support/outside/ports.ts'
import { RedisServer } from '../support/outside/redis.ts'
import { type ServiceProcess, startNodeProcess, startProcess } from '../support/processes/process.ts'
import { Documented } from '../support/promises/documented.ts'
import { SECRET } from '../support/service.ts'

const quiet = { info() {}, warn() {}, error() {} }

/** A PostgreSQL for this test alone, always at the same address. */
export class Database {
  readonly #dataDir: string
  readonly url: string
  #embedded: EmbeddedDatabase
  readonly #sockets: Set<Socket>

  private constructor(dataDir: string, url: string, embedded: EmbeddedDatabase, sockets: Set<Socket>) {
    this.#dataDir = dataDir
    this.url = url
    this.#embedded = embedded
    this.#sockets = sockets
  }

  static async start(folder = tmpdir()): Promise<Database> {
    const dataDir = await mkdtemp(path.join(folder, 'exam-practice-faults-'))
    // PostgreSQL's user must be able to read it.
    await chmod(dataDir, 0o755)
    const embedded = await startEmbedded({ dataDir, log: quiet })
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      const upstream = connect(Number(new URL(database.#embedded.url).port), '127.0.0.1')
      client.pipe(upstream).pipe(client)
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(one)
        one.setNoDelay()
        one.on('error', () => {})
        one.on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = new URL(embedded.url)
    url.port = String((server.address() as AddressInfo).port)
    const database = new Database(dataDir, url.href, embedded, sockets)
    onTestFinished(async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await database.stop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    })
    return database
  }

  /** Shuts it down and closes all connections. */
  async stop(): Promise<void> {
    await this.#embedded.stop()
  }

  /** Whether the server has ended, by itself or by `stop`. */
  get ended(): Promise<boolean> {
    return Promise.race([this.#embedded.exited.then(() => true), sleep(0, false)])
  }

  async restart(): Promise<void> {
    await this.stop()
    this.#embedded = await startEmbedded({ dataDir: this.#dataDir, log: quiet })
  }

  /** Connections stay open and transfer nothing, new ones too, as when a machine in between has failed. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause()
  }

  release(): void {
    for (const socket of this.#sockets) socket.resume()
  }
}

/** Two nodes with one PostgreSQL and one Redis, each in its own process. */
export interface World {
  database: Database
  redis: RedisServer
  sql: postgres.Sql
  nodes: Node[]
  documented: Documented
  /** The folder of files, which all nodes share. */
  dataDir: string
  /** A registered administrator, at the first node. */
  admin(): Promise<Client>
}

export interface WorldOptions {
  /** A `DATABASE_URL` in it goes before the world's own database. */
  env?: Record<string, string>
  config?: object
  /** Where PostgreSQL keeps its data. */
  databaseFolder?: string
  /** Runs main.ts as operators do, which reads its own settings instead of `config`. */
  asShipped?: boolean
  canShiftClock?: boolean
}

type NodeOptions = { env: Record<string, string>; config: object; asShipped: boolean; canShiftClock: boolean }

export class Node {
  readonly url: string
  readonly #options: NodeOptions
  #process: ServiceProcess | undefined

  constructor(options: NodeOptions) {
    this.#options = options
    this.url = `http://127.0.0.1:${options.env.PORT}`
  }

  async start(): Promise<void> {
    if (this.#options.asShipped) {
      this.#process = startProcess(this.#options.env)
      await this.#process.ready()
    } else this.#process = await startNodeProcess(this.#options)
  }

  /** Its exit code, or the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null | undefined> {
    return this.#process?.exit(signal)
  }

  async shiftClock(milliseconds: number): Promise<void> {
    await this.#process?.shiftClock(milliseconds)
  }

  /** One value of its `/metrics`. */
  async measure(name: string): Promise<number> {
    const { body: text } = await (await Client.guest(this.url)).get('/metrics', 200)
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.child.kill(signal)
  }

  /** Whether the process that was started still runs. */
  get lives(): boolean {
    return this.#process?.ended === false
  }
}

export async function startWorld({
  env = {},
  config = {},
  databaseFolder,
  asShipped = false,
  canShiftClock = false,
}: WorldOptions = {}): Promise<World> {
  const [database, redis] = await Promise.all([Database.start(databaseFolder), RedisServer.start()])
  onTestFinished(() => redis.stop())
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-faults-data-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const nodes = await Promise.all(
    [1, 2].map(
      async () =>
        new Node({
          env: {
            DATABASE_URL: database.url,
            REDIS_URL: redis.url,
            DATA_DIR: dataDir,
            JWT_SECRET: SECRET,
            PORT: String(await freePort()),
            ...env,
          },
          config: { chat: { sendIntervalMs: 0 }, ...config },
          asShipped,
          canShiftClock,
        }),
    ),
  )
  for (const node of nodes) await node.start()
  const sql = postgres(...driverOptions(env.DATABASE_URL ?? database.url, { max: 2 }))
  onTestFinished(() => sql.end({ timeout: 1 }))
  const documented = await Documented.load((nodes[0] as Node).url)
  const admin = async () => {
    const person = new Client((nodes[0] as Node).url, documented)
    await person.register(`a${randomUUID().slice(0, 12)}`)
    await sql`update users set role = 'user,admin' where id = ${person.id}`
    await person.login(person.username)
    return person
  }
  return { database, redis, sql, nodes, documented, dataDir, admin }
}
