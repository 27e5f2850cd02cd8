import type { Language } from '../../../schemas/languages.ts'
import type { Notice } from '../../../schemas/notices.schemas.ts'
import type { Core } from '../../core.ts'
import { batchedByPerson } from '../../db/batches.ts'
import type { Executor } from '../../db/database-client.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { perNode } from '../../per-node.ts'
import { sayNotice } from './notice-texts.ts'
import * as store from './notices.store.ts'

/** How long notices are kept. */
const KEPT_DAYS = 90
/** What may be taken back within this is told after it, if it still holds. */
export const PAUSE_MS = 60_000
/** Old notices that one statement deletes. */
const DELETED_AT_ONCE = 1_000

/** Something that people are to be told of, as part of the transaction that makes it so. */
/** `actorId`: who did it, and isn’t told. */
export type NoticeCause = { actorId?: number | null } & (
  | { kind: 'exam_published'; examId: number; classIds?: number[] }
  | { kind: 'class_joined'; classId: number; userIds: number[] }
  | { kind: 'result_released'; examId: number }
  | { kind: 'result_changed'; examId: number; userIds: number[] }
  | { kind: 'challenge_answered'; challengeId: number; examId: number; userIds: number[] }
  | { kind: 'more_time'; examId: number; userIds: number[]; minutes: number }
  | { kind: 'class_news'; newsId: number; classId: number }
  | { kind: 'access_decided'; requestId: number; userIds: number[] }
)

/** Kinds that are told at once: nothing takes them back. */
const AT_ONCE: ReadonlySet<string> = new Set<NoticeCause['kind']>([
  'more_time',
  'challenge_answered',
  'access_decided',
])

/** Notes that people are to be told of something; the nodes do so after the commit. */
export async function causeNotices(core: Core, tx: Executor, cause: NoticeCause): Promise<void> {
  if ('userIds' in cause && cause.userIds.length === 0) return
  const at = core.clock()
  await store.insertCauses(tx, [
    {
      kind: cause.kind,
      subjectId: subjectOf(cause),
      examId: 'examId' in cause ? cause.examId : null,
      classId: 'classId' in cause ? cause.classId : null,
      classIds: 'classIds' in cause ? (cause.classIds ?? null) : null,
      userIds: 'userIds' in cause ? cause.userIds : null,
      minutes: 'minutes' in cause ? cause.minutes : null,
      actorId: cause.actorId ?? null,
      at: new Date(at),
      dueAt: new Date(AT_ONCE.has(cause.kind) ? at : at + PAUSE_MS),
    },
  ])
}

function subjectOf(cause: NoticeCause): number {
  switch (cause.kind) {
    case 'class_joined':
      return cause.classId
    case 'challenge_answered':
      return cause.challengeId
    case 'class_news':
      return cause.newsId
    case 'access_decided':
      return cause.requestId
    default:
      return cause.examId
  }
}

/** A page of one's own, newest first, and how many one hasn't read. `language`: where the account has none. */
export async function listNotices(
  core: Core,
  userId: number,
  page: store.NoticePage,
  language: Language,
): Promise<{ notices: Notice[]; unread: number }> {
  const [rows, unread] = await Promise.all([
    store.listNotices(core.db, userId, keptSince(core), page),
    countUnread(core, userId),
  ])
  return { notices: rows.map((row) => toNotice(core, row, language)), unread }
}

/** Moves one's pointer to this notice, and never back; how many newer ones there are. */
export async function readNotices(core: Core, userId: number, upTo: number): Promise<number> {
  const isMoved = await store.moveRead(core.db, userId, upTo)
  const unread = await countUnread(core, userId)
  if (isMoved)
    core.bus.publish(`user:${userId}`, { kind: 'frame', frame: { type: 'notice', notice: null, unread } })
  return unread
}

const unreadShared = perNode((core) =>
  batchedByPerson(core, (userIds) => store.countUnread(core.db, userIds, keptSince(core))),
)

/** People whose notices are counted at the same time share one statement. */
export async function countUnread(core: Core, userId: number): Promise<number> {
  return (await unreadShared(core)(userId)).at(0)?.unread ?? 0
}

/** Notices as these people are to be told of them, oldest first, each with how many they haven't read. */
export async function listTold(core: Core, ids: number[]) {
  const rows = await store.listTold(core.db, ids)
  const userIds = [...new Set(rows.map(({ userId }) => userId))]
  const counts = await store.countUnread(core.db, userIds, keptSince(core))
  const unreadOf = new Map(counts.map(({ userId, unread }) => [userId, unread]))
  return rows.map((row) => ({
    userId: row.userId,
    unread: unreadOf.get(row.userId) ?? 0,
    notice: (language: Language) => toNotice(core, row, language),
  }))
}

export async function deleteOldNotices(core: Core): Promise<void> {
  while ((await store.deleteOld(core.db, keptSince(core), DELETED_AT_ONCE)) > 0 && !core.closing.aborted);
}

function keptSince({ clock }: Core): Date {
  return new Date(clock() - KEPT_DAYS * DAY_MS)
}

function toNotice(core: Core, row: store.NoticeRow, language: Language): Notice {
  return {
    id: row.id,
    kind: row.kind,
    at: row.at.toISOString(),
    read: row.isRead,
    ...(row.examId === null ? {} : { exam_id: row.examId }),
    ...(row.classId === null ? {} : { class_id: row.classId }),
    ...sayNotice(row, { language, timezone: core.config.timezone }),
  }
}
