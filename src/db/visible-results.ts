import { type SQL, sql } from 'drizzle-orm'

// The rules of attempts/result-visibility.service.ts for statements. `exam` is the name of the exam's row there.

const EXAMS = sql`exams`

/** Whether students may see the results of an exam, as `showsResults` says it. */
export function hasVisibleResults(exam = EXAMS): SQL {
  return sql`(${exam}.result_mode = 'instant' or ${exam}.results_released)`
}

/** Whether an exam's teachers may know its keys at an instant, as `showsKeys` says it. */
export function hasVisibleKeys(at: Date, exam = EXAMS): SQL {
  return sql`(${exam}.result_mode = 'instant' or ${exam}.closes_at <= ${at.toISOString()}::timestamptz)`
}
