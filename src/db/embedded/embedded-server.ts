import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { LockedError, takeLock } from './lock-file.ts'
import { findPostmaster, postmasterArguments, readPostmasterPid, runsOn, shutDown } from './postmaster.ts'
import { chooseRunAs, findHome, getBinaries, makeHome, prepareBinaries, type RunAs } from './staging.ts'

export interface EmbeddedDatabase {
  url: string
  /** Shuts PostgreSQL down and frees the folder. May be called again. */
  stop(): Promise<void>
  /** Resolves when PostgreSQL has ended, by `stop` or on its own; never rejects. */
  exited: Promise<void>
}

type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

const DATABASE = 'exam_practice'
const PASSWORD_FILE = 'service-password'

/** The environment of PostgreSQL's processes. Our own contains secrets, and they may run as another user. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' }

/**
 * Starts PostgreSQL in `<dataDir>/postgres` as a child process on a free loopback port. The cluster and the database
 * `exam_practice` are created if they don't exist. Remains of a service that was killed, a running server or an
 * incomplete cluster, are removed first.
 *
 * Throws if another service uses `dataDir`, if the cluster has another major version, if the optional package is
 * missing, and with the end of PostgreSQL's log if it doesn't start.
 */
export async function startEmbedded(options: { dataDir: string; log: Log }): Promise<EmbeddedDatabase> {
  const { log } = options
  const began = performance.now()
  const dataDir = resolve(options.dataDir)
  const packaged = await getBinaries()
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  const home = (await findHome(dataDir)) ?? (await makeHome(dataDir, log))
  const release = await lockHome(home, dataDir)
  try {
    const cluster = join(home, 'cluster')
    const user = await chooseRunAs(cluster)
    const native = await prepareBinaries(packaged, user, home, log)
    if (existsSync(cluster)) await checkVersion(cluster, packaged.version)
    else await createCluster(home, native, user)
    await clearRemains(cluster, log)
    const password = await readPassword(cluster)
    const { child, port } = await launch(home, native, user)
    const database = supervise(child, urlOf(port, password), home, release, log)
    await createDatabase(urlOf(port, password, 'postgres')).catch(async (error) => {
      await database.stop()
      throw error
    })
    log.info({ folder: home, port, milliseconds: Math.round(performance.now() - began) }, 'PostgreSQL is up')
    return database
  } catch (error) {
    release()
    throw error
  }
}

/** The url of the embedded database of that `dataDir`, if it runs; another process may have started it. */
export async function findRunningEmbedded(dataDir: string): Promise<string | undefined> {
  const home = await findHome(resolve(dataDir))
  if (home === undefined) return undefined
  const cluster = join(home, 'cluster')
  const postmaster = await findPostmaster(cluster)
  return postmaster?.ready ? urlOf(postmaster.port, await readPassword(cluster)) : undefined
}

async function lockHome(home: string, dataDir: string): Promise<() => void> {
  try {
    // The lock lies beside the cluster, not in dataDir: a copy of dataDir may contain a link to the same cluster.
    return await takeLock(join(home, 'service.lock'))
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw new Error(
      `${dataDir} is in use by another service (pid ${error.holder ?? 'unknown'}): stop that one, or set another DATA_DIR`,
    )
  }
}

async function checkVersion(cluster: string, version: string): Promise<void> {
  const found = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  const ours = version.split('.')[0]
  if (found === ours) return
  throw new Error(
    `${cluster} was made by PostgreSQL ${found}, but this service brings PostgreSQL ${ours}. ` +
      `Dump it with the version of the service that made it, then move the folder away and load the dump into the new one; ` +
      `or move the folder away to begin with an empty database; or set DATABASE_URL to a server that has the data.`,
  )
}

/** Creates `<home>/cluster` completely or not at all: it is made in a folder beside it, and renamed at the end. */
async function createCluster(home: string, native: string, user: RunAs): Promise<void> {
  const abandoned = (await readdir(home)).filter((name) => name.startsWith('initdb-'))
  // With retries, because an initdb that outlived its service may still write there.
  await Promise.all(
    abandoned.map((name) => rm(join(home, name), { recursive: true, force: true, maxRetries: 5 })),
  )

  const draft = await mkdtemp(join(home, 'initdb-'))
  const cluster = join(draft, 'cluster')
  const passwordFile = join(draft, PASSWORD_FILE)
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true })
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [draft, passwordFile]) await chown(path, user.uid, user.gid)
  }
  const initdb = (locale: string) =>
    promisify(execFile)(
      join(native, 'bin', 'initdb'),
      // Collation and case are built into PostgreSQL, so they are the same on every machine. `locale` is only for what
      // PostgreSQL asks the operating system, such as which characters are letters in full text search.
      [
        ...['-D', cluster, '--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
        ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ...[`--locale=${locale}`, '--lc-messages=C', '--no-instructions'],
      ],
      { ...user, cwd: '/', env: ENVIRONMENT },
    )
  await initdb('C.UTF-8').catch((error: { stderr?: string }) => {
    if (error.stderr?.includes('invalid locale name')) return initdb('C')
    throw error
  })
  await rename(passwordFile, join(cluster, PASSWORD_FILE))
  await rename(cluster, join(home, 'cluster'))
  await rm(draft, { recursive: true })
}

