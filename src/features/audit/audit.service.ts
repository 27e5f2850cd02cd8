import type { AuditAction, AuditEntry, AuditQuery, SubjectType } from '../../../schemas/audit.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { offsetOf } from '../../paging.ts'
import * as store from './audit.store.ts'

export interface AuditedChange {
  action: AuditAction
  /** The changed thing's id or key; null if the change has no single subject. */
  subject: readonly [type: SubjectType, id: number | string | null]
  /**
   * What happened: `5 questions were added`. Contains ids and numbers, never people's names, texts that they wrote,
   * or secrets: names are read from the accounts when the log is shown, and nothing of a deleted account must stay
   * here.
   */
  summary: string
}

/** Writes entries in the same transaction as the changes themselves. */
export async function record(tx: Executor, actor: Actor, ...changes: AuditedChange[]): Promise<void> {
  await store.insertEntries(
    tx,
    changes.map(({ action, subject: [subjectType, id], summary }) => ({
      actorId: actor.id,
      ip: actor.ip,
      action,
      subjectType,
      subjectId: id === null ? null : String(id),
      classId: actor.classId ?? null,
      summary,
    })),
  )
}

/** How often the log says of somebody that they did this since an instant. */
export function countActions(
  db: Executor,
  actorId: number,
  action: AuditAction,
  since: Date,
): Promise<number> {
  return store.countSince(db, actorId, action, since)
}

/** Rows on a page of the log. */
export const ENTRIES_PER_PAGE = 50

/** One page, newest first, and how many rows there are. */
export async function listEntries(core: Core, { actor_id, action, subject, class_id, page }: AuditQuery) {
  const filter = {
    actorId: actor_id,
    action,
    classId: class_id,
    subject: subject === undefined ? undefined : split(subject),
  }
  const offset = offsetOf(page, ENTRIES_PER_PAGE)
  const { rows, total } = await store.listEntries(core.db, filter, ENTRIES_PER_PAGE, offset)
  return { entries: rows.map(toEntry), total }
}

function split(subject: string): { type: string; id: string } {
  const colon = subject.indexOf(':')
  return { type: subject.slice(0, colon), id: subject.slice(colon + 1) }
}

function toEntry(row: store.AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor_id: row.actorId,
    actor: row.formerActorId === null ? row.actor : `Former administrator ${row.formerActorId}`,
    action: row.action,
    subject_type: row.subjectType,
    subject_id:
      row.subjectId !== null && /^-?\d{1,10}$/.test(row.subjectId) ? Number(row.subjectId) : row.subjectId,
    subject_name: row.subjectName,
    class_id: row.classId,
    summary: row.summary,
    ip: row.ip,
  }
}
