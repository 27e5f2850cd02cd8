import { asc, eq, lte, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, NOW, only, query } from '../../db/query.ts'
import { discardedFiles } from '../../db/tables/files.tables.ts'

/** Marks a file to be deleted after this many seconds. */
export async function insertDiscarded(db: Executor, key: string, seconds: number): Promise<void> {
  await db.execute(sql`
    insert into discarded_files (key, due_at) values (${key}, now() + make_interval(secs => ${seconds}))`)
}

/** False if it is not marked, or no longer. */
export async function deleteDiscarded(db: Executor, key: string): Promise<boolean> {
  const gone = await db.delete(discardedFiles).where(eq(discardedFiles.key, key)).returning()
  return gone.length > 0
}

/** Makes a marked file due at once. */
export async function hastenDiscarded(db: Executor, key: string): Promise<void> {
  await db.update(discardedFiles).set({ dueAt: NOW }).where(eq(discardedFiles.key, key))
}

/** Keys that nothing refers to, the longest due first. */
export async function listDue(db: Executor, limit: number): Promise<string[]> {
  const rows = await db
    .select({ key: discardedFiles.key })
    .from(discardedFiles)
    .where(lte(discardedFiles.dueAt, NOW))
    .orderBy(asc(discardedFiles.dueAt))
    .limit(limit)
  return rows.map(({ key }) => key)
}

export async function deleteAllDiscarded(db: Executor, keys: string[]): Promise<void> {
  await db.delete(discardedFiles).where(isAnyOf(discardedFiles.key, keys))
}

/** Bytes of all files of a person, in notebooks and messages; each one counts at least `least`. */
export async function sumBytes(db: Executor, ownerId: number, least: number): Promise<number> {
  const { bytes } = only(
    await query<{ bytes: string }>(
      db,
      { bytes: 'text' },
      sql`
      select ((select coalesce(sum(greatest(assets.size, ${least}::int)), 0)
                from assets join pages on pages.id = assets.page_id join notebooks on notebooks.id = pages.notebook_id
               where notebooks.owner_id = ${ownerId})
           + (select coalesce(sum(greatest(size, ${least}::int)), 0) from attachments
               where owner_id = ${ownerId} and file_key is not null))::text as bytes`,
    ),
  )
  return Number(bytes)
}
