import { eq, sql } from 'drizzle-orm'
import type { Db, Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { nodes } from '../../db/tables/nodes.tables.ts'
import { CONNECTION_NAME, VERSION } from '../../version.ts'

/** A node without a sign of life for this long is gone. */
const GONE = sql`interval '60 seconds'`

export interface OwnNode {
  id: string
  name: string
  version: string
  bus: string | undefined
  secrets: string[]
}

const NODE = rowOf(nodes, ['id', 'name', 'version', 'bus', 'secrets'])
/** `seenAt`: in seconds, by the database's clock. */
export type OtherNode = Row<typeof NODE> & { seenAt: number }

/**
 * Reports that this node is alive, and lists the others that have done so since it started: one that was killed before
 * may still have a row.
 */
export async function reportAlive(
  db: Db,
  { id, name, version, bus, secrets }: OwnNode,
): Promise<OtherNode[]> {
  return await query<OtherNode>(
    db,
    { ...NODE.check, seenAt: 'float8' },
    sql`
    with own as (
      insert into ${nodes} (id, name, version, bus, secrets)
      values (${id}::uuid, ${name}, ${version}, ${bus ?? null}, ${JSON.stringify(secrets)}::jsonb)
      on conflict (id) do update set bus = excluded.bus, seen_at = now() returning started_at
    ), gone as (
      delete from ${nodes} where id in (
        select id from ${nodes} where seen_at < now() - ${GONE} and id <> ${id}::uuid for update skip locked)
    )
    select ${NODE.columns('n')}, extract(epoch from n.seen_at)::float8 as "seenAt"
      from ${nodes} n, own
     where n.id <> ${id}::uuid and n.seen_at > greatest(own.started_at, now() - ${GONE})`,
  )
}

/** PgBouncer's `application_name_add_host` adds ` - <host>:<port>`. */
const NAME = sql`regexp_replace(application_name, ' - .*$', '')`

/**
 * Whether nodes of other versions run: they have a row, or, as 1.0.0 writes none, at least a connection that names
 * them.
 */
export async function hasOtherVersions(db: Executor): Promise<boolean> {
  const [row] = await query<{ has: boolean }>(
    db,
    { has: 'boolean' },
    sql`
    select exists (select from ${nodes} where version <> ${VERSION} and seen_at > now() - ${GONE})
        or exists (
          select from pg_stat_activity
           where datname = current_database() and ${NAME} ~ '^exam-practice( [0-9]|$)'
             and ${NAME} <> ${CONNECTION_NAME}) as has`,
  )
  return row?.has === true
}

export async function leave(db: Db, id: string): Promise<void> {
  await db.delete(nodes).where(eq(nodes.id, id))
}
