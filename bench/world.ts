import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { startEmbedded } from '../src/db/embedded/embedded-server.ts'
import { migrate } from '../src/db/migrate.ts'
import { createTokenSigner } from './tokens.ts'

const SECRET = 'a secret of the benchmarks that is long enough'

export interface Server {
  url: string
  process: ChildProcess
  pid: number
  /** Ends it; otherwise it ends with the world. */
  stop(): Promise<void>
  /** Ends it without warning. */
  kill(): Promise<void>
}

/** A database with people and conversations, and servers that use it. */
export interface World {
  sql: postgres.Sql
  databaseUrl: string
  databaseVersion: string
  dataDir: string
  /** Starts `servers/<name>.ts`. */
  start(name: string, settings?: Record<string, string>): Promise<Server>
  /** A bearer token of a person, made without a login. */
  tokenOf(userId: number, role?: 'user' | 'user,admin'): string
  close(): Promise<void>
}

let worlds = 0

/** Uses the PostgreSQL of DATABASE_URL, or an embedded one. */
export async function createWorld(): Promise<World> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-bench-'))
  await chmod(dataDir, 0o755)
  const given = process.env.DATABASE_URL
  const quiet = { info() {}, warn: console.warn, error: console.error }
  const embedded = given ? undefined : await startEmbedded({ dataDir, log: quiet })
  const admin = postgres(given ?? embedded?.url ?? '', { max: 1, onnotice: () => {} })
  worlds += 1
  const name = `exam_bench_${process.pid}_${worlds}`
  await admin.unsafe(`create database ${name}`)
  const url = new URL(given ?? embedded?.url ?? '')
  url.pathname = `/${name}`
  await migrate(url.href, { info() {} })
  const sql = postgres(url.href, { max: 2, onnotice: () => {} })
  const [{ version }] = await sql<[{ version: string }]>`select current_setting('server_version') as version`
  const signToken = await createTokenSigner(SECRET)
  const servers: ChildProcess[] = []

  return {
    sql,
    databaseUrl: url.href,
    databaseVersion: version,
    dataDir,
    async start(server, settings = {}) {
      const child = fork(fileURLToPath(new URL(`servers/${server}.ts`, import.meta.url)), {
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: url.href,
          DATA_DIR: dataDir,
          JWT_SECRET: SECRET,
          ...settings,
        },
        execArgv: [
          '--expose-gc',
          ...(process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : []),
        ],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      servers.push(child)
      const [address] = await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(() => Promise.reject(new Error(`${server} did not start`))),
      ])
      const finish = async (how: (child: ChildProcess) => void) => {
        servers.splice(servers.indexOf(child), 1)
        await end(child, how)
      }
      return {
        url: address as string,
        process: child,
        pid: child.pid as number,
        stop: () => finish(letGo),
        kill: () => finish(() => child.kill('SIGKILL')),
      }
    },
    tokenOf: (userId, role = 'user') => signToken({ userId, role, sessionId: userId, generation: 0 }),
    async close() {
      for (const child of servers) await end(child, letGo)
      await sql.end({ timeout: 1 })
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
      await embedded?.stop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function end(child: ChildProcess, how: (child: ChildProcess) => void): Promise<void> {
  const exited = once(child, 'exit')
  how(child)
  await exited
}

/** Every server ends itself when it is let go. */
function letGo(child: ChildProcess): void {
  child.disconnect()
}

/** Makes people, and conversations of `size` each: conversation n begins at person (n − 1) × size + 1. */
export async function populate(sql: postgres.Sql, people: number, size: number): Promise<void> {
  await sql`
    insert into users (id, username, email, full_name, role)
    select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n, 'user'
      from generate_series(1, ${people}::int) n`
  await sql`
    insert into conversations (id, is_group, name)
    select n, ${size > 2}, 'Conversation ' || n from generate_series(1, ${Math.floor(people / size)}::int) n`
  await sql`
    insert into conversation_members (conversation_id, user_id)
    select (n - 1) / ${size}::int + 1, n from generate_series(1, ${people}::int) n`
  await sql`analyze`
}
