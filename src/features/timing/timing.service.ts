import type {
  Accommodation,
  AccommodationBody,
  ClassAccommodation,
  ExtendBody,
  WasTimes,
} from '../../../schemas/timing.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor, Permit } from '../../db/database-client.ts'
import { freezeExam, requireExam } from '../../db/exam-rows.ts'
import { LOCKS, lockAlone, lockShared } from '../../db/locks.ts'
import type { PersonalTimes } from '../../db/tables/accommodations.tables.ts'
import { AppError, invalidField } from '../../errors.ts'
import { instantOf } from '../../formats/local-time.ts'
import { slicesOf } from '../../formats/slices.ts'
import { requireUnchanged } from '../../unchanged.ts'
import { publishHelp } from '../attempts/closing.service.ts'
import { record } from '../audit/audit.service.ts'
import { requireOneVersion } from '../nodes/nodes.service.ts'
import { causeNotices } from '../notices/notices.service.ts'
import * as store from './timing.store.ts'

/** Attempts in one event. */
const TOLD_AT_ONCE = 1_000

/** The times of somebody who has none of their own. */
const NO_TIMES: PersonalTimes = { extraTimePercent: 0, opensAt: null, closesAt: null }

/** Whether a change of times takes the place of those before, or leaves the fields that it doesn't name as they are. */
export type Manner = 'replace' | 'change'

// --- accommodations

export async function listAccommodations(
  core: Core,
  examId: number,
  classId?: number,
): Promise<Accommodation[]> {
  await requireExam(core.db, examId)
  return (await store.listAccommodations(core.db, examId, classId)).map(toAccommodation)
}

/**
 * Sets a person's times; an attempt of theirs under way follows. 404 without such an exam or person, 409 `changed` if a
 * field is no longer as `was` says.
 */
export async function setAccommodation(
  core: Core,
  actor: Actor,
  { examId, userId }: { examId: number; userId: number },
  input: AccommodationBody,
  manner: Manner,
  permit?: Permit,
): Promise<Accommodation> {
  const given = readTimes(input)
  return changeTimes(core, { examId, userId, confirm: input.confirm }, async (tx) => {
    await permit?.(tx)
    const times = mergeTimes(await store.findAccommodation(tx, examId, userId), given, input, manner)
    await store.putAccommodation(tx, examId, userId, times)
    const row = await store.findAccommodation(tx, examId, userId)
    if (!row) throw new AppError('not_found')
    await requireWindow(tx, examId, times)
    await record(tx, actor, {
      action: 'exam.accommodate',
      subject: ['exam', examId],
      summary: `User ${userId}: ${describeTimes(times)}`,
    })
    return toAccommodation(row)
  })
}

/** How times are taken away. */
export interface Removal {
  confirm: boolean | undefined
  /** As they were seen. */
  was: WasTimes | undefined
}

/** 404 if there is none, 409 `changed` as above. */
export async function deleteAccommodation(
  core: Core,
  actor: Actor,
  examId: number,
  userId: number,
  { confirm, was }: Removal,
  permit?: Permit,
): Promise<void> {
  await changeTimes(core, { examId, userId, confirm }, async (tx) => {
    await permit?.(tx)
    const stored = await store.deleteAccommodation(tx, examId, userId)
    if (!stored) throw new AppError('not_found')
    requireSeen(stored, was, presentTimes(NO_TIMES))
    await record(tx, actor, {
      action: 'exam.accommodate',
      subject: ['exam', examId],
      summary: `User ${userId}: the exam’s own times`,
    })
  })
}

// --- those of classes

/** 404 without an exam that is for the class, or other times of it. */
export async function getClassAccommodation(
  core: Core,
  examId: number,
  classId: number,
): Promise<ClassAccommodation> {
  const found = await findClassAccommodation(core, examId, classId)
  if (!found) throw new AppError('not_found')
  return found
}

export async function findClassAccommodation(
  core: Core,
  examId: number,
  classId: number,
): Promise<ClassAccommodation | undefined> {
  const times = await store.findClassAccommodation(core.db, examId, classId)
  return times && toClassAccommodation(classId, times)
}

