import type { Readable, Writable } from 'node:stream'
import postgres from 'postgres'
import { driverOptions, toPool } from '../../db/database-client.ts'
import { LOCKS, lockShared } from '../../db/locks.ts'
import { listOwnTables } from '../../db/migrate.ts'
import * as replica from '../../db/read-replica.ts'
import { ALL_BEFORE, ENDED } from '../../db/tables/sign-in.tables.ts'
import { GHOST_ID } from '../../db/tables/users.tables.ts'

/** The driver itself: COPY, and catalogs that no table of ours describes. */
export type Sql = postgres.Sql | postgres.TransactionSql

export interface Table {
  name: string
  columns: string[]
  /** The columns that order its rows, so that equal tables give equal bytes. */
  key: string[]
  /** The column with a sequence, if there is one. */
  numbered: string | null
}

/** Connections of its own, for work of many minutes. */
export function connect(url: string, connections: number): postgres.Sql {
  return postgres(
    ...driverOptions(url, { max: connections, connection: { application_name: 'exam-practice backup' } }),
  )
}

/** The role may have a statement timeout; these statements may take longer. */
export async function liftTimeLimit(tx: Sql): Promise<void> {
  await tx`select set_config('statement_timeout', '0', true)`
}

/** No file is deleted as long as this transaction lasts. */
export async function holdFiles(sql: postgres.Sql, tx: postgres.TransactionSql): Promise<void> {
  await lockShared(toPool(sql, tx), LOCKS.files())
}

/** Whether a standby has what the primary has now; false if it can't be reached. */
export async function hasCaughtUp(
  standbyUrl: string,
  sql: postgres.Sql,
  tx: postgres.TransactionSql,
): Promise<boolean> {
  return await replica.hasCaughtUp(standbyUrl, toPool(sql, tx)).catch(() => false)
}

/** The service's tables, without another program's. */
export async function listTables(sql: Sql): Promise<Table[]> {
  return await sql<Table[]>`
    select c.relname::text as name,
           (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
           (select array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum))
              from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
             where i.indrelid = c.oid and i.indisprimary) as key,
           (select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '') as numbered
      from pg_class c
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
       and c.relname = any (${listOwnTables()})
     order by c.relname`
}

/** The migrations that made the schema what it is. */
export async function listMigrations(sql: Sql): Promise<string[]> {
  const rows = await sql<
    { hash: string }[]
  >`select hash from drizzle.__drizzle_migrations order by created_at, id`
  return rows.map(({ hash }) => hash)
}

export async function readServerVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`
  return row?.version ?? ''
}

/** A table's rows in COPY's text format: a line a row. */
export function copyOut(sql: Sql, { name, columns, key }: Table): Promise<Readable> {
  return sql`copy (select ${sql(columns)} from ${sql(name)} order by ${sql(key)}) to stdout`.readable()
}

export function copyIn(sql: Sql, { name, columns }: Pick<Table, 'name' | 'columns'>): Promise<Writable> {
  return sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable()
}

/** Where a table's numbering stands. */
export async function readNumbering(sql: Sql, { name, numbered }: Table): Promise<string | null> {
  if (numbered === null) return null
  const [row] = await sql<{ last: string | null }[]>`
    select pg_sequence_last_value(pg_get_serial_sequence(quote_ident(${name}), ${numbered})::regclass)::text as last`
  return row?.last ?? null
}

/** Never backwards: this stays even if the transaction is rolled back. */
export async function setNumbering(sql: Sql, { name, numbered }: Table, last: string | null): Promise<void> {
  if (numbered === null || last === null) return
  await sql`
    select setval(numbers, greatest(${last}::bigint, pg_sequence_last_value(numbers)))
      from (select pg_get_serial_sequence(quote_ident(${name}), ${numbered})::regclass as numbers) as sequence`
}

/** Whether anybody has used the database: a new one holds the ghost alone. */
export async function isUnused(sql: Sql, tables: Table[]): Promise<boolean> {
  for (const { name } of tables) {
    const real = name === 'users' ? sql`where id <> ${GHOST_ID}` : sql``
    if ((await sql`select 1 from ${sql(name)} ${real} limit 1`).length > 0) return false
  }
  return true
}

/** How a table's foreign keys are declared, for when its rows are there. */
export interface ForeignKey {
  table: string
  name: string
  declaration: string
}

/**
 * Empties the tables, and takes away their foreign keys, so that they can be filled in any order, and their triggers,
 * until `endLoading`: what triggers would write is in the backup.
 */
export async function beginLoading(tx: Sql, tables: Table[]): Promise<ForeignKey[]> {
  const keys = await tx<ForeignKey[]>`
    select c.relname::text as table, f.conname::text as name, pg_get_constraintdef(f.oid) as declaration
      from pg_constraint f join pg_class c on c.oid = f.conrelid
     where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace
       and c.relname = any (${tables.map(({ name }) => name)})`
  for (const { table, name } of keys) await tx`alter table ${tx(table)} drop constraint ${tx(name)}`
  for (const { name } of tables) await tx`alter table ${tx(name)} disable trigger user`
  await tx`truncate ${tx(tables.map(({ name }) => name))}`
  return keys
}

/** Throws if a row refers to one that isn't there. */
export async function endLoading(tx: Sql, tables: Table[], keys: ForeignKey[]): Promise<void> {
  for (const { table, name, declaration } of keys)
    await tx`alter table ${tx(table)} add constraint ${tx(name)} ${tx.unsafe(declaration)}`
  for (const { name } of tables) await tx`alter table ${tx(name)} enable trigger user`
}

export async function countRows(sql: Sql, name: string): Promise<number> {
  const [row] = await sql<{ count: string }[]>`select count(*) from ${sql(name)}`
  return Number(row?.count)
}

/** Sessions that may still have tokens which have not expired, ended ones too. */
export async function listSessions(sql: Sql): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from sessions where expires_at > now()
    union select session_id from revocations where session_id <> ${ALL_BEFORE} order by id`
  return rows.map(({ id }) => id)
}

/** Voids every token of these sessions. */
export async function revokeSessions(tx: Sql, ids: number[]): Promise<void> {
  await tx`
    insert into revocations (session_id, min_generation, revoked_at)
    select id, ${ENDED}::int, clock_timestamp() from unnest(${ids}::int[]) as id
    on conflict (session_id) do update set min_generation = excluded.min_generation, revoked_at = excluded.revoked_at`
}

/** Voids every token of a session up to this one, known or not. */
export async function revokeUpTo(tx: Sql, id: number): Promise<void> {
  await tx`
    insert into revocations (session_id, min_generation, revoked_at) values (${ALL_BEFORE}, ${id}, clock_timestamp())
    on conflict (session_id) do update
      set min_generation = greatest(revocations.min_generation, excluded.min_generation), revoked_at = excluded.revoked_at`
}

/** Ends leases of workers and reservations of answers: they don't exist any more. */
export async function endLeases(tx: Sql): Promise<void> {
  await tx`
    update generation_jobs
       set status = 'failed', message = 'Failed', last_event = 'failed', finished_at = now(),
           error = 'The service was restored from a backup'
     where status = 'running'`
  await tx`delete from generation_files`
  // An older backup has no such table.
  const [{ exists }] = await tx<[{ exists: boolean }]>`select to_regclass('materials') is not null as exists`
  if (exists)
    await tx`
      update materials set status = 'failed', error = 'The service was restored from a backup'
       where status = 'reading'`
  await tx`delete from assistant_questions where expires_at is not null`
}
