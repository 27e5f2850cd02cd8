import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  type EmbeddedDatabase,
  findRunningEmbedded,
  startEmbedded,
} from '../../../src/db/embedded/embedded-server.ts'
import { findPostmaster, runsOn, shutDown } from '../../../src/db/embedded/postmaster.ts'
import { chooseRunAs } from '../../../src/db/embedded/staging.ts'
import { PATIENCE_MS } from '../../support/patience.ts'

// Some tests start several services at once, while other test files do so as well.
vi.setConfig({ testTimeout: 120_000 })

const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'

const running = new Set<EmbeddedDatabase>()
afterEach(async () => {
  await Promise.all([...running].map((database) => database.stop()))
  running.clear()
})

/** A data dir with a cluster that holds one row and was shut down in order. */
let seed: string

beforeAll(async () => {
  seed = await makeFolder()
  const { database } = await start(seed)
  await query(database.url, 'create table kept as select 1 as row')
  await database.stop()
  return () => remove(seed)
})

test('brings up a private PostgreSQL with the database, in a path with blanks', async () => {
  const dataDir = await makeDataDir()
  expect(dataDir).toContain(' ')
  expect(await findRunningEmbedded(dataDir)).toBeUndefined()

  const { database } = await start(dataDir)
  expect(await findRunningEmbedded(dataDir)).toBe(database.url)
  expect(
    await query(
      database.url,
      `select current_database() as name, pg_encoding_to_char(encoding) as encoding, lower('ÄΣ') as lower,
       current_setting('listen_addresses') as address, current_setting('unix_socket_directories') as socket,
       current_setting('fsync') as fsync, current_setting('jit') as jit, current_setting('timezone') as zone,
       current_setting('max_connections') as connections, current_setting('shared_buffers') as buffers
       from pg_database where datname = current_database()`,
    ),
  ).toEqual([
    {
      name: 'exam_practice',
      encoding: 'UTF8',
      lower: 'äσ',
      address: '127.0.0.1',
      socket: '',
      fsync: 'on',
      jit: 'off',
      zone: 'UTC',
      connections: '100',
      buffers: '128MB',
    },
  ])

  const guessed = new URL(database.url)
  guessed.password = 'postgres'
  await expect(query(guessed.href, 'select 1')).rejects.toThrow('password authentication failed')
  expect((await stat(join(dataDir, 'postgres/cluster/service-password'))).mode & 0o777).toBe(0o600)
  expect((await stat(join(dataDir, 'postgres/cluster'))).mode & 0o777).toBe(0o700)

  await database.stop()
  expect(await findRunningEmbedded(dataDir)).toBeUndefined()
})

test('keeps its data, and stops although somebody is connected', async () => {
  const dataDir = await copySeed()
  const { database, log } = await start(dataDir)
  expect(await query(database.url, 'select row from kept')).toEqual([{ row: 1 }])
  const sql = postgres(database.url, { max: 1, onclose: () => {} })
  await sql`select 1`
  await Promise.all([database.stop(), database.stop()])
  await database.exited
  await sql.end({ timeout: 1 })
  expect(log.error).not.toHaveBeenCalled()
  expect(await findPostmaster(await clusterOf(dataDir))).toBeUndefined()
  expect(await readdir(await realpath(join(dataDir, 'postgres')))).not.toContain('service.lock.pid')
})

test('keeps statements and their values out of the log file', async () => {
  const dataDir = await copySeed()
  const { database } = await start(dataDir)
  await expect(query(database.url, `select 'secret'::int`)).rejects.toThrow('invalid input syntax')
  const interrupted = expect(query(database.url, `select 'secret', pg_sleep(60)`)).rejects.toThrow()
  await vi.waitUntil(async () => {
    const [waiting] = await query(database.url, `select from pg_stat_activity where wait_event = 'PgSleep'`)
    return waiting
  }, PATIENCE_MS)
  await database.stop()
  await interrupted
  const logged = await readFile(join(dataDir, 'postgres/postgres.log'), 'utf8')
  expect(logged).toContain('terminating connection')
  expect(logged).not.toContain('secret')
})

test.runIf(isLinux)('runs apart from our terminal, environment and root', async () => {
  const dataDir = await copySeed()
  process.env.TEST_SECRET = 'not-for-postgres'
  onTestFinished(() => {
    delete process.env.TEST_SECRET
  })
  await start(dataDir)
  const { pid } = await postmasterOf(dataDir)
  const [, session] = /\) \S+ \d+ \d+ (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8')) ?? []
  expect(Number(session)).toBe(pid)
  expect((await stat(`/proc/${pid}`)).uid).not.toBe(0)
  // In a container, even root may not be allowed to read that of another user's process.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  expect(environment).not.toContain('not-for-postgres')
})

