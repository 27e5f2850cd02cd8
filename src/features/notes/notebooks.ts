import type {
  NewNotebookBody,
  NewPageBody,
  Notebook,
  NotebookChange,
  NotePage,
} from '../../../schemas/notes.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { trySweepDiscardedFiles } from '../uploads/discarded.ts'
import { requireOwn, requireReadable } from './access.ts'
import * as store from './store.ts'

/** Notebooks of one person, and pages of one notebook. */
const MOST_NOTEBOOKS = 1_000
const MOST_PAGES = 500

// --- notebooks

export async function listNotebooks(core: Core, userId: number): Promise<Notebook[]> {
  return (await store.listNotebooks(core.db, userId)).map(toNotebook)
}

export async function createNotebook(core: Core, ownerId: number, input: NewNotebookBody): Promise<Notebook> {
  if ((await store.countNotebooks(core.db, ownerId)) >= MOST_NOTEBOOKS) throw new AppError('notes_full')
  const id = await store.insertNotebook(core.db, {
    ownerId,
    title: input.title,
    description: input.description ?? '',
    isPublic: input.is_public ?? false,
  })
  return readNotebook(core, ownerId, id)
}

/** An own or a public notebook. 404. */
export async function readNotebook(core: Core, readerId: number, id: number): Promise<Notebook> {
  return toNotebook(requireReadable(await store.findNotebook(core.db, id), readerId))
}

/** 404, 403 `not_owner`, 400 `nothing_to_update`. */
export async function changeNotebook(
  core: Core,
  userId: number,
  id: number,
  { title, description, is_public: isPublic }: NotebookChange,
): Promise<Notebook> {
  requireOwn(await store.findNotebook(core.db, id), userId)
  if (title === undefined && description === undefined && isPublic === undefined)
    throw new AppError('nothing_to_update')
  await store.updateNotebook(core.db, id, {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(isPublic === undefined ? {} : { isPublic }),
  })
  return readNotebook(core, userId, id)
}

/** With its pages and their files. 404, 403 `not_owner`. */
export async function deleteNotebook(core: Core, userId: number, id: number): Promise<void> {
  requireOwn(await store.findNotebook(core.db, id), userId)
  await store.deleteNotebook(core.db, id)
  await trySweepDiscardedFiles(core)
}

export function toNotebook(row: store.NotebookRow): Notebook {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    is_public: row.isPublic,
    page_count: row.pageCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

// --- pages

/** The pages of an own or a public notebook, in order. 404. */
export async function listPages(core: Core, readerId: number, notebookId: number): Promise<NotePage[]> {
  requireReadable(await store.findNotebook(core.db, notebookId), readerId)
  return (await store.listPages(core.db, notebookId)).map(toPage)
}

/** A page of an own or a public notebook. 404. */
export async function readPage(core: Core, readerId: number, id: number): Promise<NotePage> {
  return toPage(requireReadable(await store.findPage(core.db, id), readerId))
}

/** 404, 403 `not_owner`, 409 `notes_full`. */
export async function createPage(
  core: Core,
  userId: number,
  notebookId: number,
  { title, position }: NewPageBody,
): Promise<NotePage> {
  const id = await core.db.transaction(async (tx) => {
    await store.lockNotebook(tx, notebookId)
    requireOwn(await store.findNotebook(tx, notebookId), userId)
    const others = await listPageIds(tx, notebookId)
    if (others.length >= MOST_PAGES) throw new AppError('notes_full')
    const made = await store.insertPage(tx, {
      notebookId,
      title: title ?? `Page ${others.length + 1}`,
      position: others.length,
    })
    await arrange(tx, notebookId, others.toSpliced(position ?? others.length, 0, made))
    return made
  })
  return readPage(core, userId, id)
}

/** Renames or moves a page; the others make room. 404, 403 `not_owner`, 400 `nothing_to_update`. */
export async function changePage(
  core: Core,
  userId: number,
  id: number,
  { title, position }: NewPageBody,
): Promise<NotePage> {
  const { notebookId } = requireOwn(await store.findPage(core.db, id), userId)
  if (title === undefined && position === undefined) throw new AppError('nothing_to_update')
  await core.db.transaction(async (tx) => {
    await store.lockNotebook(tx, notebookId)
    if (title !== undefined) await store.updatePage(tx, id, { title })
    const ids = await listPageIds(tx, notebookId)
    if (!ids.includes(id)) throw new AppError('not_found')
    const others = ids.filter((each) => each !== id)
    await arrange(tx, notebookId, position === undefined ? ids : others.toSpliced(position, 0, id))
  })
  return readPage(core, userId, id)
}

/** With its objects and files; the later pages move up. 404, 403 `not_owner`. */
export async function deletePage(core: Core, userId: number, id: number): Promise<void> {
  const { notebookId } = requireOwn(await store.findPage(core.db, id), userId)
  await core.db.transaction(async (tx) => {
    await store.lockNotebook(tx, notebookId)
    await store.deletePage(tx, id)
    await arrange(tx, notebookId, await listPageIds(tx, notebookId))
  })
  await trySweepDiscardedFiles(core)
}

async function listPageIds(tx: Executor, notebookId: number): Promise<number[]> {
  return (await store.listPages(tx, notebookId)).map(({ id }) => id)
}

async function arrange(tx: Executor, notebookId: number, pageIds: number[]): Promise<void> {
  await store.updatePositions(tx, pageIds)
  await store.updateNotebook(tx, notebookId)
}

export function toPage(row: store.PageRow): NotePage {
  return {
    id: row.id,
    notebook_id: row.notebookId,
    title: row.title,
    position: row.position,
    object_count: row.objectCount,
    version: row.version,
  }
}
