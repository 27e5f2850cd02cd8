import { sql } from 'drizzle-orm'

/** Whether students may see the results of an exam, as `showsResults` (attempts/result-visibility.service.ts) says it. */
export const SHOWS_RESULTS = sql.raw("(exams.result_mode = 'instant' or exams.results_released)")
