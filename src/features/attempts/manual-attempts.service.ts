import type { AuditAction } from '../../../schemas/audit.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor, Permit } from '../../db/database-client.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { record } from '../audit/audit.service.ts'
import * as store from './attempts.store.ts'
import { MOST_ATTEMPTS } from './attempts-left.service.ts'
import { publishHelp } from './closing.service.ts'

/** Adds attempts that only count as used. 409 `too_many` beyond what anybody can have. */
export async function addManualAttempts(
  core: Core,
  actor: Actor,
  studentId: number,
  examId: number,
  amount: number,
  permit?: Permit,
): Promise<void> {
  const entry = {
    action: 'attempt.use_up',
    summary: `${amount} attempts count as used at exam ${examId}`,
  } as const
  await changeAttempts(core, actor, studentId, examId, entry, permit, async (tx) => {
    const added = { amount, most: MOST_ATTEMPTS }
    if (!(await store.insertManualAttempts(tx, studentId, examId, added, new Date(core.clock()))))
      throw new AppError('too_many')
  })
}

/** Removes the newest attempts of any status, with their results; answers how many there were. */
export async function removeLatestAttempts(
  core: Core,
  actor: Actor,
  studentId: number,
  examId: number,
  amount: number,
  permit?: Permit,
): Promise<number> {
  const entry = {
    action: 'attempt.give_back',
    summary: `The newest ${amount} attempts at exam ${examId} went`,
  } as const
  return changeAttempts(core, actor, studentId, examId, entry, permit, (tx) =>
    store.deleteLatestAttempts(tx, studentId, examId, amount),
  )
}

/** Removes all attempts, with their results; answers how many there were. */
export async function resetAttempts(
  core: Core,
  actor: Actor,
  studentId: number,
  examId: number,
  permit?: Permit,
): Promise<number> {
  const entry = { action: 'attempt.reset', summary: `All attempts at exam ${examId} went` } as const
  return changeAttempts(core, actor, studentId, examId, entry, permit, (tx) =>
    store.deleteLatestAttempts(tx, studentId, examId),
  )
}

/** Nobody else changes this person's attempts at this exam meanwhile; starts wait. */
async function changeAttempts<T>(
  core: Core,
  actor: Actor,
  studentId: number,
  examId: number,
  entry: { action: AuditAction; summary: string },
  permit: Permit | undefined,
  change: (tx: Executor) => Promise<T>,
): Promise<T> {
  const result = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.attempts(studentId, examId))
    await permit?.(tx)
    await record(tx, actor, { ...entry, subject: ['user', studentId] })
    return change(tx)
  })
  // An active attempt may have been among them.
  publishHelp(core, [studentId])
  return result
}
