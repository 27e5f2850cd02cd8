import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { findLive } from './closing.ts'
import * as store from './store.ts'

/** 404 unless the exam is published, or the person has attempts from a time when it was. */
export async function requireStanding(db: Executor, userId: number, examId: number): Promise<store.Standing> {
  const [standing] = await store.listStandings(db, [{ userId, examId }])
  if (!standing || (!standing.exam.isPublished && standing.used === 0)) throw new AppError('not_found')
  return standing
}

/** Attempts that are left; null where there is no cap. */
export function remainingOf({ exam, used }: store.Standing): number | null {
  return exam.maxAttempts === null ? null : Math.max(0, exam.maxAttempts - used)
}

/** 409 `no_active_attempt` if there is none; 404 like `requireStanding`. */
export async function requireLive(core: Core, userId: number, examId: number): Promise<store.AttemptRow> {
  const attempt = await findLive(core, userId, examId)
  if (attempt) return attempt
  await requireStanding(core.db, userId, examId)
  throw new AppError('no_active_attempt')
}
