import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Logger, pino } from 'pino'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import { createAccount } from '../../src/features/auth/auth.service.ts'
import { hashPassword } from '../../src/features/auth/passwords.ts'
import { createNode, type ServiceNode } from '../../src/process/node.ts'
import { type Config, readConfig } from '../../src/settings/config.ts'
import { Client, PASSWORD } from './client.ts'
import { Documented } from './promises/documented.ts'

export const SECRET = 'a secret of the tests that is long enough to sign with'

export interface ServiceOptions {
  /** How many nodes share the database. */
  nodes?: number
  config?: Partial<Config>
  clock?: () => number
  log?: Logger
  /** An existing database instead of a new one; it is dropped at the end too. */
  database?: TestDatabase
}

/** A service that several test files use. */
export interface SharedService {
  nodes: ServiceNode[]
  /** The address of each node. */
  urls: string[]
  /** The service's database, for what HTTP can't show. */
  sql: postgres.Sql
  databaseUrl: string
  dataDir: string
  documented: Documented
  /** Somebody without an account yet, on the first node unless told otherwise. */
  guest(node?: number): Client
  /** A registered, signed-in person; the name is random if it isn't given. */
  person(name?: string, node?: number): Promise<Client>
  /** The same with role `user,admin`. */
  admin(name?: string, node?: number): Promise<Client>
  /** The connections to the database that wait for a lock. */
  lockWaits(): Promise<{ pid: number }[]>
}

export interface TestService extends SharedService {
  close(): Promise<void>
}

/** Starts what production starts, on a fresh copy of the migrated database. Close it, or use `withService`. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createDatabase())
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-data-'))
  const config: Config = {
    ...readConfig({ DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0' }),
    // Rate limits have their own tests; in all others they would only cause waiting.
    chat: { sendIntervalMs: 0 },
    discussions: { postIntervalMs: 0 },
    // People of every test sign in, and nobody guesses their passwords.
    passwordCost: { memoryCost: 1_024, timeCost: 1, parallelism: 1 },
    presence: { graceMs: 100, beatMs: 200, leaseMs: 600, activeMs: 30_000 },
    // Several test files with several nodes each share one database server.
    databasePool: 5,
    ...((options.nodes ?? 1) > 1 ? { redisUrl: inject('redisUrl') } : {}),
    ...options.config,
  }
  const log = options.log ?? pino({ level: process.env.LOG_LEVEL ?? 'silent' })
  const nodes: ServiceNode[] = []
  for (let count = 0; count < (options.nodes ?? 1); count++)
    nodes.push(
      await createNode({
        config,
        log,
        databaseUrl: database.url,
        jwtSecrets: config.jwtSecrets.length > 0 ? config.jwtSecrets : [SECRET],
        ...(options.clock ? { clock: options.clock } : {}),
      }),
    )
  const urls = await Promise.all(nodes.map(({ app }) => app.listen({ host: '127.0.0.1', port: 0 })))
  const documented = await Documented.load(urls[0] as string)
  // A shared service stays while its worker uses others, and PostgreSQL has 100 connections for all of them.
  const sql = postgres(database.url, { max: 4, idle_timeout: 5, onnotice: () => {} })

  const service: TestService = {
    nodes,
    urls,
    sql,
    databaseUrl: database.url,
    dataDir,
    documented,
    guest: (node = 0) => new Client(urls[node] as string, documented),
    async person(name = randomName(), node = 0) {
      const client = service.guest(node)
      await client.register(name)
      return client
    },
    async admin(name = randomName(), node = 0) {
      const { db } = (nodes[node] as ServiceNode).core
      const passwordHash = await hashPassword(config.passwordCost, PASSWORD)
      await createAccount(db, { username: name, email: `${name}@example.org` }, passwordHash, 'user,admin')
      const client = service.guest(node)
      await client.login(name)
      return client
    },
    lockWaits: () =>
      sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
      await sql.end({ timeout: 1 })
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  return service
}

/** A service that ends with the test that asked for it. */
export async function withService(options: ServiceOptions = {}): Promise<TestService> {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return service
}

const randomName = () => `p${randomUUID().slice(0, 12)}`

let shared: Promise<SharedService> | undefined

/**
 * For tests without settings of their own, since starting a service takes longer than most tests. All files of a worker
 * get the same one, so that there are other people and exams in it than a file's own. It ends with its worker.
 */
export function sharedService(): Promise<SharedService> {
  shared ??= startService()
  return shared
}

/** Two people who are connected, and their direct conversation. */
export async function connectedPair(service: SharedService, nodes: [number, number] = [0, 0]) {
  const [alice, bob] = await Promise.all([
    service.person(undefined, nodes[0]),
    service.person(undefined, nodes[1]),
  ])
  return { alice, bob, conversationId: await connect(alice, bob) }
}

/** Connects two people; answers the id of their direct conversation. */
export async function connect(one: Client, other: Client): Promise<number> {
  await one.post('/api/v01/chat/connections', { recipient_id: other.id }, 201)
  const accepted = await other.post('/api/v01/chat/connections', { recipient_id: one.id }, 200)
  return Number(accepted.body.conv_id)
}

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** A copy of the migrated template, or of another one. */
export async function createDatabase(template = inject('template')): Promise<TestDatabase> {
  const name = `${inject('template')}_${randomUUID().replaceAll('-', '')}`
  const admin = postgres(inject('adminUrl'), { max: 1, idle_timeout: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} template ${template}`)
  const url = new URL(inject('adminUrl'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