test('refuses a folder that another service uses, and leaves that one alone', async () => {
  const dataDir = await copySeed()
  const { database } = await start(dataDir)
  const refusal = `${dataDir} is in use by another service (pid ${process.pid})`
  await expect(start(dataDir)).rejects.toThrow(refusal)
  // Once more from outside: the refused attempt in this process must not have dropped the lock.
  await expect(startService(dataDir)).rejects.toThrow(refusal)
  expect(await query(database.url, 'select row from kept')).toEqual([{ row: 1 }])
})

test('lets exactly one of simultaneous first starts win', async () => {
  const dataDir = await makeDataDir()
  const results = await Promise.allSettled([1, 2, 3].map(() => startService(dataDir)))
  const winners = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value)
  const losers = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason.message)
  expect(winners).toHaveLength(1)
  for (const message of losers) expect(message).toContain(`another service (pid ${winners[0]?.pid})`)
  expect(await findRunningEmbedded(dataDir)).toBe(winners[0]?.url)
})

test('stops the server that a killed service left, and has every committed row', async () => {
  const dataDir = await copySeed()
  const service = await startService(dataDir)
  await query(service.url, 'insert into kept values (2)')
  await kill(service.process)
  const orphan = await postmasterOf(dataDir)
  expect(await findRunningEmbedded(dataDir)).toBe(service.url)

  const { database, log } = await start(dataDir)
  expect(log.warn).toHaveBeenCalledWith({ pid: orphan.pid }, expect.stringContaining('earlier service'))
  expect(await runsOn(orphan.pid, await clusterOf(dataDir))).toBe(false)
  expect(await query(database.url, 'select row from kept order by row')).toEqual([{ row: 1 }, { row: 2 }])
})

test('reports the death of the server and starts again at once', async () => {
  const dataDir = await copySeed()
  const first = await start(dataDir)
  await query(first.database.url, 'insert into kept values (2)')
  process.kill((await postmasterOf(dataDir)).pid, 'SIGKILL')
  await first.database.exited
  expect(first.log.error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ signal: 'SIGKILL' }),
    expect.stringContaining('PostgreSQL ended on its own'),
  )
  await first.database.stop()

  const { database, log } = await start(dataDir)
  expect(log.warn).not.toHaveBeenCalled()
  expect(await query(database.url, 'select row from kept order by row')).toEqual([{ row: 1 }, { row: 2 }])
})

test('waits for the last processes of a server that was killed', async () => {
  const dataDir = await copySeed()
  const first = await start(dataDir)
  const sql = postgres(first.database.url, { max: 1 })
  const [backend] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  process.kill(backend.pid, 'SIGSTOP')
  process.kill((await postmasterOf(dataDir)).pid, 'SIGKILL')
  await first.database.exited
  await first.database.stop()

  const starting = start(dataDir)
  const logFile = join(dataDir, 'postgres/postgres.log')
  await vi.waitUntil(async () => (await readFile(logFile, 'utf8')).includes('still in use'), PATIENCE_MS)
  process.kill(backend.pid, 'SIGCONT')
  const { database } = await starting
  expect(await query(database.url, 'select row from kept')).toEqual([{ row: 1 }])
  await sql.end({ timeout: 0 })
})

test('does not mistake another process for the server that a stale postmaster.pid names', async () => {
  const dataDir = await copySeed()
  const cluster = await clusterOf(dataDir)
  // Of the same user, so that PostgreSQL itself would take it for a server and refuse to start.
  const bystander = spawn('sleep', ['60'], { ...(await chooseRunAs(cluster)), cwd: '/', stdio: 'ignore' })
  onTestFinished(() => kill(bystander))
  const stale = [bystander.pid, cluster, 1_700_000_000, 6543, '', '127.0.0.1', ' 1 2', 'ready   ', '']
  await writeFile(join(cluster, 'postmaster.pid'), stale.join('\n'))
  expect(await findRunningEmbedded(dataDir)).toBeUndefined()
  const { database } = await start(dataDir)
  expect(await query(database.url, 'select row from kept')).toEqual([{ row: 1 }])
  expect(bystander.signalCode).toBeNull()
})

test('does not outlive a service that exits without stopping it', async () => {
  const dataDir = await copySeed()
  const service = await startService(dataDir)
  const { pid } = await postmasterOf(dataDir)
  service.process.send('exit')
  await once(service.process, 'exit')
  const cluster = await clusterOf(dataDir)
  await vi.waitUntil(async () => !(await runsOn(pid, cluster)), { timeout: PATIENCE_MS, interval: 10 })
})

test('recovers from a first start that was killed while it made the cluster', async () => {
  const dataDir = await makeDataDir()
  const killed = startService(dataDir, async (service) => {
    await vi.waitUntil(async () => {
      const [draft] = (await listHome(dataDir)).filter((name) => name.startsWith('initdb-'))
      return draft && (await readdir(join(dataDir, 'postgres', draft))).includes('cluster')
    }, PATIENCE_MS)
    await kill(service)
  })
  await expect(killed).rejects.toThrow('SIGKILL')
  expect(await listHome(dataDir)).not.toContain('cluster')

  const { database } = await start(dataDir)
  expect(await query(database.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await listHome(dataDir)).filter((name) => name.startsWith('initdb-'))).toEqual([])
})

