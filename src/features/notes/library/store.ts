import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import { contains, isIndexed } from '../../../db/search.ts'
import { notebookInteractions, notebooks } from '../../../db/tables/notes.ts'
import { users } from '../../../db/tables/people/users.ts'

export type Kind = 'like' | 'bookmark'

export interface LibraryRow {
  id: number
  title: string
  description: string
  author: string
  pageCount: number
  likes: number
  bookmarks: number
  liked: boolean
  bookmarked: boolean
  createdAt: Date
  updatedAt: Date
}

const interactionsOf = (kind: Kind) =>
  sql`from notebook_interactions i where i.notebook_id = notebooks.id and i.kind = ${sql.raw(`'${kind}'`)}`
const hasOwn = (kind: Kind, readerId: number) =>
  sql<boolean>`exists (select 1 ${interactionsOf(kind)} and i.user_id = ${readerId})`

const selection = (readerId: number) => ({
  id: notebooks.id,
  title: notebooks.title,
  description: notebooks.description,
  author: users.username,
  pageCount: sql<number>`(select count(*)::int from pages where pages.notebook_id = notebooks.id)`,
  likes: notebooks.likes,
  bookmarks: notebooks.bookmarks,
  liked: hasOwn('like', readerId),
  bookmarked: hasOwn('bookmark', readerId),
  createdAt: notebooks.createdAt,
  updatedAt: notebooks.updatedAt,
})

/** How many notebooks a text is looked for in that is too short for the index: the first ones in their order. */
const LOOKED_THROUGH = 1_000

/** A page of the public notebooks that contain `q`, by latest change or by likes, and how many there are. */
export async function listPublic(
  db: Executor,
  { readerId, q, sort }: { readerId: number; q: string; sort: 'recent' | 'popular' },
  limit: number,
  offset: number,
): Promise<{ rows: LibraryRow[]; total: number }> {
  const order = sort === 'popular' ? sql`likes desc, updated_at desc, id desc` : sql`updated_at desc, id desc`
  const page = only(
    await query<{ ids: number[]; total: number }>(
      db,
      q === ''
        ? sql`
    select array(select id from notebooks where is_public order by ${order} limit ${limit} offset ${offset}) as ids,
           (select count(*)::int from notebooks where is_public) as total`
        : sql`
    with found as materialized (${find(q, order)})
    select array(select id from found order by ${order} limit ${limit} offset ${offset}) as ids,
           (select count(*)::int from found) as total`,
    ),
  )
  const rows = await db
    .select(selection(readerId))
    .from(notebooks)
    .innerJoin(users, eq(users.id, notebooks.ownerId))
    .where(isAnyOf(notebooks.id, page.ids))
    .orderBy(sql`array_position(${sql.param(page.ids)}::int[], ${notebooks.id})`)
  return { rows, total: page.total }
}

/** Public notebooks whose title, description or author contains `q`. */
function find(q: string, order: SQL): SQL {
  const text = or(contains(sql`title`, q), contains(sql`description`, q))
  const author = contains(sql`username`, q)
  if (isIndexed(q))
    return sql`
      select id, likes, updated_at from notebooks where is_public and ${text}
      union
      select notebook.id, likes, notebook.updated_at
        from users join notebooks notebook on notebook.owner_id = users.id and is_public
       where ${author}`
  return sql`
      select notebook.id, likes, notebook.updated_at
        from (select * from notebooks where is_public order by ${order} limit ${LOOKED_THROUGH}) notebook
        join users on users.id = notebook.owner_id
       where ${text} or ${author}`
}

export async function findPublic(
  db: Executor,
  notebookId: number,
  readerId: number,
): Promise<LibraryRow | undefined> {
  const [row] = await db
    .select(selection(readerId))
    .from(notebooks)
    .innerJoin(users, eq(users.id, notebooks.ownerId))
    .where(and(eq(notebooks.id, notebookId), eq(notebooks.isPublic, true)))
  return row
}

/** Fine if it exists already. */
export async function insertInteraction(
  db: Executor,
  interaction: { notebookId: number; userId: number; kind: Kind },
): Promise<void> {
  await db.insert(notebookInteractions).values(interaction).onConflictDoNothing()
}

/** False if there was none. */
export async function deleteInteraction(
  db: Executor,
  { notebookId, userId, kind }: { notebookId: number; userId: number; kind: Kind },
): Promise<boolean> {
  const gone = await db
    .delete(notebookInteractions)
    .where(
      and(
        eq(notebookInteractions.notebookId, notebookId),
        eq(notebookInteractions.userId, userId),
        eq(notebookInteractions.kind, kind),
      ),
    )
    .returning({ userId: notebookInteractions.userId })
  return gone.length > 0
}

export async function countInteractions(db: Executor, notebookId: number, kind: Kind): Promise<number> {
  const [row] = await db
    .select({ count: kind === 'like' ? notebooks.likes : notebooks.bookmarks })
    .from(notebooks)
    .where(eq(notebooks.id, notebookId))
  return row?.count ?? 0
}