/** Sets a class's times; attempts under way follow. 404 unless the exam is for the class, 409 `changed` as above. */
export async function setClassAccommodation(
  core: Core,
  actor: Actor,
  { examId, classId }: { examId: number; classId: number },
  input: AccommodationBody,
  manner: Manner,
): Promise<ClassAccommodation> {
  const given = readTimes(input)
  return changeTimes(core, { examId, confirm: input.confirm }, async (tx) => {
    const times = mergeTimes(await store.findClassAccommodation(tx, examId, classId), given, input, manner)
    if (!(await store.putClassAccommodation(tx, examId, classId, times))) throw new AppError('not_found')
    await requireWindow(tx, examId, times)
    await record(tx, actor, {
      action: 'class.accommodate',
      subject: ['exam', examId],
      summary: `Class ${classId}: ${describeTimes(times)}`,
    })
    return toClassAccommodation(classId, times)
  })
}

/** 404 if there is none, 409 `changed` as above. */
export async function deleteClassAccommodation(
  core: Core,
  actor: Actor,
  examId: number,
  classId: number,
  { confirm, was }: Removal,
): Promise<void> {
  await changeTimes(core, { examId, confirm }, async (tx) => {
    const stored = await store.deleteClassAccommodation(tx, examId, classId)
    if (!stored) throw new AppError('not_found')
    requireSeen(stored, was, presentTimes(NO_TIMES))
    await record(tx, actor, {
      action: 'class.accommodate',
      subject: ['exam', examId],
      summary: `Class ${classId}: the exam’s own times`,
    })
  })
}

function toClassAccommodation(classId: number, times: PersonalTimes): ClassAccommodation {
  return { class_id: classId, ...presentTimes(times) }
}

// --- attempts under way

/**
 * Changes an exam's or a person's times and the ends of the attempts under way, in one transaction during which
 * nobody starts. The students are told after the commit. 409 `ends_attempts` if attempts would be over at once, unless
 * that is confirmed.
 */
export async function changeTimes<T>(
  core: Core,
  { examId, userId, confirm }: { examId: number; userId?: number; confirm: boolean | undefined },
  change: (tx: Executor) => Promise<T>,
): Promise<T> {
  const { result, retimed } = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.examTimes(examId))
    const result = await change(tx)
    const retimed = await store.retimeAttempts(tx, examId, userId)
    const now = core.clock()
    const ended = retimed.filter(({ endsAt }) => endsAt !== null && endsAt <= now).length
    if (ended > 0 && !confirm) throw new AppError('ends_attempts', { details: { attempts: ended } })
    return { result, retimed }
  })
  publishTimes(core, examId, retimed)
  return result
}

/**
 * Gives attempts under way more minutes, even beyond the exam's window; those of people who are named are opened again
 * where their time has closed them (docs/protocol/exams.md#windows). Answers how many of each. The same key again
 * changes nothing and answers the same. 404 without such an exam, 409 `nodes_differ`.
 */
export async function extendAttempts(
  core: Core,
  actor: Actor,
  examId: number,
  input: ExtendBody,
): Promise<store.ExtensionResult> {
  return (await extendFor(core, actor, examId, input)).done
}

/**
 * The same, and whose attempts these are; nobody's where the key was used before. `listAllowed` names the people whom it
 * is limited to, as they are in the transaction.
 */
export async function extendFor(
  core: Core,
  actor: Actor,
  examId: number,
  { minutes, user_ids, key }: ExtendBody,
  listAllowed?: (tx: Executor) => Promise<number[] | undefined>,
): Promise<{ done: store.ExtensionResult; userIds: number[] }> {
  const { done, retimed, reopened } = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.examTimes(examId))
    if (user_ids) {
      // What is opened again isn't regraded at the same time, and its help is locked from then on.
      await lockShared(tx, LOCKS.examGrading(examId))
      await store.lockTakers(tx, examId, user_ids)
    }
    await freezeExam(tx, examId)
    const before = key ? await store.findExtension(tx, examId, key) : undefined
    if (before) return { done: before, retimed: [], reopened: [] }
    const allowed = await listAllowed?.(tx)
    const named = user_ids && new Set(user_ids)
    const userIds = named && allowed ? allowed.filter((id) => named.has(id)) : (user_ids ?? allowed)
    const extended = await store.extendAttempts(tx, examId, minutes, userIds)
    // After that: whatever its time closes meanwhile is one or the other.
    const reopened = named ? await store.reopenAttempts(tx, examId, minutes, userIds ?? [], core.clock()) : []
    // A node of 1.0.0 that changes the exam's times would count the time during which they were over.
    if (reopened.length > 0) await requireOneVersion(tx)
    const done = { extended: extended.length, reopened: reopened.length }
    if (key) await store.insertExtension(tx, { examId, key, ...done })
    await record(tx, actor, {
      action: 'exam.extend',
      subject: ['exam', examId],
      summary: describeExtension(minutes, done),
    })
    await causeNotices(core, tx, {
      kind: 'more_time',
      examId,
      minutes,
      userIds: [...extended, ...reopened].map((each) => each.userId),
      actorId: actor.id,
    })
    return { done, retimed: [...extended, ...reopened], reopened }
  })
  publishTimes(core, examId, retimed)
  if (reopened.length > 0)
    publishHelp(
      core,
      reopened.map(({ userId }) => userId),
    )
  return { done, userIds: retimed.map(({ userId }) => userId) }
}

