import { sql } from 'drizzle-orm'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

/** What a store function takes first: the pool or a transaction, never a default. */
export type Executor = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>

/** The pool. `$client` is the driver itself, for prepared statements on the hot path. */
export type Db = PostgresJsDatabase & { $client: postgres.Sql }

export interface DatabaseOptions {
  url: string
  /** Most connections that this node opens. */
  pool: number
}

/** A statement that takes longer than this is cut off: callers answer 503 rather than hang. */
const STATEMENT_TIMEOUT_MS = 8_000

export function connectDatabase({ url, pool }: DatabaseOptions): Db {
  const client = postgres(url, {
    max: pool,
    connect_timeout: 5,
    idle_timeout: 60,
    onnotice: () => {},
    connection: { application_name: 'exam-practice', statement_timeout: STATEMENT_TIMEOUT_MS },
  })
  return drizzle({ client, casing: 'snake_case' })
}

/** Tells this database from every other one, by whatever address it is reached. */
export async function identifyDatabase(db: Db): Promise<string> {
  const [row] = await db.execute<{ id: string }>(sql`
    select system_identifier || '-' || (select oid from pg_database where datname = current_database()) as id
      from pg_control_system()`)
  return (row as { id: string }).id
}

/** Ends the pool; a connection that doesn't let go within three seconds is dropped. */
export async function closeDatabase(db: Db): Promise<void> {
  await db.$client.end({ timeout: 3 })
}
