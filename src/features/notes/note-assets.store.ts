import { asc, eq } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only } from '../../db/query.ts'
import { assets, notebooks, pages } from '../../db/tables/notes.tables.ts'
import type { NotebookAccess } from './notebooks.store.ts'

export type AssetRow = typeof assets.$inferSelect

export async function listAssets(db: Executor, pageId: number): Promise<AssetRow[]> {
  return db.select().from(assets).where(eq(assets.pageId, pageId)).orderBy(asc(assets.id))
}

export async function listNotebookAssets(db: Executor, notebookId: number): Promise<AssetRow[]> {
  const rows = await db
    .select({ asset: assets })
    .from(assets)
    .innerJoin(pages, eq(pages.id, assets.pageId))
    .where(eq(pages.notebookId, notebookId))
    .orderBy(asc(assets.id))
  return rows.map(({ asset }) => asset)
}

export async function countAssets(db: Executor, pageId: number): Promise<number> {
  return db.$count(assets, eq(assets.pageId, pageId))
}

export async function findAsset(db: Executor, id: number): Promise<(AssetRow & NotebookAccess) | undefined> {
  const [row] = await db
    .select({ asset: assets, ownerId: notebooks.ownerId, isPublic: notebooks.isPublic })
    .from(assets)
    .innerJoin(pages, eq(pages.id, assets.pageId))
    .innerJoin(notebooks, eq(notebooks.id, pages.notebookId))
    .where(eq(assets.id, id))
  return row && { ...row.asset, ownerId: row.ownerId, isPublic: row.isPublic }
}

export async function insertAsset(db: Executor, asset: typeof assets.$inferInsert): Promise<AssetRow> {
  return only(await db.insert(assets).values(asset).returning())
}

/** undefined where it is gone. */
export async function updateAsset(
  db: Executor,
  id: number,
  change: Pick<AssetRow, 'fileKey' | 'contentType' | 'size' | 'width' | 'height'>,
): Promise<AssetRow | undefined> {
  const [row] = await db.update(assets).set(change).where(eq(assets.id, id)).returning()
  return row
}

export async function deleteAsset(db: Executor, id: number): Promise<void> {
  await db.delete(assets).where(eq(assets.id, id))
}
