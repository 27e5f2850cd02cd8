import { and, desc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { contains } from '../../../db/search.ts'
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

/** A page of the public notebooks that contain `q`, by latest change or by likes, and how many there are. */
export async function listPublic(
  db: Executor,
  { readerId, q, sort }: { readerId: number; q: string; sort: 'recent' | 'popular' },
  limit: number,
  offset: number,
): Promise<{ rows: LibraryRow[]; total: number }> {
  const found = and(eq(notebooks.isPublic, true), q === '' ? undefined : matches(q))
  const latest = [desc(notebooks.updatedAt), desc(notebooks.id)]
  const rows = await db
    .select(selection(readerId))
    .from(notebooks)
    .innerJoin(users, eq(users.id, notebooks.ownerId))
    .where(found)
    .orderBy(...(sort === 'popular' ? [desc(notebooks.likes), ...latest] : latest))
    .limit(limit)
    .offset(offset)
  return { rows, total: await db.$count(notebooks, found) }
}

function matches(q: string): SQL | undefined {
  const author = sql`${notebooks.ownerId} in (select id from users where ${contains(sql`username`, q)})`
  return or(contains(notebooks.title, q), contains(notebooks.description, q), author)
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
