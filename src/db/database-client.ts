import type { PgDatabase } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { CONNECTION_NAME } from '../version.ts'
import { readAddress } from './database-address.ts'
import { leadTo } from './database-primary.ts'
import { replaceMethods, wrapDriver } from './driver.ts'

/** The first argument of every store function: the pool or a transaction, never a default. */
export type Executor = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>

/**
 * Called in the transaction of a change: throws if the caller may not make the change in the state that it sees there.
 */
export type Permit = (tx: Executor) => Promise<void>

/** A pool with one way of planning. */
export type Pool = PostgresJsDatabase & {
  /** The driver itself, for statements as plain text. */
  $client: postgres.Sql
}

/** The pool. */
export type Db = Pool & {
  /** The pool as searches use it: their statements are not prepared, so each is planned for the text it looks for. */
  unprepared: Pool
}

export interface DatabaseOptions {
  url: string
  /** Most connections that this node opens. */
  pool: number
  /** Whether statements are prepared. That needs connections that belong to this node alone. */
  prepare?: boolean
  /** Whether settings can be given when connecting; if not, the server has to have them. */
  takesSettings?: boolean
}

/** Whether the driver was repaired (`patches/`). It wasn't if npm ran no scripts when it was installed. */
export const isMended = 'mended' in postgres

/**
 * Settings of each connection. A statement that takes longer is cancelled, and the request answers 503. Compiling one
 * takes longer than most take to run, which PostgreSQL misjudges where it has no statistics yet.
 */
const SETTINGS = { statement_timeout: 8_000, jit: 'off' } as const

/** The longest pause between tries to connect, so that the service works again soon after the database is back. */
const LONGEST_PAUSE_SECONDS = 1

/**
 * Longest that a connection of the pool may say nothing where another host can take over: somewhat longer than a
 * statement may take.
 */
export const SILENCE_MS = 12_000

/**
 * The arguments of the driver, with the options that all connections have in common; `silenceMs`: see `followPrimary`.
 */
export function driverOptions<Options extends postgres.Options<Record<string, never>>>(
  url: string,
  { connection, ...options }: Options,
  silenceMs?: number,
) {
  const address = readAddress(url)
  return [
    address.url,
    {
      connect_timeout: 5,
      backoff: (retries: number) => Math.min(LONGEST_PAUSE_SECONDS, 0.05 * 2 ** retries),
      onnotice: () => {},
      ssl: address.ssl,
      ...leadTo(address, silenceMs),
      ...options,
      connection: { application_name: CONNECTION_NAME, ...connection },
    },
  ] as const
}

export function connectDatabase({ url, pool, prepare = true, takesSettings = true }: DatabaseOptions): Db {
  const connection = takesSettings ? SETTINGS : {}
  const driver = postgres(
    ...driverOptions(url, { max: pool, idle_timeout: 60, prepare, connection }, SILENCE_MS),
  )
  return Object.assign(build(wrapDriver(driver, { pool, prepare })), {
    unprepared: build(wrapDriver(driver, { pool, prepare: false })),
  })
}

/** Makes a transaction that was begun on the driver, as for COPY, usable by stores. */
export function toPool(driver: postgres.Sql, sql: postgres.TransactionSql): Pool {
  const client = replaceMethods(sql as unknown as postgres.Sql, { options: driver.options })
  return build(client)
}

/** The number by which PostgreSQL names timestamps with a time zone. */
const TIMESTAMPTZ = 1184

function build(client: postgres.Sql): Pool {
  const db = drizzle({ client, casing: 'snake_case' })
  // Drizzle has the driver hand them over as texts, and makes dates of the columns that it selects itself.
  client.options.parsers[TIMESTAMPTZ] = (text: string) => new Date(text)
  return db
}

/** Closes the pool; connections that don't end within three seconds are dropped. */
export async function closeDatabase(db: Db): Promise<void> {
  await db.$client.end({ timeout: 3 })
}
