import type { Core } from '../../core.ts'
import { batched, HELD } from '../../db/batches.ts'
import type { Executor } from '../../db/database-client.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { breaks } from '../../scheduling/breaks.ts'
import { exams as measured } from '../../telemetry/metrics.ts'
import * as store from './attempts.store.ts'
import { type Changes, mergeAnswers } from './fitting-answers.ts'
import { tryWithGradingLock, withGradingLock } from './grading-lock.service.ts'
import type { Grading } from './paper.ts'
import { getPaper } from './papers.service.ts'
import { watchedExams } from './watched-exams.ts'

/**
 * A timed attempt accepts syncs for this long after its end, so that those on their way still count
 * (docs/protocol/exams.md#the-end).
 */
export const GRACE_MS = 30_000
/** Attempts that are closed in one transaction. */
const SWEEP_SIZE = 100
/** Most attempts that are looked up in one query. */
const MOST_LOOK_UPS = 250

/** The client's last answers; none if the time is up. */
export type Closing = { status: 'submitted'; changes: Changes } | { status: 'expired' }

/**
 * Grades an attempt and closes it, in the transaction that has locked it, so its answers and its end are the latest.
 */
export async function closeAttempt(
  core: Core,
  tx: Executor,
  attempt: store.AttemptRow,
  inForce: readonly Regrade[],
  closing: Closing,
): Promise<void> {
  const { key } = (await gradingsFor(core, tx, attempt, inForce))(attempt.seed)
  const changes = closing.status === 'submitted' ? closing.changes : undefined
  const answers = changes ? mergeAnswers(attempt.answers, changes.answers) : attempt.answers
  await store.updateClosed(tx, attempt.id, {
    status: closing.status,
    // An expired attempt ended at its end, not when that was noticed.
    submittedAt: (closing.status === 'expired' && attempt.endsAt) || new Date(core.clock()),
    answers,
    markedForReview: changes?.markedForReview ?? attempt.markedForReview,
    ...key.grade(answers, attempt.drawn),
  })
  measured.closed.inc({ how: closing.status })
}

/** Those who ask for their attempts at the same time share one query. */
const activeShared = perNode((core) =>
  batched({
    lanes: 2,
    size: MOST_LOOK_UPS,
    key: ({ userId }: store.Candidate) => userId,
    async run(candidates): Promise<(store.AttemptRow | undefined)[]> {
      const attempts = await store.listActive(core.db, candidates)
      const active = new Map(attempts.map((attempt) => [keyOf(attempt), attempt]))
      return candidates.map((each) => active.get(keyOf(each)))
    },
  }),
)

function keyOf({ userId, examId }: store.Candidate): string {
  return `${userId}:${examId}`
}

/** Somebody's active attempt. An overdue one is closed here, and then there is none. */
export async function findLive(
  core: Core,
  userId: number,
  examId: number,
): Promise<store.AttemptRow | undefined> {
  const attempt = await activeShared(core)({ userId, examId })
  if (!attempt || !isOverdue(attempt, core.clock())) return attempt
  const live = await withGradingLock(core, examId, async (tx, inForce) => {
    const locked = await store.findActiveForUpdate(tx, userId, examId)
    // It may have been extended in the meantime.
    if (!locked || !isOverdue(locked, core.clock())) return locked
    await closeAttempt(core, tx, locked, inForce, { status: 'expired' })
    return undefined
  })
  if (!live) publishEnds(core, examId, [userId])
  return live
}

/** Closes one person's overdue attempts. */
export async function closeOverdueOf(core: Core, userId: number): Promise<void> {
  for (const examId of await store.listOverdueExams(core.db, overdueBefore(core), userId))
    await findLive(core, userId, examId)
}

/**
 * Closes everybody's overdue attempts. Several nodes can do this at once: each skips attempts that another one has
 * locked.
 */
export async function closeOverdue(core: Core): Promise<void> {
  const endedBefore = overdueBefore(core)
  for (const examId of await store.listOverdueExams(core.db, endedBefore)) {
    let closed: number
    do {
      // If an exam is being regraded, the next sweep closes its attempts.
      const done = await tryWithGradingLock(core, examId, async (tx, inForce) => {
        const overdue = await store.listOverdueForUpdate(tx, examId, endedBefore, SWEEP_SIZE)
        await expire(core, tx, overdue, inForce)
        return overdue.map(({ userId }) => userId)
      })
      closed = done?.result.length ?? 0
      if (done && closed > 0) publishEnds(core, examId, done.result)
    } while (closed === SWEEP_SIZE)
  }
}

/** Closes attempts whose time is up, in the transaction that has locked them. */
async function expire(
  core: Core,
  tx: Executor,
  attempts: store.AttemptRow[],
  inForce: readonly Regrade[],
): Promise<void> {
  const graded = await gradeAsSaved(core, tx, attempts, inForce)
  if (graded.length > 0) await store.updateExpired(tx, graded)
  measured.closed.inc({ how: 'expired' }, graded.length)
}