/** Stops a server that a killed service left running, and removes a stale postmaster.pid. */
async function clearRemains(cluster: string, log: Log): Promise<void> {
  const orphan = await findPostmaster(cluster)
  if (orphan) {
    log.warn({ pid: orphan.pid }, 'stopping the PostgreSQL server that an earlier service left running')
    await shutDown(orphan.pid, async () => !(await runsOn(orphan.pid, cluster)))
  }
  // PostgreSQL would refuse to start if another process of the same user has that pid now. If a server is alive after
  // all, PostgreSQL notices it by its shared memory.
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}

/** For the last processes of a killed server to end, and for finding a free port. */
const LAUNCH_RETRIES_MS = 10_000

async function launch(home: string, native: string, user: RunAs) {
  const cluster = join(home, 'cluster')
  const logPath = join(home, 'postgres.log')
  for (const deadline = Date.now() + LAUNCH_RETRIES_MS; ; await sleep(100)) {
    const port = await findFreePort()
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: 100,
      shared_buffers: '128MB',
      jit: 'off',
      // Failed statements are logged by the client; here they would fill the file and contain personal data.
      log_min_messages: 'log',
      log_min_error_statement: 'panic',
      log_checkpoints: 'off',
    }
    const logFile = await open(logPath, 'w', 0o600)
    const child = spawn(join(native, 'bin', 'postgres'), postmasterArguments(cluster, settings), {
      ...user,
      cwd: '/',
      env: ENVIRONMENT,
      // In a session of its own, so that Ctrl-C in the terminal doesn't end PostgreSQL while the service drains.
      detached: true,
      // A file, not a pipe: PostgreSQL must be able to write after this process has ended.
      stdio: ['ignore', logFile.fd, logFile.fd],
    })
    // If this process exits without `stop`, there is only time for a signal; the next start waits for the end.
    const interrupt = () => child.kill('SIGINT')
    process.once('exit', interrupt)
    const failure = new Promise<Error>((settle) => {
      child.on('error', settle)
      child.once('exit', (code, signal) => {
        process.off('exit', interrupt)
        settle(new Error(`it ended with ${signal ?? `code ${code}`}`))
      })
    })
    await logFile.close()
    const failed = await Promise.race([failure, untilReady(child, cluster)])
    if (!failed) return { child, port }

    const lastLines = (await readFile(logPath, 'utf8')).trim().split('\n').slice(-20).join('\n')
    const passes = /Address already in use|pre-existing shared memory block/.test(lastLines)
    if (!passes || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start: ${failed.message}\n${lastLines}`, { cause: failed })
    }
  }
}

/** Has no time limit, because a recovery can take long. Ends when the child process ends. */
async function untilReady(child: ChildProcess, cluster: string): Promise<undefined> {
  while (!hasEnded(child)) {
    const postmaster = await readPostmasterPid(cluster)
    if (postmaster?.pid === child.pid && postmaster?.ready) return
    await sleep(10)
  }
  // `failure` reports the reason.
  return new Promise(() => {})
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** A port of 127.0.0.1 that is free at this moment. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function supervise(
  child: ChildProcess,
  url: string,
  home: string,
  release: () => void,
  log: Log,
): EmbeddedDatabase {
  let stopping: Promise<void> | undefined
  const exited = new Promise<void>((settle) => {
    if (hasEnded(child)) settle()
    else child.once('exit', () => settle())
  }).then(() => {
    const { exitCode: code, signalCode: signal } = child
    if (!stopping) log.error({ code, signal }, `PostgreSQL ended on its own: see ${home}/postgres.log`)
  })
  const stop = async () => {
    const { pid } = child
    if (pid !== undefined && !hasEnded(child)) await shutDown(pid, () => hasEnded(child))
    release()
  }
  return {
    url,
    exited,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

async function createDatabase(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  try {
    const [found] = await sql`select from pg_database where datname = ${DATABASE}`
    if (!found) await sql`create database ${sql(DATABASE)}`
  } finally {
    await sql.end({ timeout: 3 })
  }
}

function readPassword(cluster: string): Promise<string> {
  return readFile(join(cluster, PASSWORD_FILE), 'utf8')
}

function urlOf(port: number, password: string, database = DATABASE): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}
