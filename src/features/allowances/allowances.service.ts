import type { Allowance, AllowanceChange, AllowancesQuery } from '../../../schemas/allowances.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Permit } from '../../db/database-client.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { remainingOf } from '../attempts/attempts-left.service.ts'
import {
  addManualAttempts,
  removeLatestAttempts,
  resetAttempts,
} from '../attempts/manual-attempts.service.ts'
import * as store from './allowances.store.ts'

export { ALLOWANCES_PER_PAGE } from './allowances.store.ts'

/** One page by username, and how many rows there are. */
export async function listAllowances(core: Core, { q, exam_id, class_id, status, page }: AllowancesQuery) {
  const filter = { q, examId: exam_id, classId: class_id, status }
  const offset = offsetOf(page, store.ALLOWANCES_PER_PAGE)
  const { rows, total } = await store.listAllowances(core.db, filter, offset)
  return { rows: rows.map(toAllowance), total }
}

export interface StudentOfExam {
  student_id: number
  exam_id: number
}

/**
 * `increase` adds attempts that only count as used, `decrease` removes the newest ones with their results, `reset`
 * removes all (docs/protocol/http.md#people). 404 without such a student or exam, 409 `too_many`.
 */
export async function changeAllowance(
  core: Core,
  actor: Actor,
  { student_id: studentId, exam_id: examId }: StudentOfExam,
  { action, amount = 1 }: AllowanceChange,
  permit?: Permit,
): Promise<void> {
  if (!(await store.hasStudentAndExam(core.db, studentId, examId))) throw new AppError('not_found')
  if (action === 'increase') await addManualAttempts(core, actor, studentId, examId, amount, permit)
  else if (action === 'decrease') await removeLatestAttempts(core, actor, studentId, examId, amount, permit)
  else await resetAttempts(core, actor, studentId, examId, permit)
}

/** Why an item of many is left out. */
const REASONS: Partial<Record<ErrorCode, string>> = { not_found: 'not found', too_many: 'too many attempts' }

/** Changes the allowances of many pairs, each one on its own: how many were changed, and why the others were not. */
export async function changeAllowances(
  core: Core,
  actor: Actor,
  items: StudentOfExam[],
  change: AllowanceChange,
) {
  const errors: string[] = []
  for (const item of items) {
    try {
      await changeAllowance(core, actor, item, change)
    } catch (error) {
      const reason = error instanceof AppError ? REASONS[error.code] : undefined
      if (reason === undefined) throw error
      errors.push(`Student ${item.student_id}, exam ${item.exam_id}: ${reason}`)
    }
  }
  return { processed: items.length - errors.length, errors }
}

function toAllowance(row: store.AllowanceRow): Allowance {
  const { maxAttempts: most, attemptsUsed: used } = row
  const remaining = remainingOf(most, used) ?? '∞'
  return {
    student_id: row.studentId,
    username: row.username,
    exam_id: row.examId,
    exam_name: row.examName,
    max_attempts: String(most ?? '∞'),
    attempts_used: used,
    remaining,
    status: remaining === '∞' ? 'unlimited' : remaining > 0 ? 'available' : 'exhausted',
  }
}
