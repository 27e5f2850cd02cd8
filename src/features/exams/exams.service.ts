import type { Content } from '../../../schemas/common.ts'
import type {
  AdminExam,
  AdminExamsQuery,
  ChangesMean,
  ExamChanges,
  NewExam,
} from '../../../schemas/exams.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { violates } from '../../db/database-errors.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { AppError, invalidField } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { requireUnchanged } from '../../unchanged.ts'
import { publishReleased } from '../attempts/attempts.service.ts'
import { publishHelp } from '../attempts/closing.service.ts'
import { record } from '../audit/audit.service.ts'
import { describeChanged } from '../audit/audit-words.ts'
import { causeNotices } from '../notices/notices.service.ts'
import { causePushes } from '../push/push.service.ts'
import { requireExamSize } from '../questions/questions.service.ts'
import { changeTimes, readWindow } from '../timing/timing.service.ts'
import { findTooFew, keysOf, sumDrawn } from './drawing.ts'
import * as store from './exams.store.ts'

/** Exams on a page of a list, for administrators or students. */
export const EXAMS_PER_PAGE = 50

/** One page, newest first, and how many there are in all; of a teacher, those of their classes and their own ones. */
export async function listExams(core: Core, { q, category_id, page }: AdminExamsQuery, teacherId?: number) {
  const filter = { q, categoryId: category_id, teacherId }
  const [rows, total] = await Promise.all([
    store.listExams(core.db, filter, EXAMS_PER_PAGE, offsetOf(page, EXAMS_PER_PAGE)),
    store.countExams(core.db, filter),
  ])
  const counts = await countGiven(core.db, rows)
  return { exams: rows.map((row) => toAdminExam(row, counts)), total }
}

export async function getExam(core: Core, id: number): Promise<AdminExam> {
  const row = await store.findExam(core.db, id)
  if (!row) throw new AppError('not_found')
  return toAdminExam(row, await countGiven(core.db, [row]))
}

