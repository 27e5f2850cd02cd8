import closeWithGrace from 'close-with-grace'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type EmbeddedDatabase, startEmbedded } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { DEMO_PASSWORD, seedDemo } from './features/demo/seed.ts'
import { createLog } from './log.ts'
import { createNode } from './node.ts'
import { loadGeneratedSecret } from './secrets.ts'

/** Longest that the whole shutdown may take (realtime.md, promise 5). */
const CLOSE_TIMEOUT_MS = 14_000

async function main(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  let embedded: EmbeddedDatabase | undefined
  if (config.databaseUrl === undefined) embedded = await startEmbedded({ dataDir: config.dataDir, log })
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
  try {
    await migrate(databaseUrl)
    const jwtSecrets =
      config.jwtSecrets.length > 0 ? config.jwtSecrets : [await loadGeneratedSecret(config.dataDir)]
    const node = await createNode({ config, log, databaseUrl, jwtSecrets })
    if (config.demo) await seedDemo(node.core)
    const grace = closeWithGrace({ delay: CLOSE_TIMEOUT_MS, logger: log }, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'the service failed and is stopping')
      if (signal) await node.drain()
      await node.close()
      await embedded?.stop()
    })
    // Without its database the service can only fail; whoever runs it starts it anew.
    void embedded?.exited.then(() => grace.close())
    const address = await node.app.listen({
      host: config.host,
      port: config.port,
      listenTextResolver: (listening) => `ready at ${listening}`,
    })
    if (config.demo) printWelcome(address)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

function printWelcome(address: string): void {
  process.stdout.write(`
  Exam Practice Service   ${address}
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
