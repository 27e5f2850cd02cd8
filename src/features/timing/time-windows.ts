import type { PersonalTimes } from '../../db/tables/accommodations.tables.ts'
import type { exams } from '../../db/tables/exams.tables.ts'
import { AppError } from '../../errors.ts'

type ExamTimes = Pick<typeof exams.$inferSelect, 'durationMinutes' | 'opensAt' | 'closesAt'>

/** An exam's times for one person. */
export interface Times {
  opensAt: Date | null
  closesAt: Date | null
  durationMinutes: number | null
  extraTimePercent: number
}

export function timesFor(exam: ExamTimes, personal: PersonalTimes): Times {
  return {
    opensAt: personal.opensAt ?? exam.opensAt,
    closesAt: personal.closesAt ?? exam.closesAt,
    durationMinutes: exam.durationMinutes,
    extraTimePercent: personal.extraTimePercent,
  }
}

/**
 * The end of an attempt that starts now, by the same rule as `retimeAttempts` (timing.store.ts); null: it has no end.
 */
export function endOf(
  { durationMinutes, extraTimePercent, closesAt }: Times,
  startedAt: number,
): Date | null {
  // A percent of a minute is 600 ms.
  const ownEnd =
    durationMinutes === null ? Infinity : startedAt + durationMinutes * (100 + extraTimePercent) * 600
  const end = Math.min(ownEnd, closesAt?.getTime() ?? Infinity)
  return end === Infinity ? null : new Date(end)
}

/** Why nobody may start now: 403 `exam_not_open` or `exam_closed`; undefined within the window. */
export function findClosed({ opensAt, closesAt }: Times, now: number): AppError | undefined {
  // A person's own opening may be later than the closing that the exam has got since.
  const neverOpens = opensAt && closesAt && opensAt >= closesAt
  if (opensAt && !neverOpens && now < opensAt.getTime())
    return new AppError('exam_not_open', { details: { opens_at: opensAt.toISOString() } })
  if (closesAt && (neverOpens || now >= closesAt.getTime()))
    return new AppError('exam_closed', { details: { closes_at: closesAt.toISOString() } })
  return undefined
}
