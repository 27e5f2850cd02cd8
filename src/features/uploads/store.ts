import { asc, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { isAnyOf } from '../../db/query.ts'
import { discardedFiles } from '../../db/tables/files.ts'

/** Marks a file to be deleted after this many seconds. */
export async function insertDiscarded(db: Executor, key: string, seconds: number): Promise<void> {
  await db.insert(discardedFiles).values({ key, dueAt: sql`now() + make_interval(secs => ${seconds})` })
}

/** False if it is not marked, or no longer. */
export async function deleteDiscarded(db: Executor, key: string): Promise<boolean> {
  const gone = await db.delete(discardedFiles).where(eq(discardedFiles.key, key)).returning()
  return gone.length > 0
}

/** Makes a marked file due at once. */
export async function hastenDiscarded(db: Executor, key: string): Promise<void> {
  await db.update(discardedFiles).set({ dueAt: sql`now()` }).where(eq(discardedFiles.key, key))
}

/** Keys that nothing refers to, the longest due first. */
export async function listDue(db: Executor, limit: number): Promise<string[]> {
  const rows = await db
    .select({ key: discardedFiles.key })
    .from(discardedFiles)
    .where(sql`${discardedFiles.dueAt} <= now()`)
    .orderBy(asc(discardedFiles.dueAt))
    .limit(limit)
  return rows.map(({ key }) => key)
}

export async function deleteAllDiscarded(db: Executor, keys: string[]): Promise<void> {
  await db.delete(discardedFiles).where(isAnyOf(discardedFiles.key, keys))
}
