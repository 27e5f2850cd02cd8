import type { Allowance, AllowanceChange, AllowancesQuery } from '../../../schemas/allowances.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { addManualAttempts, removeLatestAttempts, resetAttempts } from '../attempts/service.ts'
import * as store from './store.ts'

/** Rows of a page (specification: Limits). */
export const ALLOWANCES_PER_PAGE = 50

/** One page by username, and how many rows there are. */
export async function listAllowances(core: Core, { q, exam_id, status, page }: AllowancesQuery) {
  const filter = { q, examId: exam_id, status }
  const [rows, total] = await Promise.all([
    store.listAllowances(core.db, filter, ALLOWANCES_PER_PAGE, offsetOf(page, ALLOWANCES_PER_PAGE)),
    store.countAllowances(core.db, filter),
  ])
  return { rows: rows.map(present), total }
}

export interface StudentOfExam {
  student_id: number
  exam_id: number
}

/**
 * `increase` adds attempts that only count as used, `decrease` removes the newest with their results, `reset`
 * all (contract §8). 404 without such a student or exam.
 */
export async function changeAllowance(
  core: Core,
  { student_id: studentId, exam_id: examId }: StudentOfExam,
  { action, amount = 1 }: AllowanceChange,
): Promise<void> {
  if (!(await store.hasStudentAndExam(core.db, studentId, examId))) throw new AppError('not_found')
  if (action === 'increase') await addManualAttempts(core, studentId, examId, amount)
  else if (action === 'decrease') await removeLatestAttempts(core, studentId, examId, amount)
  else await resetAttempts(core, studentId, examId)
}

/** The same for many, each on its own: how many were changed, and why others were not. */
export async function changeAllowances(core: Core, items: StudentOfExam[], change: AllowanceChange) {
  const errors: string[] = []
  for (const item of items) {
    try {
      await changeAllowance(core, item, change)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'not_found')) throw error
      errors.push(`Student ${item.student_id}, exam ${item.exam_id}: not found`)
    }
  }
  return { processed: items.length - errors.length, errors }
}

function present(row: store.AllowanceRow): Allowance {
  const { max_attempts: most, attempts_used: used } = row
  const remaining = most === null ? '∞' : Math.max(0, most - used)
  return {
    student_id: row.student_id,
    username: row.username,
    exam_id: row.exam_id,
    exam_name: row.exam_name,
    max_attempts: String(most ?? '∞'),
    attempts_used: used,
    remaining,
    status: remaining === '∞' ? 'unlimited' : remaining > 0 ? 'available' : 'exhausted',
  }
}
