import type { Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import * as store from './classes.store.ts'

/** For its members and administrators; 404 for everybody else. */
export async function requireMember(
  db: Executor,
  { userId, isAdmin }: Viewer,
  classId: number,
): Promise<store.ClassStanding> {
  const standing = await store.findStanding(db, classId, userId)
  if (!standing || (!isAdmin && standing.role === null)) throw new AppError('not_found')
  return standing
}

/** Whether somebody may know what only teachers of a class and administrators may. */
export function isTeaching({ isAdmin }: Viewer, { role }: Pick<store.ClassStanding, 'role'>): boolean {
  return isAdmin || role === 'teacher'
}

/** For its teachers and administrators: 403 `forbidden` for its students, 404 for everybody else. */
export async function requireTeacher(db: Executor, viewer: Viewer, classId: number): Promise<store.ClassRow> {
  const standing = await requireMember(db, viewer, classId)
  if (!isTeaching(viewer, standing)) throw new AppError('forbidden')
  return standing.class
}

/** For changes by its teachers and administrators: `requireTeacher`, and 409 `class_archived`. */
export async function requireOpenClass(db: Executor, viewer: Viewer, classId: number) {
  return requireOpen(await requireTeacher(db, viewer, classId))
}

/**
 * Locks a class for a change by its teachers or administrators. Their role is checked behind the lock, which removals
 * take too: somebody who was removed before can't change anything.
 */
export async function lockTaughtClass(
  tx: Executor,
  viewer: Viewer,
  classId: number,
): Promise<store.ClassRow> {
  await store.lockClass(tx, classId)
  return requireOpenClass(tx, viewer, classId)
}

/** Has the devices of people who are in a class no more read again what they show; call it after the commit. */
export function tellGone(core: Core, userIds: readonly number[]): void {
  for (const userId of userIds)
    core.bus.publish(`user:${userId}`, { kind: 'frame', frame: { type: 'resync' } })
}

/** 409 `class_archived` */
export function requireOpen(row: store.ClassRow): store.ClassRow {
  if (row.archived) throw new AppError('class_archived')
  return row
}
