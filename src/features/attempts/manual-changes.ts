import type { AuditAction } from '../../../schemas/admin/audit.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { record } from '../audit/service.ts'
import { publishHelp } from './closing.ts'
import * as store from './store.ts'

/** Adds attempts that only count as used. */
export async function addManualAttempts(
  core: Core,
  actor: Actor,
  studentId: number,
  examId: number,
  amount: number,
): Promise<void> {
  const change = note(
    actor,
    'attempt.use_up',
    studentId,
    `${amount} attempts count as used at exam ${examId}`,
  )
  await changeAttempts(core, studentId, examId, change, (tx) =>
    store.insertManualAttempts(tx, studentId, examId, amount, new Date(core.clock())),
  )
}

/** Removes the newest attempts of any status, with their results; answers how many there were. */
export async function removeLatestAttempts(
  core: Core,
  actor: Actor,
  studentId: number,
  examId: number,
  amount: number,
): Promise<number> {
  const change = note(
    actor,
    'attempt.give_back',
    studentId,
    `The newest ${amount} attempts at exam ${examId} went`,
  )
  return changeAttempts(core, studentId, examId, change, (tx) =>
    store.deleteLatestAttempts(tx, studentId, examId, amount),
  )
}

/** Removes all attempts, with their results; answers how many there were. */
export async function resetAttempts(
  core: Core,
  actor: Actor,
  studentId: number,
  examId: number,
): Promise<number> {
  const change = note(actor, 'attempt.reset', studentId, `All attempts at exam ${examId} went`)
  return changeAttempts(core, studentId, examId, change, (tx) =>
    store.deleteLatestAttempts(tx, studentId, examId),
  )
}

/** The entry of the audit log. */
function note(actor: Actor, action: AuditAction, studentId: number, summary: string) {
  return (tx: Executor) => record(tx, actor, { action, subject: ['user', studentId], summary })
}

/** Nobody else changes this person's attempts at this exam meanwhile; starts wait. */
async function changeAttempts<T>(
  core: Core,
  studentId: number,
  examId: number,
  note: (tx: Executor) => Promise<void>,
  change: (tx: Executor) => Promise<T>,
): Promise<T> {
  const result = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.attempts(studentId, examId))
    await note(tx)
    return change(tx)
  })
  // An active attempt may have been among them.
  publishHelp(core, [studentId])
  return result
}
