import { sql } from 'drizzle-orm'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { measureUse, nameStatements, pipelineBegin } from './driver.ts'
import { readAddress } from './setup/address.ts'

/** The first argument of every store function: the pool or a transaction, never a default. */
export type Executor = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>

/** The pool. `$client` is the driver itself, for statements as plain text. */
export type Db = PostgresJsDatabase & { $client: postgres.Sql }

export interface DatabaseOptions {
  url: string
  /** Most connections that this node opens. */
  pool: number
  /** Whether statements are prepared. That needs connections that belong to this node alone. */
  prepare?: boolean
  /** Whether a statement timeout can be set when connecting; if not, the server has to set one. */
  limitsStatements?: boolean
}

/** A statement that takes longer than this is cancelled, and the request answers 503. */
const STATEMENT_TIMEOUT_MS = 8_000

/** The longest pause between tries to connect, so that the service works again soon after the database is back. */
const LONGEST_PAUSE_SECONDS = 1

/** The arguments of the driver, with the options that all connections have in common. */
export function driverOptions<Options extends postgres.Options<Record<string, never>>>(
  url: string,
  { connection, ...options }: Options,
) {
  const address = readAddress(url)
  return [
    address.url,
    {
      connect_timeout: 5,
      backoff: (retries: number) => Math.min(LONGEST_PAUSE_SECONDS, 0.05 * 2 ** retries),
      onnotice: () => {},
      ssl: address.ssl,
      ...(address.host === undefined ? {} : { host: address.host }),
      ...(address.port === undefined ? {} : { port: address.port }),
      ...options,
      connection: { application_name: 'exam-practice', ...connection },
    },
  ] as const
}

export function connectDatabase({ url, pool, prepare = true, limitsStatements = true }: DatabaseOptions): Db {
  const connection = limitsStatements ? { statement_timeout: STATEMENT_TIMEOUT_MS } : {}
  const client = postgres(...driverOptions(url, { max: pool, idle_timeout: 60, prepare, connection }))
  return drizzle({ client: measureUse(pipelineBegin(nameStatements(client)), pool), casing: 'snake_case' })
}

/** Makes a transaction that was begun on the driver, as for COPY, usable by stores. */
export function toExecutor(driver: postgres.Sql, sql: postgres.TransactionSql): Executor {
  const client = Object.assign(sql, { options: driver.options }) as unknown as postgres.Sql
  return drizzle({ client, casing: 'snake_case' })
}

/** The part of a pool's connections that one asker, or all heavy reads together, may hold. */
export function shareOf(pool: number): number {
  return Math.ceil(pool / 3)
}

/** An id of this database that doesn't depend on its address. */
export async function identifyDatabase(db: Db): Promise<string> {
  const [row] = await db.execute<{ id: string }>(sql`
    select system_identifier || '-' || (select oid from pg_database where datname = current_database()) as id
      from pg_control_system()`)
  return (row as { id: string }).id
}

/** Closes the pool; connections that don't end within three seconds are dropped. */
export async function closeDatabase(db: Db): Promise<void> {
  await db.$client.end({ timeout: 3 })
}
