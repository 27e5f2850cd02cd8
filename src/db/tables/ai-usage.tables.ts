import { bigint, date, index, integer, pgTable, uuid } from 'drizzle-orm/pg-core'
import { id, instant } from './columns.ts'
import { generationJobs } from './generation.tables.ts'
import { users } from './users.tables.ts'

const count = () => bigint({ mode: 'number' }).notNull().default(0)

/**
 * What the model was used for, by day of the service's time zone. All but the first two count a job on the day on which
 * it was started.
 */
export const aiDays = pgTable('ai_days', {
  day: date().primaryKey(),
  /** Tokens that were taken on that very day. */
  spentByTutor: count(),
  spentByJobs: count(),
  tutorQuestions: count(),
  tutorInput: count(),
  tutorCached: count(),
  tutorOutput: count(),
  generationJobs: count(),
  generationQuestions: count(),
  generationInput: count(),
  generationCached: count(),
  generationOutput: count(),
  checksAgreed: count(),
  checksDisputed: count(),
  checksUnchecked: count(),
  checksInput: count(),
  checksCached: count(),
  checksOutput: count(),
})

/**
 * Requests to the model where a day has a budget: first with the tokens that they may take, then, those of people, with
 * what they took.
 */
export const aiRequests = pgTable(
  'ai_requests',
  {
    id: id(),
    day: date().notNull(),
    /** Who asks the tutor; null: a job does. */
    userId: integer().references(() => users.id, { onDelete: 'cascade' }),
    jobId: uuid().references(() => generationJobs.id, { onDelete: 'cascade' }),
    tokens: integer().notNull(),
    /** null: it has ended. */
    expiresAt: instant(),
  },
  (table) => [
    index('ai_requests_day_idx').on(table.day, table.userId),
    index('ai_requests_user_id_idx').on(table.userId),
    index('ai_requests_job_id_idx').on(table.jobId),
  ],
)
