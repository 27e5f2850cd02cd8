import type { Content } from '../../../schemas/common.ts'
import type { LiveRoomAnswer, LiveStudent } from '../../../schemas/live-room.schemas.ts'
import { MOST_IN_ROOM } from '../../../schemas/live-room.schemas.ts'
import type { Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { getPaper } from '../attempts/papers.service.ts'
import { watchedExams } from '../attempts/watched-exams.ts'
import { requireClassExam } from '../classes/class-exams.service.ts'
import { ownExamsOf } from '../classes/own-exams.service.ts'
import { countGiven } from '../exams/exams.service.ts'
import * as store from './live-room.store.ts'

export type { RoomScope } from './live-room.store.ts'

const STATES = { active: 'under_way', submitted: 'handed_in', expired: 'expired' } as const

/** Who is taking an exam, and how far they are. */
export async function getRoom(core: Core, scope: store.RoomScope): Promise<Content<LiveRoomAnswer>> {
  const exam = await requireRoomExam(core, scope)
  const rows = await store.listStudents(core.db, scope, { limit: MOST_IN_ROOM + 1 })
  return {
    at: new Date(core.clock()).toISOString(),
    exam: {
      id: exam.id,
      name: exam.name,
      opens_at: exam.opensAt?.toISOString() ?? null,
      closes_at: exam.closesAt?.toISOString() ?? null,
      questions: exam.questions,
    },
    students: await toStudents(core, exam, rows.slice(0, MOST_IN_ROOM)),
    truncated: rows.length > MOST_IN_ROOM,
  }
}

/** How those of these people who are students of a room stand now. */
export async function listChanged(
  core: Core,
  scope: store.RoomScope,
  userIds: number[],
): Promise<LiveStudent[]> {
  const exam = await requireRoomExam(core, scope)
  return toStudents(core, exam, await store.listStudents(core.db, scope, { userIds, limit: userIds.length }))
}

async function requireRoomExam(core: Core, { examId }: store.RoomScope) {
  const exam = await store.findExam(core.db, examId)
  if (!exam) throw new AppError('not_found')
  const counts = await countGiven(core.db, [exam])
  return { ...exam, questions: counts.get(examId) ?? 0 }
}

async function toStudents(
  core: Core,
  exam: store.RoomExam & { questions: number },
  rows: store.StudentRow[],
): Promise<LiveStudent[]> {
  const connected = await core.presence.seen(rows.map(({ userId }) => userId))
  const sizes = new Map<number | null, number>([[null, exam.questions]])
  for (const { paperId } of rows)
    if (paperId !== null && !sizes.has(paperId))
      sizes.set(paperId, (await getPaper(core, core.db, paperId)).tasks.length)
  return rows.map((row) => ({
    user_id: row.userId,
    username: row.username,
    full_name: row.fullName,
    state: STATES[row.status as keyof typeof STATES] ?? 'absent',
    attempt_id: row.id,
    answered: row.answered ?? 0,
    questions: row.drawn ?? sizes.get(row.paperId) ?? exam.questions,
    marked: row.marked ?? 0,
    started_at: row.startedAt?.toISOString() ?? null,
    ends_at: row.endsAt?.toISOString() ?? null,
    last_saved_at: row.lastSavedAt?.toISOString() ?? null,
    connected: connected.has(row.userId),
    away: exam.watchPage && row.status === 'active' ? row.isAway : null,
  }))
}

/** Whether somebody has their paper in view. */
export async function notePage(core: Core, userId: number, examId: number, away: boolean): Promise<void> {
  if (await store.updateAway(core.db, userId, examId, away)) watchedExams(core).tell(examId, [userId])
}

/**
 * For who may watch: a class's teachers its students, administrators and the teacher whose own exam it is everybody. 404
 * for others, 403 `forbidden` for students of the class.
 */
export async function requireWatcher(
  core: Core,
  viewer: Viewer,
  { examId, classId }: store.RoomScope,
): Promise<void> {
  if (classId !== undefined) return requireClassExam(core, viewer, { classId, examId })
  const may = viewer.isAdmin
    ? await store.findExam(core.db, examId)
    : await ownExamsOf(core).isOwn(viewer.userId, { exam: examId })
  if (!may) throw new AppError('not_found')
}
