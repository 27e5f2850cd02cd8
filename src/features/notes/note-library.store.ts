import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Content } from '../../../schemas/common.ts'
import type { LibraryNotebook, NotePage } from '../../../schemas/notes.schemas.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { type Columns, iso, type Page, type Places, statement, toPage } from '../../db/query.ts'
import { notebookInteractions, notebooks } from '../../db/tables/notes.tables.ts'
import { containing, isIndexed, plannedFor } from '../../db/text-search.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'

export type InteractionKind = 'like' | 'bookmark'

/** A notebook as its readers see it, without its pages. */
type NotebookOfLibrary = Content<LibraryNotebook>
type Sort = 'recent' | 'popular'

const COLUMNS = {
  id: 'integer',
  title: 'text',
  description: 'text',
  author: 'text',
  page_count: 'integer',
  likes: 'integer',
  bookmarks: 'integer',
  liked: 'boolean',
  bookmarked: 'boolean',
  created_at: 'text',
  updated_at: 'text',
} as const satisfies Columns<NotebookOfLibrary>

const hasOwn = (kind: InteractionKind, readerId: SQL) => sql`exists (
  select from notebook_interactions
   where notebook_id = notebooks.id and kind = ${sql.raw(`'${kind}'`)} and user_id = ${readerId})`

const selection = (readerId: SQL) => sql`
  notebooks.id, title, description, users.username as author, likes, bookmarks,
  (select count(*)::int from pages where notebook_id = notebooks.id) as page_count,
  ${hasOwn('like', readerId)} as liked, ${hasOwn('bookmark', readerId)} as bookmarked,
  ${iso(sql`notebooks.created_at`)} as created_at, ${iso(sql`notebooks.updated_at`)} as updated_at`

const ORDERS = {
  recent: sql`updated_at desc, id desc`,
  popular: sql`likes desc, updated_at desc, id desc`,
}

/** How many notebooks are searched for a text that is too short for the index: the first ones in their order. */
const LOOKED_THROUGH = 1_000

interface LibraryCriteria {
  readerId: number
  /** Of the title, description or author; one of the two. */
  pattern: string | undefined
  shortPattern: string | undefined
}

const selectPage = (sort: Sort) =>
  statement<LibraryCriteria & { limit: number; offset: number }, NotebookOfLibrary & { total: number }>(
    { ...COLUMNS, total: 'integer' },
    ({ limit, offset, ...choice }) => sql`
    with found as ${choice.pattern || choice.shortPattern ? sql`materialized` : sql`not materialized`} (
      ${matchingNotebooks(choice, ORDERS[sort])})
    select ${selection(choice.readerId)}, (select count(*)::int from found) as total
      from (select id from found where not ${isHelpLocked(choice.readerId)}
             order by ${ORDERS[sort]} limit ${limit} offset ${offset}) page
      join notebooks using (id) join users on users.id = owner_id
     order by ${sort === 'popular' ? sql`likes desc,` : sql``} notebooks.updated_at desc, notebooks.id desc`,
  )
const pages = { recent: selectPage('recent'), popular: selectPage('popular') }

const count = statement<LibraryCriteria, { total: number }>(
  { total: 'integer' },
  (choice) => sql`select count(*)::int as total from (${matchingNotebooks(choice, ORDERS.recent)}) found`,
)

/** Public notebooks whose title, description or author contains a text. */
function matchingNotebooks({ pattern, shortPattern }: Places<LibraryCriteria>, order: SQL): SQL {
  if (pattern)
    return sql`
      select id, likes, updated_at from notebooks
       where is_public and (title ilike ${pattern} or description ilike ${pattern})
      union
      select notebook.id, likes, notebook.updated_at
        from users join notebooks notebook on notebook.owner_id = users.id and is_public
       where username ilike ${pattern}`
  if (shortPattern)
    return sql`
      select notebook.id, likes, notebook.updated_at
        from (select * from notebooks where is_public order by ${order} limit ${LOOKED_THROUGH}) notebook
        join users on users.id = notebook.owner_id
       where title ilike ${shortPattern} or description ilike ${shortPattern} or username ilike ${shortPattern}`
  return sql`select id, likes, updated_at from notebooks where is_public`
}

/**
 * A page of the public notebooks that contain `q`, by latest change or by likes, and how many there are; nothing while
 * the reader's help is locked.
 */
export async function listPublic(
  db: Db,
  { readerId, q, sort }: { readerId: number; q: string; sort: Sort },
  limit: number,
  offset: number,
): Promise<Page<NotebookOfLibrary>> {
  const pool = plannedFor(q, db)
  const pattern = q === '' ? undefined : containing(q)
  const choice = isIndexed(q)
    ? { readerId, pattern, shortPattern: undefined }
    : { readerId, pattern: undefined, shortPattern: pattern }
  return toPage(await pages[sort](pool, { ...choice, limit, offset }), offset, () => count(pool, choice))
}

const selectOne = statement<
  { notebookId: number; readerId: number },
  NotebookOfLibrary & { pages: NotePage[] }
>(
  { ...COLUMNS, pages: 'jsonb' },
  ({ notebookId, readerId }) => sql`
    select ${selection(readerId)}, coalesce((
             select jsonb_agg(jsonb_build_object('id', id, 'notebook_id', notebook_id, 'title', pages.title,
                      'position', position, 'object_count', object_count, 'version', version) order by position)
               from pages where notebook_id = notebooks.id), '[]') as pages
      from notebooks join users on users.id = owner_id
     where notebooks.id = ${notebookId} and is_public and not ${isHelpLocked(readerId)}`,
)

/** With its pages; undefined while the reader's help is locked too. */
export async function findPublic(db: Db, notebookId: number, readerId: number) {
  const [row] = await selectOne(db, { notebookId, readerId })
  return row
}

/** Fine if it exists already. */
export async function insertInteraction(
  db: Executor,
  interaction: { notebookId: number; userId: number; kind: InteractionKind },
): Promise<void> {
  await db.insert(notebookInteractions).values(interaction).onConflictDoNothing()
}

/** False if there was none. */
export async function deleteInteraction(
  db: Executor,
  { notebookId, userId, kind }: { notebookId: number; userId: number; kind: InteractionKind },
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

export async function countInteractions(
  db: Executor,
  notebookId: number,
  kind: InteractionKind,
): Promise<number> {
  const [row] = await db
    .select({ count: kind === 'like' ? notebooks.likes : notebooks.bookmarks })
    .from(notebooks)
    .where(eq(notebooks.id, notebookId))
  return row?.count ?? 0
}
