import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Notebook } from '../../../schemas/notes.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { iso, NOW, only, statement } from '../../db/query.ts'
import { notebooks } from '../../db/tables/notes.tables.ts'

/** Anything that belongs to a notebook: the notebook's owner. */
export interface NotebookAccess {
  ownerId: number
  isPublic: boolean
}

const { likes, bookmarks, ...OWN } = getTableColumns(notebooks)

export type NotebookRow = Pick<typeof notebooks.$inferSelect, keyof typeof OWN> & { pageCount: number }

const NOTEBOOK = {
  ...OWN,
  pageCount: sql<number>`(select count(*)::int from pages where pages.notebook_id = notebooks.id)`,
}

/** Somebody's notebooks as they are shown to them, latest change first. */
export const listNotebooks = statement<{ ownerId: number }, Notebook>(
  {
    id: 'integer',
    title: 'text',
    description: 'text',
    is_public: 'boolean',
    page_count: 'integer',
    created_at: 'text',
    updated_at: 'text',
  },
  ({ ownerId }) => sql`
    select id, title, description, is_public,
           (select count(*)::int from pages where notebook_id = notebooks.id) as page_count,
           ${iso(sql`created_at`)} as created_at, ${iso(sql`notebooks.updated_at`)} as updated_at
      from notebooks where owner_id = ${ownerId} order by notebooks.updated_at desc, id desc`,
)

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
    .set({ ...change, updatedAt: NOW })
    .where(eq(notebooks.id, id))
}

export async function deleteNotebook(db: Executor, id: number): Promise<void> {
  await db.delete(notebooks).where(eq(notebooks.id, id))
}
