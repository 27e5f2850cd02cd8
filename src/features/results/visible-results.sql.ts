import { type SQL, sql } from 'drizzle-orm'

const EXAMS = sql`exams`

/**
 * Whether students may see the results of an exam, as `showsResults` (attempts/result-visibility.service.ts) says it.
 * `exam` is the name of the exam's row in the statement.
 */
export function hasVisibleResults(exam = EXAMS): SQL {
  return sql`(${exam}.result_mode = 'instant' or ${exam}.results_released)`
}
