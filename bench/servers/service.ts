import { BACKLOG, createNode } from '../../src/process/node.ts'
import { readConfig } from '../../src/settings/config.ts'
import { createLog } from '../../src/telemetry/log.ts'

/** One node as in production, except that people may send without a pause. */
const config = { ...readConfig(process.env), port: 0, chat: { sendIntervalMs: 0 } }
const { app, core } = await createNode({
  config,
  log: await createLog('info'),
  databaseUrl: config.databaseUrl as string,
  jwtSecrets: config.jwtSecrets,
})
/** Publishes an event as a send would, to measure the fan-out alone. */
process.on('message', (event: Parameters<typeof core.bus.publish<`conversation:${number}`>>[1]) =>
  core.bus.publish('conversation:1', event),
)
process.on('SIGUSR2', () => globalThis.gc?.())
process.on('disconnect', () => process.exit())
process.send?.(await app.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG }))
