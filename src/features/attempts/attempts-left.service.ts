import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import * as store from './attempts.store.ts'
import { findLive } from './closing.service.ts'
import { paperOf } from './papers.service.ts'
import { showAnswers } from './sitting.ts'

/** Attempts of one person at an exam without a cap of its own (docs/protocol/http.md#caps). */
export const MOST_ATTEMPTS = 1_000

/** 404 unless the exam is there for this person, and is published or they have attempts from a time when it was. */
export async function requireStanding(
  db: Executor,
  userId: number,
  examId: number,
): Promise<store.CandidateStanding> {
  const [standing] = await store.listStandings(db, [{ userId, examId }])
  if (!standing?.isThere || (!standing.exam.isPublished && standing.used === 0))
    throw new AppError('not_found')
  return standing
}

/** Attempts that are left of this many at most; null where there is no cap. */
export function remainingOf(most: number | null, used: number): number | null {
  // A cap that was lowered can be below what is used.
  return most === null ? null : Math.max(0, most - used)
}

/**
 * 409 `no_active_attempt` if there is none, 409 `another_attempt` if it isn't the one that is meant (`attemptId`);
 * 404 `not_found` for an exam that the person can't see.
 */
export async function requireLive(
  core: Core,
  userId: number,
  examId: number,
  attemptId?: number,
): Promise<store.AttemptRow> {
  const attempt = await findLive(core, userId, examId)
  if (attempt) {
    await requireMeant(core, core.db, attempt, attemptId)
    return attempt
  }
  await requireStanding(core.db, userId, examId)
  throw new AppError('no_active_attempt')
}

/** Somebody's device: each sign-in is one. */
export interface Opener {
  userId: number
  sessionId: number
}

/** Like `requireLive`, for a device that gets or changes answers: that it may have some is noted first. */
export async function requireOpened(
  core: Core,
  { userId, sessionId }: Opener,
  examId: number,
  attemptId?: number,
): Promise<store.AttemptRow> {
  const attempt = await requireLive(core, userId, examId, attemptId)
  if (isNoted(attempt, sessionId)) return attempt
  // Its time may have closed it meanwhile.
  return (await store.updateElsewhere(core.db, attempt.id))
    ? { ...attempt, isElsewhere: true }
    : requireLive(core, userId, examId, attemptId)
}

/** Whether it is known already that a session has opened an attempt. */
export function isNoted(
  { sessionId, isElsewhere }: Pick<store.AttemptRow, 'sessionId' | 'isElsewhere'>,
  openedFrom: number,
): boolean {
  return isElsewhere || sessionId === null || sessionId === openedFrom
}

/** 409 `another_attempt` with the active one's stored state, unless it is the one that is meant (undefined: any). */
export async function requireMeant(
  core: Core,
  db: Executor,
  active: store.AttemptRow,
  attemptId: number | undefined,
): Promise<void> {
  if (attemptId === undefined || attemptId === active.id) return
  const state = await describeState(core, db, active)
  throw new AppError('another_attempt', { details: { attempt_id: active.id, ...state } })
}

/** What a client has to know to go on from the stored answers. */
export async function describeState(core: Core, db: Executor, attempt: store.AttemptRow) {
  const { markedForReview, revision } = attempt
  const answers = showAnswers(await paperOf(core, db, attempt), attempt, attempt.answers)
  return { answers, markedForReview, revision }
}
