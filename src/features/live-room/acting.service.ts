import type {
  ExamMessageBody,
  HandInBody,
  LiveError,
  LiveExtendBody,
} from '../../../schemas/live-room.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { requireExam } from '../../db/exam-rows.ts'
import { AppError } from '../../errors.ts'
import { slicesOf } from '../../formats/slices.ts'
import { handInFor, publishEnds } from '../attempts/closing.service.ts'
import { withGradingLock } from '../attempts/grading-lock.service.ts'
import { record } from '../audit/audit.service.ts'
import * as classExams from '../classes/class-exams.service.ts'
import { requireOneVersion } from '../nodes/nodes.service.ts'
import * as timing from '../timing/timing.service.ts'
import * as store from './acting.store.ts'

/** Attempts that are graded in one transaction. */
const GRADED_AT_ONCE = 100
/** People in one event. */
const TOLD_AT_ONCE = 1_000
/** What teachers may tell somebody during one attempt. */
const MOST_MESSAGES = 50

/** An exam that is taken, seen by who may act there: for all of its students, or for those of a class. */
export interface Room {
  examId: number
  /** undefined: of administrators, and of the teacher whose own exam it is. */
  classId: number | undefined
  viewer: Viewer
}

interface Outcome {
  done: number
  errors: LiveError[]
}

/** The students of a room; without a class everybody, which `list` has no list of. */
function studentsOf({ examId, classId, viewer }: Room) {
  if (classId !== undefined) return classExams.studentsTaking(viewer, { classId, examId })
  return {
    hold: async (_tx: Executor) => {},
    async list(db: Executor): Promise<undefined> {
      await requireExam(db, examId)
    },
  }
}

const among = (ids: readonly number[], allowed: readonly number[] | undefined): number[] => {
  const distinct = [...new Set(ids)]
  if (!allowed) return distinct
  const known = new Set(allowed)
  return distinct.filter((id) => known.has(id))
}

/** More minutes for attempts under way; those of people who are named are opened again (`extendFor` of timing). */
export async function extendLive(
  core: Core,
  actor: Actor,
  room: Room,
  input: LiveExtendBody,
): Promise<Outcome & { reopened: number }> {
  const { examId, classId, viewer } = room
  const { done, userIds } =
    classId === undefined
      ? await timing.extendFor(core, actor, examId, input)
      : await classExams.extendFor(core, actor, viewer, { classId, examId }, input)
  return {
    done: done.extended + done.reopened,
    reopened: done.reopened,
    errors: await explain(core, room, input.user_ids, userIds, 'no_end'),
  }
}

/**
 * Hands in the attempts of these people as they were saved. 409 `not_connected` with the ids of those who may have
 * answers on a device, unless that is confirmed; 409 `already_submitted` or `no_active_attempt` where nobody's was
 * under way. Its transactions are short: what one has handed in stays so if a later one fails.
 */
export async function handIn(
  core: Core,
  actor: Actor,
  room: Room,
  { user_ids, confirm }: HandInBody,
): Promise<Outcome> {
  const { examId } = room
  const students = studentsOf(room)
  const named = among(user_ids, await students.list(core.db))
  if (confirm !== true) await requireConnected(core, await store.listTaking(core.db, examId, named))
  const handedIn: number[] = []
  for (const some of slicesOf(named, GRADED_AT_ONCE)) {
    const closed = await withGradingLock(core, examId, async (tx, inForce) => {
      // A node of another version would neither open it again nor know that its keys stay closed.
      await requireOneVersion(tx)
      await students.hold(tx)
      const present = among(some, await students.list(tx))
      const attempts = await handInFor(core, tx, examId, present, inForce)
      if (attempts.length > 0)
        await record(tx, actor, {
          action: 'attempt.hand_in',
          subject: ['exam', examId],
          summary: `Handed in attempts ${attempts.map(({ id }) => id).join(', ')}`,
        })
      return attempts
    })
    const userIds = closed.map(({ userId }) => userId)
    handedIn.push(...userIds)
    if (closed.length === 0) continue
    const endsAt = core.clock()
    timing.publishTimes(
      core,
      examId,
      closed.map(({ id: attemptId, userId }) => ({ attemptId, userId, endsAt })),
    )
    publishEnds(core, examId, userIds)
  }
  const errors = await explain(core, room, user_ids, handedIn)
  if (handedIn.length > 0) return { done: handedIn.length, errors }
  const isOver = errors.some(({ code }) => code === 'already_submitted')
  throw new AppError(isOver ? 'already_submitted' : 'no_active_attempt', {
    details: { people: errors },
  })
}

async function requireConnected(core: Core, userIds: number[]): Promise<void> {
  const seen = await core.presence.seen(userIds)
  const ids = userIds.filter((id) => !seen.has(id))
  if (ids.length > 0)
    throw new AppError('not_connected', {
      status: 409,
      message: 'Answers may still be on devices of people who are not connected',
      details: { ids },
    })
}

/** Tells people who are taking the exam something; it stays with their attempts. */
export async function sendExamMessage(
  core: Core,
  actor: Actor,
  room: Room,
  { text, user_ids }: ExamMessageBody,
): Promise<Outcome> {
  const { examId, viewer } = room
  const students = studentsOf(room)
  const sentAt = new Date(core.clock())
  await students.list(core.db)
  const told = await core.db.transaction(async (tx) => {
    await students.hold(tx)
    const allowed = await students.list(tx)
    const userIds = user_ids ? among(user_ids, allowed) : allowed
    const message = { authorId: viewer.userId, text, sentAt }
    const rows = await store.insertMessages(tx, examId, userIds, message, MOST_MESSAGES)
    await record(tx, actor, {
      action: 'exam.message',
      subject: ['exam', examId],
      summary: `A message to ${rows.length} attempts under way`,
    })
    return rows
  })
  const at = sentAt.toISOString()
  // Who is taking another exam that locks help reads it on the paper alone.
  const free = told.filter(({ isHeld }) => !isHeld).map(({ userId }) => userId)
  for (const userIds of slicesOf(free, TOLD_AT_ONCE))
    core.bus.publish('exams', { kind: 'exam_message', examId, text, at, userIds })
  const reached = told.map(({ userId }) => userId)
  return { done: reached.length, errors: await explain(core, room, user_ids, reached, 'too_many') }
}

/** Why nothing was done for those of the named people who aren't in `reached`; `otherwise`: for an attempt under way. */
async function explain(
  core: Core,
  room: Room,
  named: readonly number[] | undefined,
  reached: readonly number[],
  otherwise: LiveError['code'] = 'no_active_attempt',
): Promise<LiveError[]> {
  const done = new Set(reached)
  const missed = [...new Set(named)].filter((id) => !done.has(id))
  if (missed.length === 0) return []
  const known = new Set(among(missed, await studentsOf(room).list(core.db)))
  const underWay = new Map(
    (await store.listNewest(core.db, room.examId, missed)).map((row) => [row.userId, row.isUnderWay]),
  )
  const codeOf = (id: number): LiveError['code'] => {
    if (!known.has(id)) return 'not_found'
    if (!underWay.has(id)) return 'no_active_attempt'
    return underWay.get(id) ? otherwise : 'already_submitted'
  }
  return missed.map((user_id) => ({ user_id, code: codeOf(user_id) }))
}
