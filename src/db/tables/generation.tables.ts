import { sql } from 'drizzle-orm'
import {
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import type {
  GeneratedQuestion,
  GenerationRequest,
  QuestionCheck,
  QuestionSource,
} from '../../../schemas/generation.schemas.ts'
import { createdAt, instant } from './columns.ts'
import { exams } from './exams.tables.ts'
import { GHOST_ID, users } from './users.tables.ts'

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Generation jobs. This row is the truth; the queue only says when to look at it. */
export const generationJobs = pgTable(
  'generation_jobs',
  {
    id: uuid().primaryKey().defaultRandom(),
    userId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    request: jsonb().$type<GenerationRequest>().notNull(),
    status: text({ enum: ['running', 'done', 'failed'] })
      .notNull()
      .default('running'),
    message: text().notNull(),
    lastEvent: text().notNull(),
    error: text(),
    totalBatches: integer().notNull(),
    completedBatches: integer().notNull().default(0),
    questionCount: integer().notNull().default(0),
    /** The number of workers that have taken the job up: only the newest may write. */
    attempt: integer().notNull().default(0),
    inputTokens: integer().notNull().default(0),
    cachedTokens: integer().notNull().default(0),
    outputTokens: integer().notNull().default(0),
    checkInputTokens: integer().notNull().default(0),
    checkCachedTokens: integer().notNull().default(0),
    checkOutputTokens: integer().notNull().default(0),
    /** No worker takes the job up before: the day’s tokens are spent. */
    waitsUntil: instant(),
    createdAt: createdAt(),
    finishedAt: instant(),
  },
  (table) => [
    index('generation_jobs_created_at_idx').on(table.createdAt),
    index('generation_jobs_running_idx').on(table.userId).where(sql`${table.status} = 'running'`),
    check('generation_jobs_status_check', sql`${table.status} in ('running', 'done', 'failed')`),
  ],
)

/** A question as it is kept. Batches from before there were checks lack both. */
export type StoredQuestion = GeneratedQuestion & { check?: QuestionCheck; source?: QuestionSource | null }

/** Completed batches: a job continues after the newest of them. */
export const generationBatches = pgTable(
  'generation_batches',
  {
    jobId: uuid()
      .notNull()
      .references(() => generationJobs.id, { onDelete: 'cascade' }),
    /** 1, 2, 3 … */
    number: integer().notNull(),
    questions: jsonb().$type<StoredQuestion[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.number] })],
)

/**
 * Batches that are written and not completed: what is left to do with one is told by its stage. Nodes from before
 * there were checks know nothing of them.
 */
export const generationDrafts = pgTable(
  'generation_drafts',
  {
    jobId: uuid()
      .notNull()
      .references(() => generationJobs.id, { onDelete: 'cascade' }),
    /** 1, 2, 3 … */
    number: integer().notNull(),
    /** Written: to be checked. Disputed: some are to be written anew. Rewritten: those are to be checked. */
    stage: text({ enum: ['written', 'disputed', 'rewritten'] }).notNull(),
    /** Without a `check`: not checked yet. */
    questions: jsonb().$type<StoredQuestion[]>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.number] }),
    check('generation_drafts_stage_check', sql`${table.stage} in ('written', 'disputed', 'rewritten')`),
  ],
)

/** The PDF of a job, in the database so that any node can read it; deleted when the job ends. */
export const generationFiles = pgTable('generation_files', {
  jobId: uuid()
    .primaryKey()
    .references(() => generationJobs.id, { onDelete: 'cascade' }),
  bytes: bytea().notNull(),
})
