import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Usage } from '../../adapters/ai.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { NOW, only, query, statement } from '../../db/query.ts'
import { rowOf } from '../../db/rows.ts'
import { questions } from '../../db/tables/exams.tables.ts'
import {
  generationBatches,
  generationDrafts,
  generationFiles,
  generationJobs,
  type StoredQuestion,
} from '../../db/tables/generation.tables.ts'

export type JobRow = typeof generationJobs.$inferSelect
const JOB = rowOf(generationJobs)

/** Names the worker of a write: a job belongs to the newest of its workers until it ends. */
export interface Claim {
  id: string
  attempt: number
}

/** Bytes of a PDF that the driver writes or reads at once: it would be busy with a large one for a long time. */
const PIECE = 1024 * 1024

/** To be called in a transaction. */
export async function insertJob(
  db: Executor,
  job: typeof generationJobs.$inferInsert,
  pdf: Buffer | undefined,
): Promise<JobRow> {
  const inserted = only(await db.insert(generationJobs).values(job).returning())
  if (pdf) await insertPdf(db, inserted.id, pdf)
  return inserted
}

/** The pieces are put together in the database. */
async function insertPdf(tx: Executor, jobId: string, pdf: Buffer): Promise<void> {
  await tx.execute(sql`create temp table pdf_pieces (number integer, bytes bytea) on commit drop`)
  for (let at = 0; at < pdf.length; at += PIECE)
    await tx.execute(sql`insert into pdf_pieces values (${at}, ${pdf.subarray(at, at + PIECE)})`)
  await tx.execute(sql`
    insert into generation_files (job_id, bytes)
    select ${jobId}::uuid, string_agg(bytes, '' order by number) from pdf_pieces`)
}

export async function findJob(db: Executor, id: string): Promise<JobRow | undefined> {
  const [row] = await db.select().from(generationJobs).where(eq(generationJobs.id, id))
  return row
}

/** Newest first. */
export async function listJobs(db: Executor, limit: number, offset: number): Promise<JobRow[]> {
  return db
    .select()
    .from(generationJobs)
    .orderBy(desc(generationJobs.createdAt), desc(generationJobs.id))
    .limit(limit)
    .offset(offset)
}

export async function countJobs(db: Executor): Promise<number> {
  return db.$count(generationJobs)
}

/** Jobs of this person that have not ended. */
export async function countRunning(db: Executor, userId: number): Promise<number> {
  return db.$count(
    generationJobs,
    and(eq(generationJobs.userId, userId), eq(generationJobs.status, 'running')),
  )
}

/** undefined if the job has none, or ends meanwhile. */
export async function findPdf(db: Executor, jobId: string): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for (let at = 0, size = 1; at < size; at += PIECE) {
    const [row] = await query<{ size: number; piece: Buffer }>(
      db,
      { size: 'integer', piece: 'bytea' },
      sql`
      select octet_length(bytes) as size, substring(bytes from ${at + 1}::int for ${PIECE}::int) as piece
        from generation_files where job_id = ${jobId}`,
    )
    if (!row) return undefined
    pieces.push(row.piece)
    size = row.size
  }
  return Buffer.concat(pieces)
}

/** A job with the questions of its completed batches, in their order, both as of one instant. */
export const findStatus = statement<{ id: string }, JobRow & { questions: StoredQuestion[][] }>(
  { ...JOB.check, questions: 'jsonb' },
  ({ id }) => sql`
  select ${JOB.columns('job')},
         (select coalesce(jsonb_agg(batch.questions order by batch.number), '[]')
            from generation_batches batch where batch.job_id = job.id) as questions
    from generation_jobs job where job.id = ${id}::uuid`,
)

/** In the order of the batches. */
export async function listQuestions(db: Executor, jobId: string): Promise<StoredQuestion[]> {
  const batches = await db
    .select({ questions: generationBatches.questions })
    .from(generationBatches)
    .where(eq(generationBatches.jobId, jobId))
    .orderBy(generationBatches.number)
  return batches.flatMap(({ questions }) => questions)
}

