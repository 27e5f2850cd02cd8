import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { driverOptions } from './database-client.ts'
import { databaseError } from './database-errors.ts'
import { LOCKS } from './locks.ts'
import { lockTables } from './table-locks.ts'

const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url))
/** What the operator has to do when the database refuses a migration, by PostgreSQL's error code. */
const REMEDIES: Record<string, string> = {
  '42501': "make the service's user the owner of the database (alter database … owner to …)",
  '42704': 'put the schema that holds the extensions pg_trgm and btree_gin into search_path',
  '0A000': "install PostgreSQL's contrib package: the service needs its extensions pg_trgm and btree_gin",
  '58P01': "install PostgreSQL's contrib package: the service needs its extensions pg_trgm and btree_gin",
}

/**
 * Brings the schema up to date, in one transaction. If several nodes start at once, the first one migrates and the
 * others have nothing to do. The tables are in the first schema of `search_path`. Throws if the database belongs to
 * another program, or to a newer version: what that has stored, this one may not know.
 */
export async function migrate(url: string, log: Pick<FastifyBaseLogger, 'info'>): Promise<void> {
  const sql = postgres(...driverOptions(url, { max: 1, connect_timeout: 10 }))
  try {
    await sql.begin(async (tx) => {
      await tx`select set_config('statement_timeout', '0', true)`
      await takeTurn(tx, log)
      const pending = await listPending(tx)
      // All at once, before anything changes: nodes that serve would wait for one table while they hold another.
      const existing = pending.length === 0 ? [] : await listUsedNames(tx)
      if (existing.length > 0) await lockTables(tx, existing)
      for (const { statements, hash, createdAt } of pending) {
        for (const statement of statements) await tx.unsafe(statement)
        await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${createdAt})`
      }
    })
  } catch (error) {
    const remedy = REMEDIES[databaseError(error)?.code ?? '']
    if (remedy === undefined) throw error
    throw new Error(`the database could not be set up (${(error as Error).message}): ${remedy}`)
  } finally {
    await sql.end({ timeout: 3 })
  }
}

/** Those of the service's names that are in use, by its own tables or by another program's. */
async function listUsedNames(tx: postgres.TransactionSql): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select relname::text as name from pg_class
     where relnamespace = current_schema()::regnamespace and relname = any (${listOwnTables()}) order by 1`
  return rows.map(({ name }) => name)
}

/** The names of all tables of the service. */
export function listOwnTables(): string[] {
  const statements = readMigrations().flatMap((migration) => migration.statements)
  return statements.flatMap((statement) => /^\s*CREATE TABLE "(\w+)"/i.exec(statement)?.[1] ?? [])
}

/**
 * Holds the lock until the transaction ends, not until the connection ends: a pooler gives the connection to others.
 */
async function takeTurn(tx: postgres.TransactionSql, log: Pick<FastifyBaseLogger, 'info'>): Promise<void> {
  const lock = LOCKS.migration()
  const [row] = await tx`select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as taken`
  if (row?.taken) return
  log.info('another node is bringing the database up to date: waiting for it')
  await tx`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
}

interface Migration {
  statements: string[]
  hash: string
  createdAt: number
}

function readMigrations(): Migration[] {
  return readMigrationFiles({ migrationsFolder: MIGRATIONS }).map(({ sql, hash, folderMillis }) => ({
    // Names without a schema are looked up in search_path.
    statements: sql.map((statement) => statement.replaceAll('"public".', '')),
    hash,
    createdAt: folderMillis,
  }))
}

async function listPending(tx: postgres.TransactionSql): Promise<Migration[]> {
  const [place] = await tx<{ schema: string | null; tables: string | null }[]>`
    select current_schema() as schema, to_regclass('exam_papers')::text as tables`
  if (place?.schema == null)
    throw new Error('no schema of search_path exists: create it (create schema …), or change search_path')
  // On most starts everything exists, and the role may have no right to create anything.
  const [made] = await tx`select to_regclass('drizzle.__drizzle_migrations') is not null as made`
  if (!made?.made) {
    await tx`create schema if not exists drizzle`
    await tx`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
  }
  const done = await tx<{ hash: string; created_at: string }[]>`
    select hash, created_at from drizzle.__drizzle_migrations order by created_at`
  const migrations = readMigrations()
  const known = new Set(migrations.flatMap(({ hash, createdAt }) => [hash, String(createdAt)]))
  const own = done.filter(({ hash, created_at }) => known.has(hash) || known.has(created_at))
  if (done.length > 0 && own.length === 0)
    throw new Error(
      "the database's schema drizzle holds the migrations of another program: give the service a database of its own",
    )
  if (own.length === 0) await requireFreeNames(tx)
  else if (place.tables === null)
    throw new Error(
      `the service's tables are not in the schema ${place.schema}: change search_path to theirs`,
    )
  const last = Number(own.at(-1)?.created_at ?? 0)
  if (done.some(({ created_at }) => Number(created_at) > Number(migrations.at(-1)?.createdAt)))
    throw new Error(
      'the database belongs to a newer version of the service, whose migrations this one does not know: start that ' +
        'version, or restore a backup from before the upgrade into a new, empty database',
    )
  return migrations.filter(({ createdAt }) => createdAt > last)
}

/** Throws if another program has tables of the same names. */
async function requireFreeNames(tx: postgres.TransactionSql): Promise<void> {
  const taken = await listUsedNames(tx)
  if (taken.length === 0) return
  throw new Error(
    `the database has tables of another program that the service needs the names of (${taken.join(', ')}): ` +
      'give it a database of its own, or a schema (create schema exam, and ?search_path=exam,public in DATABASE_URL)',
  )
}
