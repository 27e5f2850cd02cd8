import { AppError } from '../../errors.ts'
import type { Owned } from './store.ts'

/** What a reader may see: their own, and what is public. 404 for all else, whether or not it is there. */
export function requireReadable<T extends Owned>(found: T | undefined, readerId: number): T {
  if (!found || (found.ownerId !== readerId && !found.isPublic)) throw new AppError('not_found')
  return found
}

/** What somebody may change: their own. 404, or 403 `not_owner` where they may see it. */
export function requireOwn<T extends Owned>(found: T | undefined, userId: number): T {
  const readable = requireReadable(found, userId)
  if (readable.ownerId !== userId) throw new AppError('not_owner')
  return readable
}