/** 403 `forbidden` where a teacher makes one that isn't for classes that they teach, and for those alone. */
export async function createExam(
  core: Core,
  actor: Actor,
  input: NewExam,
  teacherId?: number,
): Promise<AdminExam> {
  const id = await core.db.transaction(async (tx) => {
    const inserted = await store.insertExam(tx, { ...toValues(input), name: input.name, createdBy: actor.id })
    if (input.class_ids) await changeClasses(tx, inserted, input.class_ids)
    await requireOwnExam(tx, inserted, teacherId)
    await checkDraw(tx, inserted, input)
    if (input.is_published && input.class_ids?.length)
      await causeNotices(core, tx, { kind: 'exam_published', examId: inserted, actorId: actor.id })
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
 * exam's times and its locking of help. 409 `changed` if a field is no longer as `was` says.
 */
export async function changeExam(
  core: Core,
  actor: Actor,
  id: number,
  changes: ExamChanges,
  teacherId?: number,
): Promise<AdminExam> {
  const values = toValues(changes)
  if (Object.keys(values).length === 0) throw new AppError('nothing_to_update')
  const isTimed = ['durationMinutes', 'opensAt', 'closesAt'].some((name) => name in values)
  const { confirm, was, ...given } = changes
  const update = async (tx: Executor) => {
    const isForOthers = changes.is_published === true || changes.class_ids !== undefined
    const stored = was || isForOthers ? await store.holdExam(tx, id) : undefined
    if (stored && was) requireUnchanged(toAdminExam(stored, new Map()), was, given)
    if (!(await store.updateExam(tx, id, values))) throw new AppError('not_found')
    if (changes.class_ids) await changeClasses(tx, id, changes.class_ids)
    await requireOwnExam(tx, id, teacherId)
    await checkDraw(tx, id, changes)
    if (changes.is_published) await requireExamSize(tx, [id])
    if (stored && isForOthers) await announce(core, tx, actor, stored, changes)
    const summary = describeChanged(Object.keys(given))
    await record(tx, actor, { action: 'exam.change', subject: ['exam', id], summary })
  }
  try {
    await (isTimed ? changeTimes(core, { examId: id, confirm }, update) : core.db.transaction(update))
  } catch (error) {
    // One end of the window was given, the other one is stored.
    if (violates(error, 'exams_window_check')) throw invalidField('/closes_at', 'is not after opens_at')
    throw error
  }
  if (values.lockHelp !== undefined) publishHelp(core)
  return getExam(core, id)
}

/** Whom a change of the exam would affect, so that a form can say so first. */
export async function describeUse(core: Core, id: number): Promise<Content<ChangesMean>> {
  const found = await store.findUse(core.db, id)
  if (!found) throw new AppError('not_found')
  return found
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
    if (updated.released && updated.isChanged) {
      await causePushes(tx, { kind: 'released', subjectId: id })
      await causeNotices(core, tx, { kind: 'result_released', examId: id, actorId: actor.id })
    }
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
    openForPractice: input.open_for_practice,
    passPercentage: input.pass_percentage,
    msqScoring: input.msq_scoring,
    lockHelp: input.lock_help,
    watchPage: input.watch_page,
    shuffle: input.shuffle,
    draw: input.draw,
    forClasses: input.class_ids && input.class_ids.length > 0,
    ...readWindow(input),
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Tells students of an exam that becomes theirs: it is published, or given to more classes. */
async function announce(
  core: Core,
  tx: Executor,
  actor: Actor,
  before: store.ExamSettingsRow,
  { is_published: isPublished = before.isPublished, class_ids: classIds = before.classIds }: ExamChanges,
): Promise<void> {
  const added = before.isPublished ? classIds.filter((id) => !before.classIds.includes(id)) : classIds
  if (!isPublished || added.length === 0) return
  await causeNotices(core, tx, {
    kind: 'exam_published',
    examId: before.id,
    actorId: actor.id,
    ...(before.isPublished ? { classIds: added } : {}),
  })
}

/** Replaces the classes that an exam is for. 400 for ids of none. */
async function changeClasses(tx: Executor, id: number, classIds: number[]): Promise<void> {
  const missing = await store.replaceClasses(tx, id, classIds)
  if (missing.length > 0) throw invalidField('/class_ids', `names no class: ${missing.join(', ')}`)
}

/** 403 `forbidden` unless an exam is this teacher's own, as it is now. */
async function requireOwnExam(tx: Executor, id: number, teacherId: number | undefined): Promise<void> {
  if (teacherId !== undefined && !(await store.isOwnExam(tx, id, teacherId)))
    throw new AppError('forbidden', { message: 'A teacher’s own exam is for classes that they teach' })
}

/** 409 `draw_too_few` where an exam is published whose rules find too few questions, by these changes. */
async function checkDraw(tx: Executor, id: number, changes: ExamChanges): Promise<void> {
  if (!changes.is_published && !changes.draw) return
  const exam = await store.findExam(tx, id)
  if (!exam?.isPublished || !exam.draw) return
  const pools = await store.countPools(tx, [{ id, keys: keysOf(exam.draw) }])
  const tooFew = findTooFew(exam.draw, pools.get(id) ?? [])
  if (tooFew.length > 0)
    throw new AppError('draw_too_few', {
      message: `There are too few questions with the tags: ${tooFew.map(({ tag }) => tag).join(', ')}`,
    })
}

/** How many questions an attempt gets, by exam. */
export async function countGiven(
  db: Executor,
  rows: readonly Pick<store.ExamSettingsRow, 'id' | 'draw' | 'poolCount'>[],
): Promise<ReadonlyMap<number, number>> {
  const drawing = rows.flatMap(({ id, draw }) => (draw ? [{ id, keys: keysOf(draw) }] : []))
  const pools = await store.countPools(db, drawing)
  return new Map(
    rows.map(({ id, draw, poolCount }) => [id, draw ? sumDrawn(draw, pools.get(id) ?? []) : poolCount]),
  )
}

function toAdminExam(row: store.ExamSettingsRow, counts: ReadonlyMap<number, number>): AdminExam {
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
    open_for_practice: row.openForPractice,
    pass_percentage: row.passPercentage,
    msq_scoring: row.msqScoring,
    opens_at: row.opensAt?.toISOString() ?? null,
    closes_at: row.closesAt?.toISOString() ?? null,
    lock_help: row.lockHelp,
    watch_page: row.watchPage,
    shuffle: row.shuffle,
    draw: row.draw,
    class_ids: row.classIds,
    question_count: counts.get(row.id) ?? 0,
    pool_count: row.poolCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