export type Draft = Pick<typeof generationDrafts.$inferSelect, 'number' | 'stage' | 'questions'>

/** Batches after the last completed one that are written. */
export async function listDrafts(db: Executor, { id, completedBatches }: JobRow): Promise<Draft[]> {
  return db
    .select({
      number: generationDrafts.number,
      stage: generationDrafts.stage,
      questions: generationDrafts.questions,
    })
    .from(generationDrafts)
    .where(and(eq(generationDrafts.jobId, id), gt(generationDrafts.number, completedBatches)))
    .orderBy(generationDrafts.number)
}

/** Stores what is written of a batch, as far as it has come. False if the claim is lost: then nothing is stored. */
export async function saveDraft(tx: Executor, claim: Claim, draft: Draft): Promise<boolean> {
  const held = await tx
    .select({ id: generationJobs.id })
    .from(generationJobs)
    .where(isHeldBy(claim))
    .for('no key update')
  if (held.length === 0) return false
  const { stage, questions } = draft
  await tx
    .insert(generationDrafts)
    .values({ jobId: claim.id, ...draft })
    .onConflictDoUpdate({
      target: [generationDrafts.jobId, generationDrafts.number],
      set: { stage, questions },
    })
  return true
}

/** Texts of an exam's questions that are read at once. */
const TEXTS_AT_ONCE = 500

interface ExamText {
  id: number
  text: string
}

/** How the texts of an exam are read. */
export interface ExamReader {
  /** Those with a greater id, by their ids, in slices. */
  after: (id: number) => AsyncIterable<readonly ExamText[]>
  /** Those of them that are still there. */
  find: (ids: number[]) => Promise<string[]>
}

/** Reads the texts of an exam's questions. */
export function examReader(db: Db, examId: number): ExamReader {
  const ofExam = eq(questions.examId, examId)
  return {
    async *after(id) {
      for (let last = id; ; ) {
        const rows = await db
          .select({ id: questions.id, text: questions.questionText })
          .from(questions)
          .where(and(ofExam, gt(questions.id, last)))
          .orderBy(questions.id)
          .limit(TEXTS_AT_ONCE)
        yield rows
        if (rows.length < TEXTS_AT_ONCE) return
        last = rows.at(-1)?.id ?? last
      }
    },
    async find(ids) {
      const rows = await db
        .select({ text: questions.questionText })
        .from(questions)
        .where(and(ofExam, inArray(questions.id, ids)))
      return rows.map(({ text }) => text)
    },
  }
}

/** The newest texts of an exam's questions, the very newest last. */
export async function listNewestTexts(db: Executor, examId: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ text: questions.questionText })
    .from(questions)
    .where(eq(questions.examId, examId))
    .orderBy(desc(questions.id))
    .limit(limit)
  return rows.map(({ text }) => text).reverse()
}

/** Makes the caller the job's only worker; undefined if the job has ended or is gone. */
export async function claimJob(db: Executor, id: string): Promise<JobRow | undefined> {
  const [row] = await query<JobRow>(
    db,
    JOB.check,
    sql`
    update generation_jobs set attempt = attempt + 1, waits_until = null where id = ${id} and status = 'running'
    returning ${JOB.columns()}`,
  )
  return row
}

export async function isClaimed(db: Executor, claim: Claim): Promise<boolean> {
  const rows = await db.select({ id: generationJobs.id }).from(generationJobs).where(isHeldBy(claim))
  return rows.length > 0
}

/** undefined if another worker has claimed the job; nothing is written then. */
export async function updateJob(
  db: Executor,
  claim: Claim,
  change: Partial<typeof generationJobs.$inferInsert>,
): Promise<JobRow | undefined> {
  const [row] = await db.update(generationJobs).set(change).where(isHeldBy(claim)).returning()
  return row
}

