import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url))
/** Any number, as long as it is this service's alone within its database. */
const LOCK = 4_021_976

/** Brings the schema up to date. Nodes that start at once take turns; the later ones find nothing to do. */
export async function migrate(url: string): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} })
  try {
    await client`select pg_advisory_lock(${LOCK})`
    await runMigrations(drizzle({ client }), { migrationsFolder: MIGRATIONS })
  } finally {
    // Ending the connection gives the lock back.
    await client.end({ timeout: 3 })
  }
}
