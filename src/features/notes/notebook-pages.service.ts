import type { NewPageBody, NotePage } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import { trySweepDiscardedFiles } from '../uploads/discarded-uploads.ts'
import { requireOwn, requireReadable } from './notebook-access.ts'
import * as store from './notebook-pages.store.ts'
import * as notebooks from './notebooks.store.ts'

/** Pages of one notebook. */
const MOST_PAGES = 500

/** The pages of an own or a public notebook, in order. */
export async function listPages(core: Core, readerId: number, notebookId: number): Promise<NotePage[]> {
  await requireReadable(core, await notebooks.findNotebook(core.db, notebookId), readerId)
  return (await store.listPages(core.db, notebookId)).map(toPage)
}

/** A page of an own or a public notebook. */
export async function getPage(core: Core, readerId: number, id: number): Promise<NotePage> {
  return toPage(await requireReadable(core, await store.findPage(core.db, id), readerId))
}

export async function createPage(
  core: Core,
  userId: number,
  notebookId: number,
  { title, position }: NewPageBody,
): Promise<NotePage> {
  const id = await core.db.transaction(async (tx) => {
    await notebooks.lockNotebook(tx, notebookId)
    requireOwn(await notebooks.findNotebook(tx, notebookId), userId)
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
  return getPage(core, userId, id)
}

/** Renames or moves a page; the others make room. */
export async function changePage(
  core: Core,
  userId: number,
  id: number,
  { title, position }: NewPageBody,
): Promise<NotePage> {
  const { notebookId } = requireOwn(await store.findPage(core.db, id), userId)
  if (title === undefined && position === undefined) throw new AppError('nothing_to_update')
  await core.db.transaction(async (tx) => {
    await notebooks.lockNotebook(tx, notebookId)
    if (title !== undefined) await store.updatePage(tx, id, { title })
    const ids = await listPageIds(tx, notebookId)
    if (!ids.includes(id)) throw new AppError('not_found')
    const others = ids.filter((each) => each !== id)
    await arrange(tx, notebookId, position === undefined ? ids : others.toSpliced(position, 0, id))
  })
  return getPage(core, userId, id)
}

/** Deletes a page with its objects and files; the later pages move up. */
export async function deletePage(core: Core, userId: number, id: number): Promise<void> {
  const { notebookId } = requireOwn(await store.findPage(core.db, id), userId)
  await core.db.transaction(async (tx) => {
    await notebooks.lockNotebook(tx, notebookId)
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
  await notebooks.updateNotebook(tx, notebookId)
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