export interface WrittenBatch {
  /** 1, 2, 3 … */
  number: number
  /** Batches that the job will have, as far as is known. */
  total: number
  questions: StoredQuestion[]
}

/** Stores a batch and counts it. undefined if the claim is lost: then the transaction has to be undone. */
export async function insertBatch(
  db: Executor,
  claim: Claim,
  { number, total, questions }: WrittenBatch,
): Promise<JobRow | undefined> {
  const [row] = await query<JobRow>(
    db,
    JOB.check,
    sql`
    update generation_jobs
       set completed_batches = ${number}, total_batches = ${total},
           question_count = question_count + ${questions.length}
     where ${isHeldBy(claim)} and completed_batches = ${number - 1}
    returning ${JOB.columns()}`,
  )
  if (!row) return undefined
  await db.insert(generationBatches).values({ jobId: claim.id, number, questions })
  await db
    .delete(generationDrafts)
    .where(and(eq(generationDrafts.jobId, claim.id), lte(generationDrafts.number, number)))
  return row
}

/** Adds tokens to those of a job: they are spent, whoever works on it by now, and whether it was cancelled. */
export async function addTokens(
  db: Executor,
  id: string,
  use: 'writing' | 'checking',
  { input, cached, output }: Usage,
): Promise<void> {
  const { inputTokens, cachedTokens, outputTokens, ...checks } = generationJobs
  const { checkInputTokens, checkCachedTokens, checkOutputTokens } = checks
  await db
    .update(generationJobs)
    .set(
      use === 'writing'
        ? {
            inputTokens: plus(inputTokens, input),
            cachedTokens: plus(cachedTokens, cached),
            outputTokens: plus(outputTokens, output),
          }
        : {
            checkInputTokens: plus(checkInputTokens, input),
            checkCachedTokens: plus(checkCachedTokens, cached),
            checkOutputTokens: plus(checkOutputTokens, output),
          },
    )
    .where(eq(generationJobs.id, id))
}

const plus = (column: AnyPgColumn, count: number) => sql`${column} + ${count}`

/** Lets jobs go on that have waited until now; answers their ids, which have to be queued. */
export async function endWaits(tx: Executor, now: Date): Promise<string[]> {
  const rows = await tx
    .update(generationJobs)
    .set({ waitsUntil: null })
    .where(and(eq(generationJobs.status, 'running'), lte(generationJobs.waitsUntil, now)))
    .returning({ id: generationJobs.id })
  return rows.map(({ id }) => id)
}

/** Ends a running job of any worker; undefined if it isn't running. */
export async function stopJob(
  db: Executor,
  id: string,
  end: Pick<JobRow, 'message' | 'lastEvent' | 'error'>,
): Promise<JobRow | undefined> {
  const [row] = await db
    .update(generationJobs)
    .set({ ...end, status: 'failed', finishedAt: NOW })
    .where(and(eq(generationJobs.id, id), eq(generationJobs.status, 'running')))
    .returning()
  if (row) await deleteMaterial(db, id)
  return row
}

export async function listRunning(db: Executor): Promise<string[]> {
  const rows = await db
    .select({ id: generationJobs.id })
    .from(generationJobs)
    .where(eq(generationJobs.status, 'running'))
  return rows.map(({ id }) => id)
}

/** Deletes what only a running job needs: its PDF, and batches that are not completed. */
export async function deleteMaterial(db: Executor, jobId: string): Promise<void> {
  await db.delete(generationFiles).where(eq(generationFiles.jobId, jobId))
  await db.delete(generationDrafts).where(eq(generationDrafts.jobId, jobId))
}

function isHeldBy({ id, attempt }: Claim) {
  return and(
    eq(generationJobs.id, id),
    eq(generationJobs.attempt, attempt),
    eq(generationJobs.status, 'running'),
  )
}
