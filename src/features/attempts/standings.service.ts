import type { AgendaState } from '../../../schemas/classes.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { countGiven } from '../exams/exams.service.ts'
import { findClosed, type Times, timesFor } from '../timing/time-windows.ts'
import { type CandidateStanding, type ExamRow, listStandings } from './attempts.store.ts'
import { MOST_ATTEMPTS, remainingOf } from './attempts-left.service.ts'
import { closeOverdueOf, isOverdue } from './closing.service.ts'

/** Why somebody can't start another attempt at an exam; undefined: they can, if it has questions. */
export function refuseStart(standing: CandidateStanding | undefined, now: number): AppError | undefined {
  if (!standing?.exam.isPublished || !standing.isThere) return new AppError('not_found')
  if (standing.teaches) return new AppError('teaches_exam')
  const closed = findClosed(timesFor(standing.exam, standing.personal), now)
  if (closed) return closed
  const remaining = remainingOf(standing.exam.maxAttempts, standing.used)
  if (remaining === 0) return new AppError('attempts_exhausted')
  return remaining === null && standing.used >= MOST_ATTEMPTS ? new AppError('too_many') : undefined
}

/** How an exam stands for somebody. */
export interface OwnStanding {
  exam: ExamRow
  times: Times
  /** null: they can't take it, since they teach one of its classes. */
  state: AgendaState | null
  /** null: uncapped. */
  attemptsLeft: number | null
}

/**
 * How these exams stand for somebody, without those that they can't see, and hidden ones that they aren't taking.
 * `pools`: how many questions each has.
 */
export async function listOwnStandings(
  core: Core,
  userId: number,
  pools: ReadonlyMap<number, number>,
): Promise<OwnStanding[]> {
  const candidates = [...pools.keys()].map((examId) => ({ userId, examId }))
  const now = core.clock()
  let standings = await listStandings(core.db, candidates)
  if (standings.some((each) => each?.active && isOverdue(each.active, now))) {
    await closeOverdueOf(core, userId)
    standings = await listStandings(core.db, candidates)
  }
  const shown = standings.flatMap((each) =>
    each?.isThere && (each.exam.isPublished || each.active) ? [each] : [],
  )
  const given = await countGiven(
    core.db,
    shown.map(({ exam: { id, draw } }) => ({ id, draw, poolCount: pools.get(id) ?? 0 })),
  )
  return shown.map((standing) => ({
    exam: standing.exam,
    times: timesFor(standing.exam, standing.personal),
    state: stateOf(standing, given.get(standing.exam.id) === 0, now),
    attemptsLeft: remainingOf(standing.exam.maxAttempts, standing.used),
  }))
}

function stateOf(standing: CandidateStanding, isEmpty: boolean, now: number): AgendaState | null {
  if (standing.active) return 'under_way'
  const refusal = refuseStart(standing, now)
  if (refusal?.code === 'teaches_exam') return null
  if (!refusal && !isEmpty) return 'open'
  const hasAttempts = remainingOf(standing.exam.maxAttempts, standing.used) !== 0
  if (refusal?.code === 'exam_not_open' && hasAttempts) return 'soon'
  if (standing.completed > 0) return 'done'
  // Without questions it can't be started yet.
  return refusal ? 'missed' : 'soon'
}
