/** A constant behind the first PARTS parts of a request (../request-parts.ts). */

import { createNode } from '../../src/process/node.ts'
import { readConfig } from '../../src/settings/config.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { buildPart } from '../request-parts.ts'

const config = { ...readConfig(process.env), port: 0 }
const { core } = await createNode({
  config,
  log: await createLog('info'),
  databaseUrl: config.databaseUrl as string,
  jwtSecrets: config.jwtSecrets,
})
const app = await buildPart(core, Number(process.env.PARTS))
process.on('disconnect', () => process.exit())
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
