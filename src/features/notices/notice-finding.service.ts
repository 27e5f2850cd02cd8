import { setTimeout } from 'node:timers/promises'
import type { NoticesEvent } from '../../bus/events.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { LOCKS, tryLockEach } from '../../db/locks.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { hasOneVersion } from '../nodes/nodes.service.ts'
import { queueNoticePushes } from '../push/push.service.ts'
import * as store from './notice-finding.store.ts'
import { PAUSE_MS } from './notices.service.ts'

/** People, and causes, of one transaction. */
const PEOPLE_AT_ONCE = 500
const CAUSES_AT_ONCE = 20
/** Between two of them: whatever people wait for goes on meanwhile. */
const REST_MS = 40

/**
 * Writes the notices that are due. The nodes take turns by a lock, a part of the people at a time: what a transaction
 * has written and up to whom is one commit, so a node that dies leaves nobody out and tells nobody twice.
 */
export async function writeNotices(core: Core): Promise<void> {
  while (!core.closing.aborted) {
    const now = new Date(core.clock())
    if (!(await store.hasDue(core.db, now))) return
    // An older node would let pushes go that it doesn't know.
    if (!(await hasOneVersion(core.db))) return
    const written = await core.db.transaction(async (tx) => {
      const [isAlone] = await tryLockEach(tx, [LOCKS.notices()])
      return isAlone ? writeSome(tx, now) : undefined
    })
    if (!written) return
    if (written.length > 0) core.bus.publish('notices', { kind: 'notices', written })
    await setTimeout(REST_MS)
  }
}

/** Tells some of the people of some causes; undefined if there are none. */
async function writeSome(tx: Executor, now: Date): Promise<NoticesEvent['written'] | undefined> {
  const causes = await store.listDue(tx, now, CAUSES_AT_ONCE)
  if (causes.length === 0) return undefined
  const written: NoticesEvent['written'] = []
  const moved: { id: number; toldUpTo: number | null }[] = []
  let room = PEOPLE_AT_ONCE
  for (const cause of causes) {
    if (room <= 0) break
    // Of each of these people there may be many.
    const limit = cause.kind === 'class_joined' ? Math.ceil(room / store.MOST_OF_CLASS) : room
    const found = await store.listCandidates(tx, cause, now, limit)
    const people = new Set(found.map(({ userId }) => userId)).size
    const told = await store.insertNotices(
      tx,
      found.filter(({ isTold }) => isTold).map((candidate) => toNotice(cause, candidate)),
      now,
    )
    for (const [subjectId, those] of Map.groupBy(told, (each) => each.subjectId)) {
      const userIds = those.map(({ userId }) => userId)
      await queueNoticePushes(tx, { kind: kindOf(cause), subjectId, userIds, now })
    }
    written.push(...told.map(({ id, userId }) => ({ id, userId })))
    moved.push({ id: cause.id, toldUpTo: people < limit ? null : (found.at(-1)?.userId ?? null) })
    room -= found.length
  }
  await store.deleteMoreThanKept(tx, [...new Set(written.map(({ userId }) => userId))])
  await store.moveCauses(tx, moved)
  return written
}

function kindOf({ kind }: store.CauseRow): store.NewNotice['kind'] {
  return kind === 'class_joined' ? 'exam_published' : kind
}

function toNotice(cause: store.CauseRow, { userId, examId }: store.Candidate): store.NewNotice {
  const { kind, id, minutes, at } = cause
  const isAgain = kind === 'result_changed' || kind === 'more_time'
  return {
    userId,
    kind: kindOf(cause),
    subjectId: kind === 'class_joined' ? (examId ?? 0) : isAgain ? id : cause.subjectId,
    examId,
    classId: kind === 'class_news' ? cause.classId : null,
    minutes,
    at,
  }
}

/** Stores what is to be told of exams that close in a day. */
export async function findClosings(core: Core): Promise<void> {
  const now = core.clock()
  const until = new Date(now + DAY_MS + PAUSE_MS)
  const found = () =>
    store.insertClosings(core.db, { now: new Date(now), until, dayMs: DAY_MS, pauseMs: PAUSE_MS })
  while ((await found()) > 0 && !core.closing.aborted);
}
