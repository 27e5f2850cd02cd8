import type { InteractionBody, LibraryQuery } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { readUnlocked } from '../help-lock/help-lock.service.ts'
import * as store from './note-library.store.ts'

export const NOTEBOOKS_PER_PAGE = 20

/** One page of the public notebooks, and how many there are. */
export async function searchLibrary(
  core: Core,
  readerId: number,
  { q = '', sort = 'recent', page }: LibraryQuery,
) {
  const offset = offsetOf(page, NOTEBOOKS_PER_PAGE)
  const read = () => store.listPublic(core.db, { readerId, q, sort }, NOTEBOOKS_PER_PAGE, offset)
  const { rows: notebooks, total } = await readUnlocked(core, readerId, read, ({ rows }) => rows.length > 0)
  return { notebooks, total }
}

/** A public notebook with its pages. 404 for a private one, to its owner too. */
export async function getPublicNotebook(core: Core, readerId: number, notebookId: number) {
  const row = await readUnlocked(core, readerId, () => store.findPublic(core.db, notebookId, readerId))
  if (!row) throw new AppError('not_found')
  return row
}

/**
 * Likes or bookmarks a public notebook, or takes that back: as `active` says, else the opposite of now. Simultaneous
 * toggles run one after another.
 */
export async function interact(
  core: Core,
  userId: number,
  notebookId: number,
  { kind, active }: InteractionBody,
) {
  await getPublicNotebook(core, userId, notebookId)
  const interaction = { notebookId, userId, kind }
  return core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.interaction(userId, notebookId))
    const removed = active !== true && (await store.deleteInteraction(tx, interaction))
    const isActive = active ?? !removed
    if (isActive) await store.insertInteraction(tx, interaction)
    return { kind, active: isActive, count: await store.countInteractions(tx, notebookId, kind) }
  })
}
