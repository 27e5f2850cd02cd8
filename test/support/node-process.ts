import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { createNode, type NodeOptions } from '../../src/node.ts'

/**
 * One node as a process of its own. The argument is JSON: `env` as in production, and whatever else of
 * `config` is to differ from it. Prints where it listens, as main.ts does.
 */
interface Options extends Pick<NodeOptions, 'databaseUrl' | 'jwtSecrets'> {
  env: Record<string, string>
  config: object
}

const { env, config, ...rest } = JSON.parse(process.argv[2] as string) as Options
const node = await createNode({
  config: { ...readConfig(env), ...config },
  log: pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
  ...rest,
})
const { port } = node.core.config
console.log(`ready at ${await node.app.listen({ host: '127.0.0.1', port })}`)