test('refuses a cluster of another major version and says what to do', async () => {
  const dataDir = await copySeed()
  await writeFile(join(await clusterOf(dataDir), 'PG_VERSION'), '17\n')
  await expect(start(dataDir)).rejects.toThrow(
    /made by PostgreSQL 17, .* brings PostgreSQL 18.*Dump it.*DATABASE_URL/,
  )
})

test('says why PostgreSQL does not start, and frees the folder', async () => {
  const dataDir = await copySeed()
  const settings = join(await clusterOf(dataDir), 'postgresql.auto.conf')
  const before = await readFile(settings)
  await appendFile(settings, 'nonsense = 1\n')
  await expect(start(dataDir)).rejects.toThrow(/did not start.*unrecognized configuration .*"nonsense"/s)
  await writeFile(settings, before)
  await start(dataDir)
})

test.runIf(isRoot)('as root, moves the cluster out of a folder that its user cannot enter', async () => {
  const dataDir = await makeDataDir()
  await chmod(dataDir, 0o700)
  const first = await start(dataDir)
  const home = await realpath(join(dataDir, 'postgres'))
  expect(home).not.toContain(dataDir)
  expect(first.log.info).toHaveBeenCalledWith(expect.stringContaining(home))
  await query(first.database.url, 'create table kept as select 1 as row')

  // A copy of the folder leads to the same cluster.
  const copy = await makeDataDir()
  await promisify(execFile)('cp', ['-a', `${dataDir}/.`, copy])
  await expect(start(copy)).rejects.toThrow(`${copy} is in use by another service (pid ${process.pid})`)
  await first.database.stop()

  const { database } = await start(dataDir)
  expect(await query(database.url, 'select row from kept')).toEqual([{ row: 1 }])
  await database.stop()
  await rm(home, { recursive: true })
  await expect(start(dataDir)).rejects.toThrow('leads to a folder that is missing')
})

/** A fresh folder for one test. */
async function makeDataDir(): Promise<string> {
  const dataDir = await makeFolder()
  onTestFinished(() => remove(dataDir))
  return dataDir
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'embedded test '))
  // mkdtemp gives mode 0700, for which a service that runs as root would put the cluster elsewhere.
  await chmod(folder, 0o755)
  return folder
}

/** Removes the folder, what was put elsewhere for it, and a server that still runs there. */
async function remove(dataDir: string): Promise<void> {
  const home = await realpath(join(dataDir, 'postgres')).catch(() => dataDir)
  const cluster = join(home, 'cluster')
  const postmaster = await findPostmaster(cluster)
  if (postmaster) await shutDown(postmaster.pid, async () => !(await runsOn(postmaster.pid, cluster)))
  for (const folder of [home, dataDir]) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function copySeed(): Promise<string> {
  const dataDir = await makeDataDir()
  // `cp -a`, since fs.cp does not keep the owner.
  await promisify(execFile)('cp', [
    '-a',
    `${await realpath(join(seed, 'postgres'))}/.`,
    join(dataDir, 'postgres'),
  ])
  return dataDir
}

async function start(dataDir: string) {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const database: EmbeddedDatabase = await startEmbedded({ dataDir, log })
  running.add(database)
  return { database, log }
}

/** Starts a database in a process of its own, which can be killed. Rejects with its output if it ends. */
async function startService(dataDir: string, meanwhile?: (service: ChildProcess) => Promise<void>) {
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(new URL('../../../src/db/embedded/embedded-server.ts', import.meta.url))})
    const log = { info() {}, warn() {}, error: console.error }
    const { url } = await startEmbedded({ dataDir: process.argv[1], log })
    process.on('message', () => process.exit())
    process.send(url)`
  const service = spawn(process.execPath, ['--input-type=module', '-e', code, dataDir], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  onTestFinished(() => kill(service))
  const failure = Promise.all([text(service.stderr as NodeJS.ReadableStream), once(service, 'exit')]).then(
    ([output, [, signal]]) => Promise.reject(new Error(`${signal} ${output}`)),
  )
  const started = once(service, 'message').then(([url]) => url as string)
  await meanwhile?.(service)
  const url = await Promise.race([started, failure])
  failure.catch(() => {})
  return { url, pid: service.pid, process: service }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function query(url: string, statement: string) {
  const sql = postgres(url, { max: 1 })
  try {
    return [...(await sql.unsafe(statement))]
  } finally {
    await sql.end({ timeout: 0 })
  }
}

async function clusterOf(dataDir: string): Promise<string> {
  return join(await realpath(join(dataDir, 'postgres')), 'cluster')
}

async function postmasterOf(dataDir: string) {
  const postmaster = await findPostmaster(await clusterOf(dataDir))
  if (!postmaster) throw new Error('PostgreSQL does not run')
  return postmaster
}

async function listHome(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, 'postgres')).catch(() => [])
}
