import type { AdminExam, AdminExamsQuery, ExamChanges, NewExam } from '../../../schemas/admin-exams.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { publishReleased } from '../attempts/service.ts'
import * as store from './admin-store.ts'

/** Exams on a page of the administrators' list. */
export const EXAMS_PER_PAGE = 50

/** One page, newest first, and how many there are in all. */
export async function listExams(core: Core, { q, category_id, page }: AdminExamsQuery) {
  const filter = { q, categoryId: category_id }
  const [rows, total] = await Promise.all([
    store.listExams(core.db, filter, EXAMS_PER_PAGE, offsetOf(page, EXAMS_PER_PAGE)),
    store.countExams(core.db, filter),
  ])
  return { exams: rows.map(present), total }
}

export async function findExam(core: Core, id: number): Promise<AdminExam> {
  const row = await store.findExam(core.db, id)
  if (!row) throw new AppError('not_found')
  return present(row)
}

export async function createExam(core: Core, input: NewExam): Promise<AdminExam> {
  const id = await store.insertExam(core.db, { ...toValues(input), name: input.name })
  return findExam(core, id)
}

/** Changes what is given. What an attempt was started with stays as it was. */
export async function changeExam(core: Core, id: number, changes: ExamChanges): Promise<AdminExam> {
  const values = toValues(changes)
  if (Object.keys(values).length === 0) throw new AppError('nothing_to_update')
  if (!(await store.updateExam(core.db, id, values))) throw new AppError('not_found')
  return findExam(core, id)
}

/** Deletes the exam with all that belongs to it; how much that was. */
export async function deleteExam(core: Core, id: number) {
  return core.db.transaction(async (tx) => {
    const name = await store.lockExam(tx, id)
    if (name === undefined) throw new AppError('not_found')
    const counts = await store.countBelongings(tx, id)
    await store.deleteExam(tx, id)
    return { name, ...counts }
  })
}

/** Releases or withholds an exam's results; without `released`, whatever they are not now. */
export async function releaseResults(core: Core, id: number, released: boolean | undefined) {
  const exam = await store.updateRelease(core.db, id, released)
  if (!exam) throw new AppError('not_found')
  publishReleased(core, id, exam.released)
  return exam
}

/** Only what is given, under the columns' names. */
function toValues(input: ExamChanges): Partial<store.ExamValues> {
  const values = {
    name: input.name,
    description: input.description,
    categoryId: input.category_id,
    durationMinutes: input.duration_minutes,
    maxAttempts: input.max_attempts,
    resultMode: input.result_mode,
    isPublished: input.is_published,
    passPercentage: input.pass_percentage,
    msqScoring: input.msq_scoring,
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function present(row: store.ExamRow): AdminExam {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category_id: row.categoryId,
    duration_minutes: row.durationMinutes,
    max_attempts: row.maxAttempts,
    result_mode: row.resultMode,
    results_released: row.resultsReleased,
    is_published: row.isPublished,
    pass_percentage: row.passPercentage,
    msq_scoring: row.msqScoring,
    question_count: row.questionCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