async function gradeAsSaved(
  core: Core,
  tx: Executor,
  attempts: store.AttemptRow[],
  inForce: readonly Regrade[],
) {
  const takeBreak = breaks()
  const graded = []
  for (const ofPaper of Map.groupBy(attempts, ({ paperId }) => paperId).values()) {
    const gradingOf = await gradingsFor(core, tx, ofPaper[0] as store.AttemptRow, inForce)
    for (const { id, seed, answers, drawn } of ofPaper) {
      await takeBreak()
      graded.push({ id, ...gradingOf(seed).key.grade(answers, drawn) })
    }
  }
  return graded
}

/** Of keys alone: nobody reads these papers now, so their texts aren't made, and those that are read stay in memory. */
async function gradingsFor(
  core: Core,
  tx: Executor,
  { id, paperId }: store.AttemptRow,
  inForce: readonly Regrade[],
): Promise<(seed: string | null) => Grading> {
  if (paperId === null) throw new Error(`attempt ${id} has no paper`)
  return (await getPaper(core, tx, paperId)).gradingsBy(inForce)
}

/**
 * Hands in, for these people, their attempts under way as they were saved, and closes those of them whose time is up.
 * Call it behind the grading lock; those whom it handed in have to be told after the commit.
 */
export async function handInFor(
  core: Core,
  tx: Executor,
  examId: number,
  userIds: number[],
  inForce: readonly Regrade[],
): Promise<store.AttemptRow[]> {
  const underWay = await store.lockUnderWay(tx, examId, userIds)
  const now = core.clock()
  const [overdue = [], inTime = []] = [true, false].map((is) =>
    underWay.filter((attempt) => isOverdue(attempt, now) === is),
  )
  await expire(core, tx, overdue, inForce)
  const graded = await gradeAsSaved(core, tx, inTime, inForce)
  if (graded.length > 0) await store.updateHandedIn(tx, graded, new Date(now))
  measured.closed.inc({ how: 'submitted' }, graded.length)
  return inTime
}

/** Everybody's time is up at once: those who say so at the same time share a transaction. */
const endShared = perNode((core) =>
  batched({
    lanes: 1,
    size: SWEEP_SIZE,
    key: ({ id }: store.AttemptRow) => id,
    run: (ending) => endTogether(core, ending),
  }),
)

/**
 * Closes an attempt whose device has nothing more to send, if its time is up and no other device opened it: late answers
 * need no waiting for (docs/protocol/exams.md#the-end). Whether it is over now.
 */
export async function endAttempt(core: Core, attempt: store.AttemptRow): Promise<boolean> {
  return needsNoGrace(attempt, core.clock()) && endShared(core)(attempt)
}

function needsNoGrace({ endsAt, sessionId, isElsewhere }: store.AttemptRow, at: number): boolean {
  return endsAt !== null && endsAt.getTime() <= at && sessionId !== null && !isElsewhere
}

/** In the order of the attempts: `HELD` where somebody else has locked one, or its exam is being regraded. */
async function endTogether(core: Core, ending: store.AttemptRow[]): Promise<(boolean | typeof HELD)[]> {
  const outcomes = new Map<number, boolean | typeof HELD>()
  for (const [examId, ofExam] of Map.groupBy(ending, (attempt) => attempt.examId)) {
    const ids = ofExam.map(({ id }) => id)
    const done = await tryWithGradingLock(core, examId, async (tx, inForce) => {
      const free = await store.lockAvailable(tx, ids)
      const ended = free.filter((attempt) => needsNoGrace(attempt, core.clock()))
      await expire(core, tx, ended, inForce)
      return { free, ended, underWay: await store.listUnderWay(tx, ids) }
    })
    const free = new Set(done?.result.free.map(({ id }) => id))
    const underWay = new Set(done?.result.underWay)
    for (const id of ids)
      outcomes.set(id, !done || (underWay.has(id) && !free.has(id)) ? HELD : !underWay.has(id))
    if (done && done.result.ended.length > 0)
      publishEnds(
        core,
        examId,
        done.result.ended.map(({ userId }) => userId),
      )
  }
  return ending.map(({ id }) => outcomes.get(id) as boolean | typeof HELD)
}

/** Whether an attempt takes no more answers at `at`, in milliseconds since the epoch. */
export function isOverdue({ endsAt }: Pick<store.AttemptRow, 'endsAt'>, at: number): boolean {
  return endsAt !== null && endsAt.getTime() < at - GRACE_MS
}

/** 409 `attempt_active` while somebody has an attempt under way that has an end. */
export async function requireNoTimedAttempt(core: Core, tx: Executor, userId: number): Promise<void> {
  const attempt = await store.findLastToEnd(tx, userId)
  if (!attempt?.endsAt || isOverdue(attempt, core.clock())) return
  throw new AppError('attempt_active', {
    details: { exam_id: attempt.examId, ends_at: attempt.endsAt.toISOString() },
  })
}

/**
 * Makes every node look up again whether the help of these people, or of everybody, is locked, because attempts began
 * or ended. Call it after the commit.
 */
export function publishHelp(core: Core, userIds?: number[]): void {
  core.bus.publish('help', userIds === undefined ? { kind: 'help' } : { kind: 'help', userIds })
}

/** Tells that attempts of these people at an exam have ended. Call it after the commit. */
export function publishEnds(core: Core, examId: number, userIds: number[]): void {
  publishHelp(core, userIds)
  watchedExams(core).tell(examId, userIds)
}

export function overdueBefore(core: Core): Date {
  return new Date(core.clock() - GRACE_MS)
}
