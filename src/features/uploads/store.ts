import { asc, eq, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { discardedFiles } from '../../db/tables/files.ts'

/** Notes a file as discarded once so many seconds have passed. */
export async function insertDiscarded(db: Executor, key: string, seconds: number): Promise<void> {
  await db.insert(discardedFiles).values({ key, dueAt: sql`now() + make_interval(secs => ${seconds})` })
}

/** False where it is not noted, or not any more. */
export async function deleteDiscarded(db: Executor, key: string): Promise<boolean> {
  const gone = await db.delete(discardedFiles).where(eq(discardedFiles.key, key)).returning()
  return gone.length > 0
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
  await db.delete(discardedFiles).where(inArray(discardedFiles.key, keys))
}
