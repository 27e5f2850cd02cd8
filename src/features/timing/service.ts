import type { Accommodation, AccommodationBody, ExtendBody } from '../../../schemas/admin/exams/timing.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { keepExam, requireExam } from '../../db/exams.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { AppError, invalidField } from '../../errors.ts'
import { readInstant } from '../../formats/local-time.ts'
import { record } from '../audit/service.ts'
import * as store from './store.ts'

/** Attempts in one event. */
const TOLD_AT_ONCE = 1_000

// --- accommodations

export async function listAccommodations(core: Core, examId: number): Promise<Accommodation[]> {
  await requireExam(core.db, examId)
  return (await store.listAccommodations(core.db, examId)).map(present)
}

/** Replaces a person's times; an attempt of theirs under way follows. 404 without such an exam or person. */
export async function putAccommodation(
  core: Core,
  actor: Actor,
  examId: number,
  userId: number,
  input: AccommodationBody,
): Promise<Accommodation> {
  const window = readWindow(input)
  return changeTimes(core, examId, userId, async (tx) => {
    const times = {
      extraTimePercent: input.extra_time_percent ?? 0,
      opensAt: window.opensAt ?? null,
      closesAt: window.closesAt ?? null,
    }
    await store.putAccommodation(tx, examId, userId, times)
    const row = await store.findAccommodation(tx, examId, userId)
    if (!row) throw new AppError('not_found')
    await record(tx, actor, {
      action: 'exam.accommodate',
      subject: ['exam', examId],
      summary: `user ${userId} has ${times.extraTimePercent} % more time, and the window ${describeWindow(times)}`,
    })
    return present(row)
  })
}

/** 404 if there is none. */
export async function deleteAccommodation(
  core: Core,
  actor: Actor,
  examId: number,
  userId: number,
): Promise<void> {
  await changeTimes(core, examId, userId, async (tx) => {
    if (!(await store.deleteAccommodation(tx, examId, userId))) throw new AppError('not_found')
    await record(tx, actor, {
      action: 'exam.accommodate',
      subject: ['exam', examId],
      summary: `user ${userId} has the times of everybody`,
    })
  })
}

// --- attempts under way

/**
 * Changes an exam's or a person's times and the ends of the attempts under way, in one transaction during which
 * nobody starts. The students are told after the commit.
 */
export async function changeTimes<T>(
  core: Core,
  examId: number,
  userId: number | undefined,
  change: (tx: Executor) => Promise<T>,
): Promise<T> {
  const { result, retimed } = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.examTimes(examId))
    const result = await change(tx)
    return { result, retimed: await store.retimeAttempts(tx, examId, userId) }
  })
  publishTimes(core, examId, retimed)
  return result
}

/**
 * Gives attempts under way more minutes, even beyond the exam's window; answers how many. The same key again changes
 * nothing and answers the same. 404 without such an exam.
 */
export async function extendAttempts(
  core: Core,
  actor: Actor,
  examId: number,
  { minutes, user_ids, key }: ExtendBody,
): Promise<number> {
  const { extended, retimed } = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.examTimes(examId))
    await keepExam(tx, examId)
    const before = key ? await store.findExtension(tx, examId, key) : undefined
    if (before !== undefined) return { extended: before, retimed: [] }
    const retimed = await store.extendAttempts(tx, examId, minutes, user_ids ?? undefined)
    const extended = retimed.length
    if (key) await store.insertExtension(tx, { examId, key, extended })
    await record(tx, actor, {
      action: 'exam.extend',
      subject: ['exam', examId],
      summary: `${extended} attempts under way got ${minutes} more minutes`,
    })
    return { extended, retimed }
  })
  publishTimes(core, examId, retimed)
  return extended
}

function publishTimes(core: Core, examId: number, retimed: store.Retimed[]): void {
  for (let start = 0; start < retimed.length; start += TOLD_AT_ONCE)
    core.bus.publish('exams', {
      kind: 'attempt_times',
      examId,
      times: retimed.slice(start, start + TOLD_AT_ONCE),
    })
}

// --- windows

export interface Window {
  opensAt?: Date | null
  closesAt?: Date | null
}

/** Reads the given ends. 400 for a text that is no point in time, and for a window that closes before it opens. */
export function readWindow(input: { opens_at?: string | null; closes_at?: string | null }): Window {
  const window: Window = {}
  if (input.opens_at !== undefined) window.opensAt = read('opens_at', input.opens_at)
  if (input.closes_at !== undefined) window.closesAt = read('closes_at', input.closes_at)
  const { opensAt, closesAt } = window
  if (opensAt && closesAt && closesAt <= opensAt) throw invalidField('/closes_at', 'is not after opens_at')
  return window
}

function read(field: string, given: string | null): Date | null {
  if (given === null) return null
  const instant = readInstant(given)
  if (!instant) throw invalidField(`/${field}`, 'is no point in time')
  return instant
}

function describeWindow({ opensAt, closesAt }: Window): string {
  const describe = (instant: Date | null | undefined) => instant?.toISOString() ?? 'of everybody'
  return `from ${describe(opensAt)} to ${describe(closesAt)}`
}

function present(row: store.AccommodationRow): Accommodation {
  return {
    user_id: row.userId,
    username: row.username,
    full_name: row.fullName,
    extra_time_percent: row.extraTimePercent,
    opens_at: row.opensAt?.toISOString() ?? null,
    closes_at: row.closesAt?.toISOString() ?? null,
  }
}
