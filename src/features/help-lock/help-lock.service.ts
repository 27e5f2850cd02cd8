import type { Core } from '../../core.ts'
import { batchedByPerson } from '../../db/batches.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { closeOverdueOf, isOverdue } from '../attempts/closing.service.ts'
import * as store from './help-lock.store.ts'

export type { HelpLock } from './help-lock.store.ts'

const locksShared = perNode((core) => batchedByPerson(core, (userIds) => store.listLocks(core.db, userIds)))

/** Throws 403 `exam_in_progress` while this person's help is locked. */
export async function requireHelp(core: Core, userId: number): Promise<void> {
  const refusal = await findRefusal(core, userId)
  if (refusal) throw refusal
}

/**
 * The result of a statement that finds nothing while this person's help is locked (`isHelpLocked`). If it finds
 * nothing, this looks whether that is why: 403 `exam_in_progress`; else it reads again, since a lock may have ended
 * meanwhile.
 */
export async function readUnlocked<T>(
  core: Core,
  userId: number,
  read: () => Promise<T>,
  hasFound: (found: T) => boolean = (found) => found !== undefined,
): Promise<T> {
  const found = await read()
  if (hasFound(found)) return found
  await requireHelp(core, userId)
  return read()
}

/** Why this person's help is refused; undefined if it isn't. An overdue attempt locks nothing: it is closed first. */
export async function findRefusal(core: Core, userId: number): Promise<AppError | undefined> {
  for (;;) {
    const lock = (await locksShared(core)(userId)).at(-1)
    if (!lock) return undefined
    if (!isOverdue({ endsAt: endOf(lock) }, core.clock())) return helpLockedError(lock)
    await closeOverdueOf(core, userId)
  }
}

/** The locks of these people, or of everybody. */
export function listLocks(core: Core, userIds: number[] | undefined): Promise<store.HelpLock[]> {
  return store.listLocks(core.db, userIds)
}

export function helpLockedError(lock: store.HelpLock): AppError {
  return new AppError('exam_in_progress', {
    details: { exam_id: lock.examId, ends_at: endOf(lock)?.toISOString() ?? null },
  })
}

function endOf({ endsAt }: store.HelpLock): Date | null {
  return endsAt === null ? null : new Date(endsAt)
}
