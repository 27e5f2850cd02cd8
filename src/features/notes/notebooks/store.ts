import { desc, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { only } from '../../../db/query.ts'
import { notebooks } from '../../../db/tables/notes.ts'

/** Anything that belongs to a notebook: the notebook's owner. */
export interface Owned {
  ownerId: number
  isPublic: boolean
}

export type NotebookRow = Omit<typeof notebooks.$inferSelect, 'likes' | 'bookmarks'> & { pageCount: number }

const NOTEBOOK = {
  id: notebooks.id,
  ownerId: notebooks.ownerId,
  title: notebooks.title,
  description: notebooks.description,
  isPublic: notebooks.isPublic,
  createdAt: notebooks.createdAt,
  updatedAt: notebooks.updatedAt,
  pageCount: sql<number>`(select count(*)::int from pages where pages.notebook_id = notebooks.id)`,
}

/** Latest change first. */
export async function listNotebooks(db: Executor, ownerId: number): Promise<NotebookRow[]> {
  return db
    .select(NOTEBOOK)
    .from(notebooks)
    .where(eq(notebooks.ownerId, ownerId))
    .orderBy(desc(notebooks.updatedAt), desc(notebooks.id))
}

export async function countNotebooks(db: Executor, ownerId: number): Promise<number> {
  return db.$count(notebooks, eq(notebooks.ownerId, ownerId))
}

export async function findNotebook(db: Executor, id: number): Promise<NotebookRow | undefined> {
  const [row] = await db.select(NOTEBOOK).from(notebooks).where(eq(notebooks.id, id))
  return row
}

/** Changes of a notebook's pages run one after another until the transaction ends. */
export async function lockNotebook(tx: Executor, id: number): Promise<void> {
  await tx.select({ id: notebooks.id }).from(notebooks).where(eq(notebooks.id, id)).for('no key update')
}

export async function insertNotebook(
  db: Executor,
  notebook: typeof notebooks.$inferInsert,
): Promise<NotebookRow> {
  return only(
    await db
      .insert(notebooks)
      .values(notebook)
      .returning({ ...NOTEBOOK, pageCount: sql<number>`0` }),
  )
}

/** Without values only `updatedAt` changes. */
export async function updateNotebook(
  db: Executor,
  id: number,
  change: Partial<Pick<NotebookRow, 'title' | 'description' | 'isPublic'>> = {},
): Promise<void> {
  await db
    .update(notebooks)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(notebooks.id, id))
}

export async function deleteNotebook(db: Executor, id: number): Promise<void> {
  await db.delete(notebooks).where(eq(notebooks.id, id))
}
