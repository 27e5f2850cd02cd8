import type { AdminExam, AdminExamsQuery, ExamChanges, NewExam } from '../../../schemas/admin/exams/exams.ts'
import type { ExamsQuery, StudentExam } from '../../../schemas/exams/attempts.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { violates } from '../../db/errors.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import type { PersonalTimes } from '../../db/tables/exams/accommodations.ts'
import { AppError, invalidField } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { publishHelp } from '../attempts/closing.ts'
import { publishReleased } from '../attempts/service.ts'
import { remainingOf, requireStanding } from '../attempts/standing.ts'
import { record } from '../audit/service.ts'
import { changeTimes, readWindow } from '../timing/service.ts'
import { timesFor } from '../timing/windows.ts'
import * as store from './store.ts'

/** Exams on a page of a list, for administrators or students. */
export const EXAMS_PER_PAGE = 50

/** One page, newest first, and how many there are in all. */
export async function listExams(core: Core, { q, category_id, page }: AdminExamsQuery) {
  const filter = { q, categoryId: category_id }
  const [rows, total] = await Promise.all([
    store.listExams(core.db, filter, EXAMS_PER_PAGE, offsetOf(page, EXAMS_PER_PAGE)),
    store.countExams(core.db, filter),
  ])
  return { exams: rows.map(toAdminExam), total }
}

export async function getExam(core: Core, id: number): Promise<AdminExam> {
  const row = await store.findExam(core.db, id)
  if (!row) throw new AppError('not_found')
  return toAdminExam(row)
}

export async function createExam(core: Core, actor: Actor, input: NewExam): Promise<AdminExam> {
  const id = await core.db.transaction(async (tx) => {
    const inserted = await store.insertExam(tx, { ...toValues(input), name: input.name })
    await record(tx, actor, {
      action: 'exam.create',
      subject: ['exam', inserted],
      summary: 'The exam was created',
    })
    return inserted
  })
  return getExam(core, id)
}

/**
 * Changes the given fields. Attempts keep the paper that they were started with, but attempts under way follow the
 * exam's times and its locking of help.
 */
export async function changeExam(
  core: Core,
  actor: Actor,
  id: number,
  changes: ExamChanges,
): Promise<AdminExam> {
  const values = toValues(changes)
  if (Object.keys(values).length === 0) throw new AppError('nothing_to_update')
  const isTimed = ['durationMinutes', 'opensAt', 'closesAt'].some((name) => name in values)
  const update = async (tx: Executor) => {
    if (!(await store.updateExam(tx, id, values))) throw new AppError('not_found')
    const summary = `Changed: ${Object.keys(changes).join(', ')}`
    await record(tx, actor, { action: 'exam.change', subject: ['exam', id], summary })
  }
  try {
    await (isTimed ? changeTimes(core, id, undefined, update) : core.db.transaction(update))
  } catch (error) {
    // One end of the window was given, the other one is stored.
    if (violates(error, 'exams_window_check')) throw invalidField('/closes_at', 'is not after opens_at')
    throw error
  }
  if (values.lockHelp !== undefined) publishHelp(core)
  return getExam(core, id)
}

/** Deletes the exam with everything that belongs to it; answers how much that was. */
export async function deleteExam(core: Core, actor: Actor, id: number) {
  const deleted = await core.db.transaction(async (tx) => {
    // Starts share a transaction, so none of them may wait for the exam's row.
    await lockAlone(tx, LOCKS.examTimes(id))
    const name = await store.lockExam(tx, id)
    if (name === undefined) throw new AppError('not_found')
    const counts = await store.countBelongings(tx, id)
    await store.deleteExam(tx, id)
    const summary = `Deleted with ${counts.questions} questions, ${counts.attempts} attempts and ${counts.comments} comments`
    await record(tx, actor, { action: 'exam.delete', subject: ['exam', id], summary })
    return { name, ...counts }
  })
  publishHelp(core)
  return deleted
}

/** Releases or hides an exam's results; without `released` the opposite of now. */
export async function releaseResults(core: Core, actor: Actor, id: number, released: boolean | undefined) {
  const exam = await core.db.transaction(async (tx) => {
    const updated = await store.updateRelease(tx, id, released)
    if (!updated) throw new AppError('not_found')
    await record(tx, actor, {
      action: updated.released ? 'exam.release_results' : 'exam.hold_results',
      subject: ['exam', id],
      summary: `Results are ${updated.released ? 'released' : 'held back'}`,
    })
    return updated
  })
  publishReleased(core, id, exam.released)
  return exam
}

/** The given fields under the names of the columns. */
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
    lockHelp: input.lock_help,
    ...readWindow(input),
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function toAdminExam(row: store.ExamRow): AdminExam {
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
    opens_at: row.opensAt?.toISOString() ?? null,
    closes_at: row.closesAt?.toISOString() ?? null,
    lock_help: row.lockHelp,
    question_count: row.questionCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

// --- as students see them

/** One page, newest first, and how many there are. */
export async function listPublishedExams(
  core: Core,
  userId: number,
  { category_id: categoryId, q, page }: ExamsQuery,
) {
  const filter = { categoryId, q }
  const [rows, total] = await Promise.all([
    store.listPublished(core.db, userId, filter, EXAMS_PER_PAGE, offsetOf(page, EXAMS_PER_PAGE)),
    store.countPublished(core.db, filter),
  ])
  return { exams: rows.map((row) => toStudentExam(row, row.personal)), total }
}

export async function getPublishedExam(core: Core, userId: number, examId: number) {
  const standing = await requireStanding(core.db, userId, examId)
  return {
    ...toStudentExam(
      { ...standing.exam, questionCount: await store.countQuestions(core.db, examId) },
      standing.personal,
    ),
    attempts_used: standing.used,
    attempts_remaining: remainingOf(standing),
  }
}

function toStudentExam(
  exam: Omit<store.ExamRow, 'createdAt' | 'updatedAt'>,
  personal: PersonalTimes | null,
): StudentExam {
  const { opensAt, closesAt, extraTimePercent } = timesFor(exam, personal)
  return {
    id: exam.id,
    name: exam.name,
    description: exam.description,
    category_id: exam.categoryId,
    duration_minutes: exam.durationMinutes,
    max_attempts: exam.maxAttempts,
    result_mode: exam.resultMode,
    results_released: exam.resultsReleased,
    is_published: exam.isPublished,
    pass_percentage: exam.passPercentage,
    msq_scoring: exam.msqScoring,
    opens_at: opensAt?.toISOString() ?? null,
    closes_at: closesAt?.toISOString() ?? null,
    lock_help: exam.lockHelp,
    ...(extraTimePercent === 0 ? {} : { extra_time_percent: extraTimePercent }),
    question_count: exam.questionCount,
  }
}
