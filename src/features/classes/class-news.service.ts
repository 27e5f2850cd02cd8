import type {
  ClassMessage,
  ClassNews,
  ClassNewsChanges,
  NewClassNews,
} from '../../../schemas/classes.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { batched } from '../../db/batches.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { record } from '../audit/audit.service.ts'
import { describeChanged } from '../audit/audit-words.ts'
import { causeNotices } from '../notices/notices.service.ts'
import { lockTaughtClass, requireMember } from './class-access.service.ts'
import * as members from './class-members.store.ts'
import * as store from './class-news.store.ts'

/** News of a class on one day, deleted ones included, and pinned ones at once. */
const MOST_A_DAY = 20
const MOST_PINNED = 3
/** Messages to some students of a class on one day. */
const MOST_MESSAGES_A_DAY = 5

/** A page for its members, newest first; the pinned ones stand first on the first page, and on no other. */
export async function listNews(
  core: Core,
  viewer: Viewer,
  classId: number,
  before: number | undefined,
): Promise<ClassNews[]> {
  await requireMember(core.db, viewer, classId)
  return (await store.listPage(core.db, classId, before)).map(toNews)
}

/** For its teachers: an administrator would not be in it. 409 `too_many` pinned ones, 429 `daily_limit`. */
export async function publishNews(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  { text, pinned = false }: NewClassNews,
): Promise<ClassNews> {
  const news = await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, { ...viewer, isAdmin: false }, classId)
    const now = new Date(core.clock())
    const { timezone } = core.config
    if (pinned) await requireRoomForPinned(tx, classId)
    if (!(await store.takeOne(tx, classId, { now, timezone, most: MOST_A_DAY })))
      throw await dailyLimit(tx, { now, timezone }, `A class has at most ${MOST_A_DAY} news a day`)
    const authorId = viewer.userId
    const id = await store.insertNews(tx, { classId, authorId, text, pinned, createdAt: now })
    const summary = `News ${id} were published`
    await record(tx, actor, { action: 'class.publish_news', subject: ['class', classId], summary })
    await causeNotices(core, tx, { kind: 'class_news', newsId: id, classId, actorId: authorId })
    return getNews(tx, classId, id)
  })
  return tell(core, classId, news)
}

/** A notice to these students of a class alone, by its teachers. 404 if one is none of them, 429 `daily_limit`. */
export async function messageStudents(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  { text, user_ids }: ClassMessage,
): Promise<void> {
  const userIds = [...new Set(user_ids)]
  await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, { ...viewer, isAdmin: false }, classId)
    const now = new Date(core.clock())
    const { timezone } = core.config
    const students = await members.listStudentsAmong(tx, classId, userIds)
    if (students.length < userIds.length) throw new AppError('not_found')
    if ((await store.countMessages(tx, classId, { now, timezone })) >= MOST_MESSAGES_A_DAY) {
      const message = `A class has at most ${MOST_MESSAGES_A_DAY} messages to some students a day`
      throw await dailyLimit(tx, { now, timezone }, message)
    }
    const authorId = viewer.userId
    const newsId = await store.insertNews(tx, { classId, authorId, text, userIds: students, createdAt: now })
    const summary = `A message to ${students.length === 1 ? 'a student' : `${students.length} students`}`
    await record(tx, actor, { action: 'class.message_students', subject: ['class', classId], summary })
    await causeNotices(core, tx, { kind: 'class_news', newsId, classId, actorId: authorId })
  })
}

/** For its teachers and administrators. A text that is the same as before isn't a change of it. */
export async function changeNews(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  newsId: number,
  { text, pinned }: ClassNewsChanges,
): Promise<ClassNews> {
  if (text === undefined && pinned === undefined) throw new AppError('nothing_to_update')
  const news = await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, viewer, classId)
    const before = await getNews(tx, classId, newsId)
    if (pinned && !before.pinned) await requireRoomForPinned(tx, classId)
    const isEdited = text !== undefined && text !== before.text
    const isMoved = pinned !== undefined && pinned !== before.pinned
    if (!isEdited && !isMoved) return before
    await store.updateNews(tx, newsId, {
      ...(isMoved ? { pinned } : {}),
      ...(isEdited ? { text, editedAt: new Date(core.clock()) } : {}),
    })
    const fields = [...(isEdited ? ['text'] : []), ...(isMoved ? ['pinned'] : [])]
    const summary = `News ${newsId}: ${describeChanged(fields)}`
    await record(tx, actor, { action: 'class.change_news', subject: ['class', classId], summary })
    return getNews(tx, classId, newsId)
  })
  return tell(core, classId, news)
}

/** For its teachers and administrators. */
export async function deleteNews(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  newsId: number,
): Promise<void> {
  await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, viewer, classId)
    const { id } = await getNews(tx, classId, newsId)
    await store.deleteNews(tx, id)
    const summary = `News ${id} were deleted`
    await record(tx, actor, { action: 'class.delete_news', subject: ['class', classId], summary })
  })
  core.bus.publish(`class:${classId}`, {
    kind: 'frame',
    frame: { type: 'class_news', class_id: classId, news: { id: newsId }, deleted: true },
  })
}

async function getNews(tx: Executor, classId: number, newsId: number): Promise<store.NewsRow> {
  const news = await store.findNews(tx, classId, newsId)
  if (!news) throw new AppError('not_found')
  return news
}

async function dailyLimit(
  tx: Executor,
  { now, timezone }: { now: Date; timezone: string },
  message: string,
): Promise<AppError> {
  const nextDay = await store.findNextDay(tx, now, timezone)
  return new AppError('daily_limit', { message, retryAfter: (nextDay.getTime() - now.getTime()) / 1_000 })
}

async function requireRoomForPinned(tx: Executor, classId: number): Promise<void> {
  if ((await store.countPinned(tx, classId)) >= MOST_PINNED)
    throw new AppError('too_many', { message: `At most ${MOST_PINNED} news are pinned at once` })
}

/** Publishes news as they are stored. */
function tell(core: Core, classId: number, row: store.NewsRow): ClassNews {
  const news = toNews(row)
  core.bus.publish(`class:${classId}`, {
    kind: 'frame',
    frame: { type: 'class_news', class_id: classId, news, deleted: false },
  })
  return news
}

function toNews({ id, text, pinned, authorName, createdAt, editedAt }: store.NewsRow): ClassNews {
  return {
    id,
    text,
    pinned,
    author_name: authorName,
    created_at: createdAt.toISOString(),
    edited_at: editedAt?.toISOString() ?? null,
  }
}

/** People who are to be told of news at the same time share one query. */
const readersShared = perNode((core) =>
  batched({
    lanes: 2,
    size: 1_000,
    key: ({ classId }: members.ClassReader) => classId,
    run: (readers) => members.listArePresent(core.db, readers),
  }),
)

/** Whether somebody who subscribed to a class may still read it. */
export async function mayReadClass(
  core: Core,
  classId: number,
  { userId, isAdmin }: Viewer,
): Promise<boolean> {
  return isAdmin || readersShared(core)({ classId, userId })
}
