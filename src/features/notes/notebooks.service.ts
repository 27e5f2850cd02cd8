import type { NewNotebookBody, Notebook, NotebookChange } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { trySweepDiscardedFiles } from '../uploads/discarded-uploads.ts'
import { requireOwn, requireReadable } from './notebook-access.ts'
import * as store from './notebooks.store.ts'

/** Notebooks of one person. */
const MOST_NOTEBOOKS = 2_000

export async function listNotebooks(core: Core, userId: number): Promise<Notebook[]> {
  return store.listNotebooks(core.db, { ownerId: userId })
}

export async function createNotebook(core: Core, ownerId: number, input: NewNotebookBody): Promise<Notebook> {
  const made = await core.db.transaction(async (tx) => {
    await lockPerson(tx, ownerId)
    if ((await store.countNotebooks(tx, ownerId)) >= MOST_NOTEBOOKS) throw new AppError('too_many')
    return store.insertNotebook(tx, {
      ownerId,
      title: input.title,
      description: input.description ?? '',
      isPublic: input.is_public ?? false,
    })
  })
  return toNotebook(made)
}

/** An own or a public notebook. */
export async function getNotebook(core: Core, readerId: number, id: number): Promise<Notebook> {
  return toNotebook(await requireReadable(core, await store.findNotebook(core.db, id), readerId))
}

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
  return getNotebook(core, userId, id)
}

/** Deletes it with its pages and their files. */
export async function deleteNotebook(core: Core, userId: number, id: number): Promise<void> {
  requireOwn(await store.findNotebook(core.db, id), userId)
  await store.deleteNotebook(core.db, id)
  await trySweepDiscardedFiles(core)
}

function toNotebook(row: store.NotebookRow): Notebook {
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
