import type { AllowanceChange } from '../../../schemas/allowances.schemas.ts'
import type { ItemAnalysis, ItemsQuery, Keys } from '../../../schemas/items.schemas.ts'
import type { AccommodationBody, ExtendBody } from '../../../schemas/timing.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor, Permit } from '../../db/database-client.ts'
import { LOCKS, lockShared } from '../../db/locks.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { AppError } from '../../errors.ts'
import { changeAllowance } from '../allowances/allowances.service.ts'
import { analyseItems, withoutKeys } from '../analytics/items.service.ts'
import { reviewForStaff } from '../results/staff-review.service.ts'
import * as timing from '../timing/timing.service.ts'
import { lockTaughtClass, requireOpenClass, requireTeacher } from './class-access.service.ts'
import * as store from './class-exams.store.ts'
import { keysOf, openKeys, requireUnknown, toReadMarks } from './known-keys.service.ts'

/** A class and one of its exams. */
export interface ClassExam {
  classId: number
  examId: number
}

/** One of a class's exams, for its teachers and administrators. 404 for exams that are not for the class. */
export async function requireClassExam(core: Core, viewer: Viewer, at: ClassExam): Promise<void> {
  await requireTeacher(core.db, viewer, at.classId)
  await requireExamOf(core.db, at)
}

/**
 * For reads of how a class did at all of its exams, or at one: whatever its teachers may know by now is open to them.
 */
export async function requireClassResults(
  core: Core,
  viewer: Viewer,
  { classId, examId }: { classId: number; examId?: number | undefined },
): Promise<void> {
  if (examId === undefined) await requireTeacher(core.db, viewer, classId)
  else await requireClassExam(core, viewer, { classId, examId })
  await openKeys(core, viewer, { classId, examId })
}

/** 404 for exams that are not for the class. */
async function requireExamOf(db: Executor, { classId, examId }: ClassExam): Promise<void> {
  if (!(await store.isClassExam(db, classId, examId))) throw new AppError('not_found')
}

/** 404 for exams that are not for the class, and for people who are not students of it. */
async function requireStudentOf(db: Executor, at: ClassExam, userId: number): Promise<void> {
  await requireExamOf(db, at)
  if (!(await store.isStudent(db, at.classId, userId))) throw new AppError('not_found')
}

/**
 * For changes of what a student has at an exam: 404 as above, 409 `class_archived` and `keys_open`. What this answers
 * is called in the change's transaction: behind the class's lock nobody is removed meanwhile. The first look keeps
 * others from taking the exam's locks.
 */
async function permitStudent(core: Core, viewer: Viewer, at: ClassExam, userId: number): Promise<Permit> {
  await requireOpenClass(core.db, viewer, at.classId)
  await requireStudentOf(core.db, at, userId)
  return async (tx) => {
    await lockShared(tx, LOCKS.examTimes(at.examId))
    await lockTaughtClass(tx, viewer, at.classId)
    await requireStudentOf(tx, at, userId)
    await requireUnknown(core, tx, viewer, at.examId)
  }
}

// --- times and allowances of single students

/** The students of the class with other times than the rest, and the times of the class itself. */
export async function listAccommodations(core: Core, viewer: Viewer, at: ClassExam) {
  await requireClassExam(core, viewer, at)
  const [accommodations, ofClass] = await Promise.all([
    timing.listAccommodations(core, at.examId, at.classId),
    timing.findClassAccommodation(core, at.examId, at.classId),
  ])
  return { accommodations, class_accommodation: ofClass ?? null }
}

export async function setAccommodation(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  at: ClassExam,
  userId: number,
  input: AccommodationBody,
  manner: timing.Manner,
) {
  const permit = await permitStudent(core, viewer, at, userId)
  return timing.setAccommodation(core, actor, { examId: at.examId, userId }, input, manner, permit)
}

export async function deleteAccommodation(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  at: ClassExam,
  userId: number,
  removal: timing.Removal,
): Promise<void> {
  const permit = await permitStudent(core, viewer, at, userId)
  await timing.deleteAccommodation(core, actor, at.examId, userId, removal, permit)
}

/**
 * The students of a class for whom its teachers act while they take an exam; `hold` keeps the class and who teaches it as
 * they are, in a transaction. 404 for exams that are not for the class, 409 `class_archived`.
 */
export function studentsTaking(viewer: Viewer, at: ClassExam) {
  return {
    hold: (tx: Executor) => lockTaughtClass(tx, viewer, at.classId),
    async list(db: Executor): Promise<number[]> {
      await requireOpenClass(db, viewer, at.classId)
      await requireExamOf(db, at)
      return store.listStudentIds(db, at.classId)
    },
  }
}

/** More minutes for attempts of the class's students that are under way, or for those of them who are named. */
export async function extendAttempts(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  at: ClassExam,
  input: ExtendBody,
) {
  return (await extendFor(core, actor, viewer, at, input)).done
}

/** The same, and whose attempts these are. */
export async function extendFor(core: Core, actor: Actor, viewer: Viewer, at: ClassExam, input: ExtendBody) {
  const students = studentsTaking(viewer, at)
  await students.list(core.db)
  return timing.extendFor(core, actor, at.examId, input, async (tx) => {
    await students.hold(tx)
    await requireUnknown(core, tx, viewer, at.examId)
    return students.list(tx)
  })
}

export async function changeStudentAllowance(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  at: ClassExam,
  { student_id, ...change }: AllowanceChange & { student_id: number },
): Promise<void> {
  const permit = await permitStudent(core, viewer, at, student_id)
  await changeAllowance(core, actor, { student_id, exam_id: at.examId }, change, permit)
}

// --- how the class did

/** Item analysis over the class's students; what reveals keys is left out until its teachers may know them. */
export async function analyseClassItems(
  core: Core,
  viewer: Viewer,
  at: ClassExam,
  query: ItemsQuery,
): Promise<Keys & ItemAnalysis> {
  await requireClassResults(core, viewer, at)
  const reading = await toReadMarks(core, viewer, at)
  return inSnapshot(reading.db, async (db) => {
    const keys = await keysOf(reading, db, viewer, at.examId)
    const analysis = await analyseItems(reading, db, at.examId, query, at.classId)
    return { ...keys, ...(keys.shows_keys ? analysis : withoutKeys(analysis)) }
  })
}

/** An attempt of a student of the class at one of its exams. */
export async function reviewClassAttempt(core: Core, viewer: Viewer, classId: number, attemptId: number) {
  await requireTeacher(core.db, viewer, classId)
  if (!(await store.isAttemptOfClass(core.db, classId, attemptId))) throw new AppError('not_found')
  return reviewForStaff(core, attemptId, async (examId) => {
    await openKeys(core, viewer, { classId, examId })
    return keysOf(core, core.db, viewer, examId)
  })
}
