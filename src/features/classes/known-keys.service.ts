import type { Keys } from '../../../schemas/items.schemas.ts'
import type { Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { OPEN_KEYS } from '../attempts/result-visibility.service.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import * as store from './known-keys.store.ts'

/**
 * Opens the keys of a class's exams, or of one, whose time has come. Call it before a teacher reads them, or marks that
 * reveal them: they stay closed until it is stored that teachers know them. It waits for changes of the exam's times:
 * those that are stored keep the keys closed, and later ones of teachers are refused (`requireUnknown`). While another
 * change has locked the exam itself, its keys stay closed.
 */
export async function openKeys(
  core: Core,
  { userId, isAdmin }: Viewer,
  which: store.KeyScope,
): Promise<void> {
  if (isAdmin) return
  for (const examId of await store.listLearnt(core.db, userId, new Date(core.clock()), which))
    await core.db.transaction(async (tx) => {
      await lockAlone(tx, LOCKS.examTimes(examId))
      await store.learnKeys(tx, userId, new Date(core.clock()), examId)
    })
}

/**
 * Like `toRead`, for marks of all exams of a class, or of one. The primary is read, too, if the replica would leave out
 * marks that teachers may know by now: because somebody has read them first, or because their time has come, which no
 * audit log tells.
 */
export async function toReadMarks(
  core: Core,
  viewer: Viewer,
  { classId, examId }: { classId: number; examId?: number | undefined },
): Promise<Core> {
  const reading = await toRead(core, viewer.userId)
  if (viewer.isAdmin || reading === core) return reading
  const listClosed = async ({ db, clock }: Core) => {
    const rows = await store.listUnknown(db, viewer.userId, new Date(clock()), classId, examId)
    return rows.map(({ id }) => id).join()
  }
  const [closed, closedThere] = await Promise.all([
    listClosed(core),
    listClosed(reading).catch(() => undefined),
  ])
  return closed === closedThere ? reading : core
}

/**
 * Whether the viewer may see the answer keys of these exams, and marks from which a key could be worked out:
 * administrators may, teachers once the keys are open to them.
 */
export async function readKeys(
  core: Core,
  db: Executor,
  { userId, isAdmin }: Viewer,
  examIds: number[],
): Promise<(examId: number) => Keys> {
  if (isAdmin) return () => OPEN_KEYS
  const rows = await store.listKnown(db, userId, new Date(core.clock()), examIds)
  const known = new Map(rows.map((row) => [row.id, toKeys(core, row)]))
  // One that was deleted meanwhile has none.
  return (examId) => known.get(examId) ?? { shows_keys: false, keys_open_at: null }
}

export async function keysOf(core: Core, db: Executor, viewer: Viewer, examId: number): Promise<Keys> {
  return (await readKeys(core, db, viewer, [examId]))(examId)
}

/** The exams of a class, or one of them, whose keys and marks somebody may not know. */
export async function listUnknown(
  core: Core,
  db: Executor,
  { userId, isAdmin }: Viewer,
  { classId, examId }: { classId: number; examId: number | undefined },
) {
  if (isAdmin) return []
  const rows = await store.listUnknown(db, userId, new Date(core.clock()), classId, examId)
  return rows.map((row) => ({ id: row.id, name: row.name, ...toKeys(core, row) }))
}

/**
 * For changes by which somebody might take an exam again: 409 `keys_open` once teachers may know its keys before its
 * students do, also where they are closed again. To be called behind the lock of the exam's times, which keeps others
 * from opening them until the change is stored, and behind the others that the change waits for.
 */
export async function requireUnknown(
  core: Core,
  tx: Executor,
  { userId, isAdmin }: Viewer,
  examId: number,
): Promise<void> {
  if (isAdmin) return
  if (await store.knowsFirst(tx, userId, new Date(core.clock()), examId)) throw new AppError('keys_open')
}

function toKeys(core: Core, { mayKnow, opensAt }: store.KnownRow): Keys {
  if (mayKnow || opensAt === null) return { shows_keys: mayKnow, keys_open_at: null }
  // What is overdue is closed within seconds.
  const at = Math.max(Date.parse(opensAt), core.clock())
  return { shows_keys: false, keys_open_at: new Date(at).toISOString() }
}
