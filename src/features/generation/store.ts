import { and, count, desc, eq, sql } from 'drizzle-orm'
import type { GeneratedQuestion } from '../../../schemas/admin/generation.ts'
import type { Usage } from '../../adapters/ai.ts'
import type { Executor } from '../../db/client.ts'
import { only } from '../../db/query.ts'
import { generationBatches, generationFiles, generationJobs } from '../../db/tables/exams/generation.ts'

export type JobRow = typeof generationJobs.$inferSelect

/** Names the worker of a write: a job belongs to the newest of its workers until it ends. */
export interface Claim {
  id: string
  attempt: number
}

/** Bytes of a PDF that the driver writes or reads at once. */
const PIECE = 1024 * 1024

export async function insertJob(
  db: Executor,
  job: typeof generationJobs.$inferInsert,
  pdf: Buffer | undefined,
): Promise<JobRow> {
  const inserted = only(await db.insert(generationJobs).values(job).returning())
  for (let number = 0; pdf && number * PIECE < pdf.length; number++) {
    const bytes = pdf.subarray(number * PIECE, (number + 1) * PIECE)
    await db.insert(generationFiles).values({ jobId: inserted.id, number, bytes })
  }
  return inserted
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
  const [row] = await db.select({ count: count() }).from(generationJobs)
  return row?.count ?? 0
}

/** Jobs of this person that have not ended. */
export async function countRunning(db: Executor, userId: number): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(generationJobs)
    .where(and(eq(generationJobs.userId, userId), eq(generationJobs.status, 'running')))
  return row?.count ?? 0
}

export async function findPdf(db: Executor, jobId: string): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for (;;) {
    const [row] = await db
      .select({ bytes: generationFiles.bytes })
      .from(generationFiles)
      .where(and(eq(generationFiles.jobId, jobId), eq(generationFiles.number, pieces.length)))
    if (!row) break
    pieces.push(row.bytes)
  }
  return pieces.length > 0 ? Buffer.concat(pieces) : undefined
}

/** In the order of the batches. */
export async function listQuestions(db: Executor, jobId: string): Promise<GeneratedQuestion[]> {
  const batches = await db
    .select({ questions: generationBatches.questions })
    .from(generationBatches)
    .where(eq(generationBatches.jobId, jobId))
    .orderBy(generationBatches.number)
  return batches.flatMap(({ questions }) => questions)
}

/** Makes the caller the job's only worker; undefined if the job has ended or is gone. */
export async function claimJob(db: Executor, id: string): Promise<JobRow | undefined> {
  const [row] = await db
    .update(generationJobs)
    .set({ attempt: sql`${generationJobs.attempt} + 1` })
    .where(and(eq(generationJobs.id, id), eq(generationJobs.status, 'running')))
    .returning()
  return row
}

export async function isClaimed(db: Executor, claim: Claim): Promise<boolean> {
  const rows = await db.select({ id: generationJobs.id }).from(generationJobs).where(held(claim))
  return rows.length > 0
}

/** undefined if another worker has claimed the job; nothing is written then. */
export async function updateJob(
  db: Executor,
  claim: Claim,
  change: Partial<typeof generationJobs.$inferInsert>,
): Promise<JobRow | undefined> {
  const [row] = await db.update(generationJobs).set(change).where(held(claim)).returning()
  return row
}

export interface WrittenBatch {
  /** 1, 2, 3 … */
  number: number
  /** Batches that the job will have, as far as is known. */
  total: number
  questions: GeneratedQuestion[]
  usage: Usage
}

/** Stores a batch and counts it. undefined if the claim is lost: then the transaction has to be undone. */
export async function insertBatch(
  db: Executor,
  claim: Claim,
  { number, total, questions, usage }: WrittenBatch,
): Promise<JobRow | undefined> {
  const [row] = await db
    .update(generationJobs)
    .set({
      completedBatches: number,
      totalBatches: total,
      questionCount: sql`${generationJobs.questionCount} + ${questions.length}`,
      inputTokens: sql`${generationJobs.inputTokens} + ${usage.input}`,
      cachedTokens: sql`${generationJobs.cachedTokens} + ${usage.cached}`,
      outputTokens: sql`${generationJobs.outputTokens} + ${usage.output}`,
    })
    .where(and(held(claim), eq(generationJobs.completedBatches, number - 1)))
    .returning()
  if (row) await db.insert(generationBatches).values({ jobId: claim.id, number, questions })
  return row
}

/** Ends a running job of any worker; undefined if it isn't running. */
export async function stopJob(
  db: Executor,
  id: string,
  end: Pick<JobRow, 'message' | 'lastEvent' | 'error'>,
): Promise<JobRow | undefined> {
  const [row] = await db
    .update(generationJobs)
    .set({ ...end, status: 'failed', finishedAt: sql`now()` })
    .where(and(eq(generationJobs.id, id), eq(generationJobs.status, 'running')))
    .returning()
  if (row) await deletePdf(db, id)
  return row
}

export async function listRunning(db: Executor): Promise<string[]> {
  const rows = await db
    .select({ id: generationJobs.id })
    .from(generationJobs)
    .where(eq(generationJobs.status, 'running'))
  return rows.map(({ id }) => id)
}

export async function deletePdf(db: Executor, jobId: string): Promise<void> {
  await db.delete(generationFiles).where(eq(generationFiles.jobId, jobId))
}

function held({ id, attempt }: Claim) {
  return and(
    eq(generationJobs.id, id),
    eq(generationJobs.attempt, attempt),
    eq(generationJobs.status, 'running'),
  )
}
