import { type SQL, sql } from 'drizzle-orm'
import { hasVisibleResults } from '../results/visible-results.sql.ts'

/** How long an attempt that its time has closed, or a teacher, can be opened again. */
const REOPENABLE = sql.raw(`interval '24 hours'`)

/** When it is too late to reopen attempts that end at `ends`. */
export const reopenableUntil = (ends: SQL) => sql`(${ends} + ${REOPENABLE})`

/**
 * Whether an attempt can go on if its person is given more time: its time closed it, or a teacher handed it in, less
 * than a day ago, its result could never be seen, and no later one began. `attempt` and `exam` are the names of their
 * rows in the statement.
 */
export function isReopenable(attempt: SQL, exam: SQL, at: Date): SQL {
  return sql`((${attempt}.status = 'expired' or ${attempt}.handed_in)
    and ${attempt}.submitted_at > ${at.toISOString()}::timestamptz - ${REOPENABLE}
    and not ${hasVisibleResults(exam)} and coalesce(${attempt}.submitted_at > ${exam}.results_seen_until, true)
    and not exists (
      select from attempts later
       where later.user_id = ${attempt}.user_id and later.exam_id = ${attempt}.exam_id and later.status <> 'manual'
         and later.attempt_number > ${attempt}.attempt_number))`
}
