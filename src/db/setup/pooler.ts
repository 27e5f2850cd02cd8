import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { type DatabaseOptions, driverOptions } from '../client.ts'

const OLDEST = 15

/**
 * Finds out what answers at the address: PostgreSQL itself, or a pooler such as PgBouncer, which gives each
 * transaction another connection and accepts no settings for a connection. Missing abilities of the pooler are logged
 * with the setting that adds them.
 *
 * Throws if the service can't run on this server.
 */
export async function learnServer(
  url: string,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
): Promise<Pick<DatabaseOptions, 'prepare' | 'limitsStatements'>> {
  const sql = postgres(...driverOptions(url, { max: 1, connect_timeout: 10 }))
  try {
    const result = await sql<Answer[]>`
      select pg_backend_pid() as pid, current_setting('server_version_num')::int / 10000 as version,
             current_setting('server_encoding') as encoding, current_setting('statement_timeout') as timeout,
             array(select name from pg_prepared_statements) as names`
    const { pid, version, encoding, timeout, names } = result[0] as Answer
    if (version < OLDEST)
      throw new Error(`DATABASE_URL: PostgreSQL ${version} is too old, ${OLDEST} is the oldest that serves`)
    if (encoding !== 'UTF8')
      throw new Error(`DATABASE_URL: the database's encoding is ${encoding}: create it with encoding 'UTF8'`)
    // If the process that answers is not the one that the driver was told, a pooler is in between.
    const { state, statement } = result as unknown as DriverResult
    if (state.pid === pid) return { prepare: true, limitsStatements: true }

    // A pooler that supports prepared statements gives them names of its own.
    const prepare = names.length > 0 && !names.includes(statement.name)
    log.info({ prepared_statements: prepare }, 'the database is behind a pooler')
    if (!prepare)
      log.warn(
        'the pooler keeps no prepared statements, so every statement is planned anew: ' +
          'take PgBouncer 1.21 or newer and set its max_prepared_statements to 200',
      )
    if (timeout === '0')
      log.warn(
        'behind a pooler the service cannot limit how long a statement takes: ' +
          `do it with "alter role … set statement_timeout = '8s'"`,
      )
    return { prepare, limitsStatements: false }
  } finally {
    await sql.end({ timeout: 3 })
  }
}

interface Answer {
  pid: number
  version: number
  encoding: string
  timeout: string
  names: string[]
}

/**
 * Properties of the driver's result beside the rows: the process that it was told to be connected to, and its name for
 * the statement.
 */
interface DriverResult {
  state: { pid: number }
  statement: { name: string }
}
