import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { every, type Periodic } from '../../periodic.ts'
import { type Changes, mergeAnswers } from './answers.ts'
import { paperOf } from './papers.ts'
import * as store from './store.ts'

/** For so long after its end a timed attempt still takes syncs, for those under way (contract §4). */
export const GRACE_MS = 30_000
const SWEEP_MS = 5_000
/** Attempts that are closed in one transaction. */
const SWEEP_SIZE = 50

/** What the client gave, or nothing where the clock closes it. */
export type Closing = { status: 'submitted'; changes: Changes } | { status: 'expired' }

/** Grades an attempt and closes it, in the transaction that holds its lock: so it is graded from its last state. */
export async function closeAttempt(
  core: Core,
  tx: Executor,
  attempt: store.AttemptRow,
  closing: Closing,
): Promise<void> {
  const { key } = await paperOf(core, tx, attempt)
  const changes = closing.status === 'submitted' ? closing.changes : undefined
  const answers = changes ? mergeAnswers(attempt.answers, changes.answers) : attempt.answers
  await store.updateClosed(tx, attempt.id, {
    status: closing.status,
    // Time was up at its end, whenever somebody noticed.
    submittedAt: (closing.status === 'expired' && attempt.endsAt) || new Date(core.clock()),
    answers,
    markedForReview: changes?.markedForReview ?? attempt.markedForReview,
    ...key.grade(answers),
  })
}

/** Somebody's active attempt, locked. One that is overdue is closed instead: there is none then. */
export async function findLiveForUpdate(
  core: Core,
  tx: Executor,
  userId: number,
  examId: number,
): Promise<store.AttemptRow | undefined> {
  const attempt = await store.findActiveForUpdate(tx, userId, examId)
  if (!attempt || !isOverdue(core, attempt)) return attempt
  await closeAttempt(core, tx, attempt, { status: 'expired' })
  return undefined
}

/** The same for reading: nothing is locked unless it has to be closed. */
export async function findLive(
  core: Core,
  userId: number,
  examId: number,
): Promise<store.AttemptRow | undefined> {
  const attempt = await store.findActive(core.db, userId, examId)
  if (!attempt || !isOverdue(core, attempt)) return attempt
  return core.db.transaction((tx) => findLiveForUpdate(core, tx, userId, examId))
}

/** Closes what is overdue, of everybody or one person; nodes share the work, since each leaves what another holds. */
export async function closeOverdue(core: Core, userId?: number): Promise<void> {
  const endedBefore = new Date(core.clock() - GRACE_MS)
  let closed: number
  do {
    closed = await core.db.transaction(async (tx) => {
      const overdue = await store.listOverdueForUpdate(tx, endedBefore, SWEEP_SIZE, userId)
      for (const attempt of overdue) await closeAttempt(core, tx, attempt, { status: 'expired' })
      return overdue.length
    })
  } while (closed === SWEEP_SIZE)
}

/** Attempts end and are graded though nobody calls again. */
export function watchOverdue(core: Core): Periodic {
  return every(SWEEP_MS, 'closing overdue attempts', () => closeOverdue(core), core.log)
}

function isOverdue(core: Core, { endsAt }: store.AttemptRow): boolean {
  return endsAt !== null && endsAt.getTime() + GRACE_MS < core.clock()
}
