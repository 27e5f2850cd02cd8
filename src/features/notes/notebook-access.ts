import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { requireHelp } from '../help-lock/help-lock.service.ts'
import type { NotebookAccess } from './notebooks.store.ts'

/**
 * What a reader may see: their own notes, and public ones except during an exam that locks help. 404 for anything
 * else, even if it exists.
 */
export async function requireReadable<T extends NotebookAccess>(
  core: Core,
  found: T | undefined,
  readerId: number,
): Promise<T> {
  if (!isReadable(found, readerId)) throw new AppError('not_found')
  if (found.ownerId !== readerId) await requireHelp(core, readerId)
  return found
}

/** What somebody may change: their own notes. 404, or 403 `not_owner` if they may see it. */
export function requireOwn<T extends NotebookAccess>(found: T | undefined, userId: number): T {
  if (!isReadable(found, userId)) throw new AppError('not_found')
  if (found.ownerId !== userId) throw new AppError('not_owner')
  return found
}

function isReadable<T extends NotebookAccess>(found: T | undefined, readerId: number): found is T {
  return found !== undefined && (found.ownerId === readerId || found.isPublic)
}
