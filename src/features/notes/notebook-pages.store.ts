import { and, asc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, NOW, only, query } from '../../db/query.ts'
import { given } from '../../db/rows.ts'
import { notebooks, pageObjects, pages } from '../../db/tables/notes.tables.ts'
import type { NotebookAccess } from './notebooks.store.ts'

const PAGE = {
  id: pages.id,
  notebookId: pages.notebookId,
  title: pages.title,
  position: pages.position,
  objectCount: pages.objectCount,
  version: pages.version,
}
const STACK = { ...PAGE, stack: pages.stack, size: pages.size, tombstones: pages.tombstones }

export type PageRow = Pick<typeof pages.$inferSelect, keyof typeof PAGE>
/** A page with everything that a sync needs. */
export type StackRow = Pick<typeof pages.$inferSelect, keyof typeof STACK>

export async function listPages(db: Executor, notebookId: number): Promise<PageRow[]> {
  return db.select(PAGE).from(pages).where(eq(pages.notebookId, notebookId)).orderBy(asc(pages.position))
}

export async function listPagesWithStacks(db: Executor, notebookId: number): Promise<StackRow[]> {
  return db.select(STACK).from(pages).where(eq(pages.notebookId, notebookId)).orderBy(asc(pages.position))
}

export async function findPage(db: Executor, id: number): Promise<(PageRow & NotebookAccess) | undefined> {
  const [row] = await db
    .select({ ...PAGE, ownerId: notebooks.ownerId, isPublic: notebooks.isPublic })
    .from(pages)
    .innerJoin(notebooks, eq(notebooks.id, pages.notebookId))
    .where(eq(pages.id, id))
  return row
}

export async function findPageWithStack(db: Executor, id: number): Promise<StackRow | undefined> {
  const [row] = await db.select(STACK).from(pages).where(eq(pages.id, id))
  return row
}

export async function insertPage(tx: Executor, page: typeof pages.$inferInsert): Promise<number> {
  return only(await tx.insert(pages).values(page).returning({ id: pages.id })).id
}

export async function updatePage(
  tx: Executor,
  id: number,
  change: Partial<
    Pick<typeof pages.$inferInsert, 'title' | 'stack' | 'objectCount' | 'tombstones' | 'size' | 'version'>
  >,
): Promise<void> {
  await tx
    .update(pages)
    .set({ ...change, updatedAt: NOW })
    .where(eq(pages.id, id))
}

/** Numbers a notebook's pages in the order of the ids. */
export async function updatePositions(tx: Executor, ids: number[]): Promise<void> {
  const rows = ids.map((id) => ({ id }))
  await tx.execute(sql`
    update pages set position = place.ord - 1
      from ${given({ id: 'integer' }, rows, 'place')}
     where pages.id = place.id and pages.position <> place.ord - 1`)
}

export async function deletePage(tx: Executor, id: number): Promise<void> {
  await tx.delete(pages).where(eq(pages.id, id))
}

/** Bytes of all objects of a notebook. */
export async function sumSizes(db: Executor, notebookId: number): Promise<number> {
  const rows = await query<{ total: number }>(
    db,
    { total: 'float8' },
    sql`select coalesce(sum(size), 0)::float8 as total from pages where notebook_id = ${notebookId}`,
  )
  return only(rows).total
}

/** Bytes of all objects in somebody's notebooks, plus `idBytes` for each object that exists or was deleted. */
export async function sumSizesOf(db: Executor, ownerId: number, idBytes: number): Promise<number> {
  const rows = await query<{ total: number }>(
    db,
    { total: 'float8' },
    sql`
    select coalesce(sum(size + ${idBytes}::float8 * (object_count + tombstones)), 0)::float8 as total
      from pages join notebooks on notebooks.id = notebook_id where owner_id = ${ownerId}`,
  )
  return only(rows).total
}

// --- the objects of a page

export type ObjectRow = Omit<typeof pageObjects.$inferSelect, 'pageId'>

/** JSON of a run of the page's objects, and how many there are in all. */
export async function listObjects(
  db: Executor,
  pageId: number,
  start: number,
  limit: number,
): Promise<{ objects: string[]; total: number }> {
  const [page] = await db
    .select({
      total: pages.objectCount,
      run: sql`substring(${pages.stack} from least(${start}, ${pages.objectCount}) * 4 + 1 for ${limit} * 4)`.mapWith(
        pages.stack,
      ) as SQL<number[]>,
    })
    .from(pages)
    .where(eq(pages.id, pageId))
  if (!page) return { objects: [], total: 0 }
  const data = await mapData(db, isAnyOf(pageObjects.id, page.run))
  return { objects: inOrder(page.run, data), total: page.total }
}

/** JSON of a page's objects, from the bottom of its stack to its top. */
export async function listStackedObjects(db: Executor, { id, stack }: StackRow): Promise<string[]> {
  return inOrder(stack, await mapData(db, eq(pageObjects.pageId, id)))
}

async function mapData(db: Executor, condition: SQL): Promise<Map<number, string>> {
  const rows = await db
    .select({ id: pageObjects.id, data: sql<string>`${pageObjects.data}` })
    .from(pageObjects)
    .where(and(condition, isNotNull(pageObjects.data)))
  return new Map(rows.map(({ id, data }) => [id, data]))
}

function inOrder(stack: number[], data: ReadonlyMap<number, string>): string[] {
  return stack.flatMap((id) => data.get(id) ?? [])
}

/** The objects among these that the page has, or had, by the client's id. */
export async function findObjects(
  tx: Executor,
  pageId: number,
  objectIds: string[],
): Promise<Map<string, ObjectRow>> {
  const rows = await tx
    .select({ id: pageObjects.id, objectId: pageObjects.objectId, data: pageObjects.data })
    .from(pageObjects)
    .where(and(eq(pageObjects.pageId, pageId), isAnyOf(pageObjects.objectId, objectIds)))
  return new Map(rows.map((row) => [row.objectId, row]))
}

/** Inserts or replaces objects; answers their ids by the client's. */
export async function upsertObjects(
  tx: Executor,
  pageId: number,
  objects: readonly { objectId: string; data: string }[],
): Promise<Map<string, number>> {
  const rows = await query<{ id: number; objectId: string }>(
    tx,
    { id: 'integer', objectId: 'text' },
    sql`
    insert into page_objects (page_id, object_id, data)
    select ${pageId}, object_id, data from ${given({ objectId: 'text', data: 'text' }, objects)}
    on conflict (page_id, object_id) do update set data = excluded.data
    returning id, object_id as "objectId"`,
  )
  return new Map(rows.map(({ id, objectId }) => [objectId, id]))
}

/** Replaces the existing ones by tombstones. */
export async function deleteObjects(tx: Executor, pageId: number, objectIds: string[]): Promise<void> {
  await tx
    .update(pageObjects)
    .set({ data: null })
    .where(
      and(
        eq(pageObjects.pageId, pageId),
        isAnyOf(pageObjects.objectId, objectIds),
        isNotNull(pageObjects.data),
      ),
    )
}
