import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import closeWithGrace from 'close-with-grace'
import { isMended } from './db/database-client.ts'
import { waitForDatabase } from './db/database-wait.ts'
import { type EmbeddedDatabase, startEmbedded } from './db/embedded/embedded-server.ts'
import { migrate } from './db/migrate.ts'
import { closeOtherDoors } from './features/auth/provider-only.service.ts'
import { DEMO_PASSWORD } from './features/demo/demo-accounts.ts'
import { seedDemo } from './features/demo/demo-seed.ts'
import { buildDesk } from './features/pages/desk-build.ts'
import { watchNpm } from './process/launcher.ts'
import { explainListening } from './process/listening.ts'
import { BACKLOG, createNode, type ServiceNode } from './process/node.ts'
import { type Config, ConfigError, readConfig } from './settings/config.ts'
import { findMisspelt } from './settings/misspelt-settings.ts'
import { createLog } from './telemetry/log.ts'
import { loadGeneratedSecret } from './tokens/secrets.ts'

/** Longest time for closing after the node has drained (docs/protocol/operations.md#draining). */
const CLOSE_TIMEOUT_MS = 11_000
/**
 * npm and the terminal both pass on one Ctrl-C; a second signal after this time comes from somebody who is impatient.
 */
const SAME_SIGNAL_MS = 500

async function main(config: Config): Promise<void> {
  await requireWritable(config)
  const log = await createLog(config.logLevel)
  let embedded: EmbeddedDatabase | undefined
  let node: ServiceNode | undefined
  for (const line of findMisspelt(process.env)) log.warn(line)
  if (!isMended)
    log.warn('the database driver lacks its repairs (patches/): run "npx patch-package", and start again')
  if (config.databaseUrl === undefined && config.redisUrl !== undefined)
    log.warn('REDIS_URL without DATABASE_URL: other nodes cannot share the embedded database')
  if (config.demo && !config.isPrivate)
    log.warn(`DEMO=on: anybody who reaches this service can be its administrator, with ${DEMO_PASSWORD}`)
  if (config.smtpUrl === undefined && !config.isPrivate)
    log.warn(
      `without SMTP_URL nobody gets mails, such as those for a new password: they stay in ${config.dataDir}/mail`,
    )
  if (config.databaseUrl === undefined) embedded = await startEmbedded({ dataDir: config.dataDir, log })
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
  try {
    await waitForDatabase(databaseUrl, log)
    await migrate(databaseUrl, log)
    const jwtSecrets =
      config.jwtSecrets.length > 0 ? config.jwtSecrets : [await loadGeneratedSecret(config.dataDir)]
    node = await createNode({ config, log, databaseUrl, jwtSecrets })
    await closeOtherDoors(node.core)
    void buildDesk(node.core)
    if (config.demo) await seedDemo(node.core)
    closeWhenTold(node, embedded)
    if (config.startedByNpm) await watchNpm(() => process.kill(process.pid, 'SIGTERM'))
    const listening = node.app.listen({
      host: config.host,
      port: config.port,
      backlog: BACKLOG,
      listenTextResolver: (address) => `ready at ${address}`,
    })
    const address = await listening.catch((error) => Promise.reject(explainListening(error, config)))
    if (config.demo) printWelcome(address)
  } catch (error) {
    // Before its database: a node without one would say so in lines that hide the reason.
    await node?.close()
    await embedded?.stop()
    throw error
  }
}

/** Ends everything when the process is told to end, when it fails, and when its database has ended. */
function closeWhenTold(node: ServiceNode, embedded: EmbeddedDatabase | undefined): void {
  const { config, log } = node.core
  let toldAt: number | undefined
  const closeOptions = {
    delay: config.drainDelayMs + CLOSE_TIMEOUT_MS,
    logger: log,
    skip: ['SIGTERM', 'SIGINT'] satisfies NodeJS.Signals[],
  }
  const grace = closeWithGrace(closeOptions, async ({ err }) => {
    if (err) log.fatal({ err }, 'the service failed and is stopping')
    if (toldAt !== undefined) await node.drain()
    await node.close()
    await embedded?.stop()
  })
  const leave = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (toldAt === undefined) {
      toldAt = now
      log.info({ signal, seconds: config.drainDelayMs / 1_000 }, 'serving on for a moment, then ending')
      void grace.close()
    } else if (signal === 'SIGINT' && now - toldAt > SAME_SIGNAL_MS) node.hurry()
  }
  for (const signal of closeOptions.skip) process.on(signal, leave)
  // Without its database the service can't work; the operator or a supervisor has to restart it.
  void embedded?.exited.then(() => grace.close())
}

/** Throws a ConfigError if the folder is needed and can't be written to. */
async function requireWritable({
  dataDir,
  databaseUrl,
  jwtSecrets,
  storage,
  smtpUrl,
}: Config): Promise<void> {
  const keepsFiles = storage.kind === 'disk' && !path.relative(dataDir, storage.folder).startsWith('..')
  if (databaseUrl !== undefined && jwtSecrets.length > 0 && smtpUrl !== undefined && !keepsFiles) return
  try {
    await makeFolder(dataDir)
    await closeToOthers(dataDir)
    await rmdir(await mkdtemp(path.join(dataDir, '.writable-')))
  } catch (error) {
    throw new ConfigError([`DATA_DIR: ${dataDir} cannot be written: ${describe(error)}`])
  }
}

/** Node's `recursive` never ends where nothing can be created, such as below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeFolder(path.dirname(folder))
  await mkdir(folder)
}

/**
 * What is kept there is nobody else's to read. Started by root, PostgreSQL runs as a user of its own, who has to pass.
 * A folder of somebody else's, or one that all share, such as /tmp, stays as it is.
 */
async function closeToOthers(folder: string): Promise<void> {
  const { mode, uid } = await stat(folder)
  if (uid === process.getuid?.() && (mode & STICKY) === 0) await chmod(folder, uid === 0 ? 0o711 : 0o700)
}

const STICKY = 0o1000

function printWelcome(address: string): void {
  process.stdout.write(`
  Exam Practice Service   ${address}   open it and choose somebody to be
  API reference           ${address}/docs
  Sign in as              alice, bob or admin, password ${DEMO_PASSWORD}

  Try it:
  curl -s ${address}/api/v01/auth/login -H 'content-type: application/json' \\
    -d '{"username":"alice","password":"${DEMO_PASSWORD}"}'

`)
}

try {
  await main(readConfig(process.env))
} catch (error) {
  const text =
    error instanceof ConfigError ? error.message : `The service could not start: ${describe(error)}`
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
