import type { InteractionBody, LibraryNotebook, LibraryQuery } from '../../../schemas/notes.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import * as libraryStore from './library-store.ts'
import { listPages } from './notebooks.ts'

/** A run of everybody's public notebooks, and how many there are. */
export async function searchLibrary(
  core: Core,
  readerId: number,
  { q = '', sort = 'recent' }: LibraryQuery,
  limit: number,
  offset: number,
) {
  const { rows, total } = await libraryStore.listPublic(core.db, { readerId, q, sort }, limit, offset)
  return { notebooks: rows.map(toLibraryNotebook), total }
}

/** A public notebook with its pages. 404 for a private one, to its owner too. */
export async function readFromLibrary(core: Core, readerId: number, notebookId: number) {
  const notebook = toLibraryNotebook(await requirePublic(core, readerId, notebookId))
  return { ...notebook, pages: await listPages(core, readerId, notebookId) }
}

/** Likes or bookmarks a public notebook, or takes that back: as `active` says, else the opposite of now. 404. */
export async function interact(
  core: Core,
  userId: number,
  notebookId: number,
  { kind, active }: InteractionBody,
) {
  await requirePublic(core, userId, notebookId)
  const interaction = { notebookId, userId, kind }
  const removed = active !== true && (await libraryStore.deleteInteraction(core.db, interaction))
  const isActive = active ?? !removed
  if (isActive) await libraryStore.insertInteraction(core.db, interaction)
  const count = await libraryStore.countInteractions(core.db, notebookId, kind)
  return { kind, active: isActive, count }
}

async function requirePublic(core: Core, readerId: number, notebookId: number) {
  const row = await libraryStore.findPublic(core.db, notebookId, readerId)
  if (!row) throw new AppError('not_found')
  return row
}

function toLibraryNotebook(row: libraryStore.LibraryRow): LibraryNotebook {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    author: row.author,
    page_count: row.pageCount,
    likes: row.likes,
    bookmarks: row.bookmarks,
    liked: row.liked,
    bookmarked: row.bookmarked,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