function describeExtension(minutes: number, { extended, reopened }: store.ExtensionResult): string {
  const given = `${extended} attempts under way got ${minutes} more minutes`
  return reopened === 0 ? given : `${given}, and ${reopened} that were over were opened again`
}

/** Tells the devices of these people when their attempts end, or have ended. Call it after the commit. */
export function publishTimes(core: Core, examId: number, retimed: store.RetimedAttempt[]): void {
  for (const times of slicesOf(retimed, TOLD_AT_ONCE))
    core.bus.publish('exams', { kind: 'attempt_times', examId, times })
}

// --- windows

export interface TimeWindow {
  opensAt?: Date | null
  closesAt?: Date | null
}

/** Reads the given ends. 400 for a window that closes before it opens. */
export function readWindow(input: { opens_at?: string | null; closes_at?: string | null }): TimeWindow {
  const window: TimeWindow = {}
  if (input.opens_at !== undefined) window.opensAt = readInstant(input.opens_at)
  if (input.closes_at !== undefined) window.closesAt = readInstant(input.closes_at)
  const { opensAt, closesAt } = window
  if (opensAt && closesAt && closesAt <= opensAt) throw invalidField('/closes_at', 'is not after opens_at')
  return window
}

function readInstant(given: string | null): Date | null {
  return given === null ? null : instantOf(given)
}

function readTimes(input: AccommodationBody): Partial<PersonalTimes> {
  const extraTimePercent = input.extra_time_percent
  return {
    ...(extraTimePercent === undefined ? {} : { extraTimePercent: extraTimePercent ?? 0 }),
    ...readWindow(input),
  }
}

/** The times that a change leads to. 409 `changed`, 400 for a window that closes before it opens. */
function mergeTimes(
  stored: PersonalTimes = NO_TIMES,
  given: Partial<PersonalTimes>,
  { was, confirm: _, ...wanted }: AccommodationBody,
  manner: Manner,
): PersonalTimes {
  if (manner === 'change' && Object.keys(given).length === 0) throw new AppError('nothing_to_update')
  requireSeen(stored, was, wanted)
  const { extraTimePercent, opensAt, closesAt } = {
    ...(manner === 'replace' ? NO_TIMES : stored),
    ...given,
  }
  if (opensAt && closesAt && closesAt <= opensAt) throw invalidField('/closes_at', 'is not after opens_at')
  return { extraTimePercent, opensAt, closesAt }
}

/** 409 `changed` if the stored times are neither those that were seen nor those that are wanted. */
function requireSeen(stored: PersonalTimes, was: WasTimes | undefined, wanted: WasTimes): void {
  requireUnchanged(presentTimes(stored), was && withPercent(was), withPercent(wanted))
}

/** No extra time is 0 percent. */
function withPercent({ extra_time_percent: percent, ...window }: WasTimes) {
  return { ...(percent === undefined ? {} : { extra_time_percent: percent ?? 0 }), ...window }
}

/** 400 for times of a person or a class that, with the exam's own, leave nobody a moment to start. */
async function requireWindow(tx: Executor, examId: number, times: PersonalTimes): Promise<void> {
  if (await store.leavesWindow(tx, examId, times)) return
  throw times.opensAt
    ? invalidField('/opens_at', 'is not before the exam closes')
    : invalidField('/closes_at', 'is not after the exam opens')
}

function describeTimes({ extraTimePercent, opensAt, closesAt }: PersonalTimes): string {
  const describe = (instant: Date | null) => instant?.toISOString() ?? 'as the exam'
  return `${extraTimePercent} % more time; opens ${describe(opensAt)}, closes ${describe(closesAt)}`
}

function toAccommodation(row: store.AccommodationRow): Accommodation {
  return {
    user_id: row.userId,
    username: row.username,
    full_name: row.fullName,
    ...presentTimes(row),
  }
}

function presentTimes({ extraTimePercent, opensAt, closesAt }: PersonalTimes) {
  return {
    extra_time_percent: extraTimePercent,
    opens_at: opensAt?.toISOString() ?? null,
    closes_at: closesAt?.toISOString() ?? null,
  }
}
