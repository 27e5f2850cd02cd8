import { and, desc, eq, sql } from 'drizzle-orm'
import type { GeneratedQuestion } from '../../../schemas/generation.schemas.ts'
import type { Usage } from '../../adapters/ai.ts'
import type { Executor } from '../../db/database-client.ts'
import { NOW, only, query } from '../../db/query.ts'
import { rowOf } from '../../db/rows.ts'
import { generationBatches, generationFiles, generationJobs } from '../../db/tables/generation.tables.ts'

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
  const [row] = await query<JobRow>(
    db,
    JOB.check,
    sql`
    update generation_jobs set attempt = attempt + 1 where id = ${id} and status = 'running'
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
  questions: GeneratedQuestion[]
  usage: Usage
}

/** Stores a batch and counts it. undefined if the claim is lost: then the transaction has to be undone. */
export async function insertBatch(
  db: Executor,
  claim: Claim,
  { number, total, questions, usage }: WrittenBatch,
): Promise<JobRow | undefined> {
  const [row] = await query<JobRow>(
    db,
    JOB.check,
    sql`
    update generation_jobs
       set completed_batches = ${number}, total_batches = ${total},
           question_count = question_count + ${questions.length}, input_tokens = input_tokens + ${usage.input},
           cached_tokens = cached_tokens + ${usage.cached}, output_tokens = output_tokens + ${usage.output}
     where ${isHeldBy(claim)} and completed_batches = ${number - 1}
    returning ${JOB.columns()}`,
  )
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
    .set({ ...end, status: 'failed', finishedAt: NOW })
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

function isHeldBy({ id, attempt }: Claim) {
  return and(
    eq(generationJobs.id, id),
    eq(generationJobs.attempt, attempt),
    eq(generationJobs.status, 'running'),
  )
}
