import { pino } from 'pino'
import { startEmbedded } from '../../../src/db/embedded/embedded-server.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { createNode } from '../../../src/process/node.ts'
import { readConfig } from '../../../src/settings/config.ts'

/**
 * The program of a node in its own process. The argument is JSON: `env` as in production, and `config` for settings
 * without a variable. Prints its address as main.ts does.
 */
const { env, config } = JSON.parse(process.argv[2] as string)
const settings = { ...readConfig(env), ...config }
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
const embedded = settings.databaseUrl ? undefined : await startEmbedded({ dataDir: settings.dataDir, log })
const databaseUrl = settings.databaseUrl ?? embedded?.url
await migrate(databaseUrl, log)
const node = await createNode({ config: settings, log, databaseUrl, jwtSecrets: settings.jwtSecrets })
process.once('SIGTERM', async () => {
  await node.drain()
  await node.close()
  await embedded?.stop()
})
console.log(`ready at ${await node.app.listen({ host: settings.host, port: settings.port })}`)
