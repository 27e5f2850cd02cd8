import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { type DatabaseOptions, type Db, driverOptions } from './database-client.ts'
import { databaseError, REFUSED } from './database-errors.ts'
import { only, query } from './query.ts'

const OLDEST = 15
/** A setting of no meaning. PostgreSQL itself keeps what a connection begins with; poolers refuse it, or forget it. */
const PROBE = 'exam_practice.probe'

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
): Promise<Required<Pick<DatabaseOptions, 'prepare' | 'takesSettings'>>> {
  const answer = await ask(url, { [PROBE]: 'kept' }).catch((error) => {
    if (databaseError(error)?.code !== REFUSED) throw error
    return ask(url, {})
  })
  const { version, encoding, timeout, jit, probe, ownName, names } = answer
  if (version < OLDEST)
    throw new Error(`DATABASE_URL: PostgreSQL ${version} is too old, ${OLDEST} is the oldest that serves`)
  if (encoding !== 'UTF8')
    throw new Error(`DATABASE_URL: the database's encoding is ${encoding}: create it with encoding 'UTF8'`)
  if (probe === 'kept') return { prepare: true, takesSettings: true }

  // A pooler that supports prepared statements gives them names of its own.
  const prepare = names.length > 0 && !names.includes(ownName)
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
  if (jit === 'on')
    log.warn(
      "behind a pooler the service cannot turn PostgreSQL's compiler off, which makes some reads slow: " +
        'do it with "alter role … set jit = off"',
    )
  return { prepare, takesSettings: false }
}

interface ServerSettings {
  version: number
  encoding: string
  timeout: string
  jit: string
  /** null: the setting did not arrive. */
  probe: string | null
  /** The names of the prepared statements. */
  names: string[]
}

/** `ownName`: the driver's name for this statement. */
async function ask(
  url: string,
  connection: Record<string, string>,
): Promise<ServerSettings & { ownName: string }> {
  const client = postgres(...driverOptions(url, { max: 1, connect_timeout: 10, connection }))
  try {
    const result = await client<[ServerSettings]>`
      select current_setting('server_version_num')::int / 10000 as version,
             current_setting('server_encoding') as encoding, current_setting('statement_timeout') as timeout,
             current_setting('jit') as jit,
             nullif(current_setting(${PROBE}, true), '') as probe,
             array(select name from pg_prepared_statements) as names`
    return { ...result[0], ownName: result.statement.name }
  } finally {
    await client.end({ timeout: 3 })
  }
}

/** An id of this database that doesn't depend on its address. */
export async function identifyDatabase(db: Db): Promise<string> {
  const rows = await query<{ id: string }>(
    db,
    { id: 'text' },
    sql`
    select system_identifier || '-' || (select oid from pg_database where datname = current_database()) as id
      from pg_control_system()`,
  )
  return only(rows).id
}
