import type { FastifyBaseLogger } from 'fastify'
import { requireAi } from '../../adapters/ai.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { every } from '../../scheduling/periodic.ts'
import { generation as measured } from '../../telemetry/metrics.ts'
import {
  BATCH_SIZE,
  describeCounts,
  MOST_BATCHES,
  missingOf,
  planBatches,
  type TypeCounts,
  totalOf,
} from './batch-planning.ts'
import { writeBatch } from './batch-writing.ts'
import { publishProgress, stopJob } from './generation.service.ts'
import * as store from './generation.store.ts'

/** How soon a worker notices that its job was cancelled or taken over. */
const LOOK_MS = 2_000

/** The job belongs to another worker now, or is over: nothing more may be written. */
class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

/**
 * Continues a job after its last completed batch. Every write checks the claim, so a worker that was frozen and
 * replaced changes nothing when it wakes up. Throws only errors that are worth another try.
 */
export async function runJob(core: Core, id: string, stopping: AbortSignal): Promise<void> {
  const job = await store.claimJob(core.db, id)
  if (!job) return
  const log = core.log.child({ job_id: id, attempt: job.attempt })
  const lost = new AbortController()
  const watching = every(
    LOOK_MS,
    'watching a job',
    async () => {
      if (!(await store.isClaimed(core.db, job))) lost.abort()
    },
    log,
  )
  measured.running.inc()
  try {
    await writeBatches(core, job, AbortSignal.any([stopping, lost.signal]), log)
  } catch (error) {
    if (error instanceof ClaimLost || !(await store.isClaimed(core.db, job)))
      log.info('the job was taken over or ended')
    else if (error instanceof AppError && !stopping.aborted) {
      log.warn({ code: error.code }, 'the job failed')
      await fail(core, job, error.message)
    } else throw error
  } finally {
    measured.running.dec()
    await watching.close()
  }
}

/** Fails a job that was tried too often: its workers died. */
export async function giveUp(core: Core, id: string): Promise<void> {
  const error = 'The job was interrupted too often'
  await stopJob(core, id, { message: error, lastEvent: 'failed', error })
}

/** Fails jobs that were started when the node had a model, which it no longer has. */
export async function failUnfinished(core: Core): Promise<void> {
  const error = 'The service was restarted without ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL'
  for (const id of await store.listRunning(core.db))
    await stopJob(core, id, { message: error, lastEvent: 'failed', error })
}

async function writeBatches(core: Core, job: store.JobRow, signal: AbortSignal, log: FastifyBaseLogger) {
  const ai = requireAi(core)
  const { request, examId } = job
  const pdf = await store.findPdf(core.db, job.id)
  // A document goes when its job ends.
  if (!pdf && request.mode !== 'pure') throw new ClaimLost()
  const plan = planBatches(request.counts)
  // Without counts all questions of a document are taken; without a document one batch is written.
  const takesAll = plan.length === 0 && request.mode === 'extract'
  const last = takesAll ? MOST_BATCHES : Math.max(1, plan.length)
  const taken = (await store.listQuestions(core.db, job.id)).map(({ question_text }) => question_text)
  let mayHoldMore = takesAll

  for (let number = job.completedBatches + 1; number <= last; number++) {
    await report(core, job, {
      lastEvent: `batch_start:${number}`,
      message: takesAll ? `Working on batch ${number}` : `Working on batch ${number} of ${last}`,
    })
    const wanted = plan[number - 1]
    const batch = await writeBatch(ai, { examId, request, pdf, wanted, taken, signal, log })
    mayHoldMore = takesAll && batch.questions.length > 0
    // While the document may contain more, one more batch is expected, so `percent` never falls.
    const total = takesAll ? Math.min(number + Number(mayHoldMore), last) : last
    await checkpoint(core, job, { number, total, ...batch })
    taken.push(...batch.questions.map(({ question_text }) => question_text))
    if (takesAll && !mayHoldMore) break
  }
  await finish(core, job, mayHoldMore)
}

/** Stores a batch: the job continues from here, on whichever node. */
async function checkpoint(core: Core, claim: store.Claim, batch: store.WrittenBatch) {
  const stored = await core.db.transaction((tx) => store.insertBatch(tx, claim, batch))
  if (!stored) throw new ClaimLost()
  publishProgress(core, stored)
}

async function report(core: Core, claim: store.Claim, change: Parameters<typeof store.updateJob>[2]) {
  const updated = await store.updateJob(core.db, claim, change)
  if (!updated) throw new ClaimLost()
  publishProgress(core, updated)
}

async function finish(core: Core, job: store.JobRow, mayHoldMore: boolean): Promise<void> {
  const questions = await store.listQuestions(core.db, job.id)
  if (questions.length === 0) {
    await fail(core, job, 'The model brought no usable question')
    return
  }
  const { mode, counts } = job.request
  const message =
    mode !== 'extract' && totalOf(counts) === 0 && questions.length < BATCH_SIZE
      ? `${questions.length} of ${BATCH_SIZE} questions are ready`
      : describeEnd(questions.length, missingOf(counts, questions), mayHoldMore)
  await end(core, job, { status: 'done', lastEvent: 'done', message })
}

function describeEnd(count: number, missing: TypeCounts, mayHoldMore: boolean): string {
  const short = totalOf(missing)
  if (mayHoldMore) return `${count} questions are ready; the document may hold more`
  if (short === 0) return `${count} questions are ready`
  return `${count} of ${count + short} questions are ready; missing: ${describeCounts(missing)}`
}

function fail(core: Core, claim: store.Claim, error: string): Promise<void> {
  return end(core, claim, { status: 'failed', lastEvent: 'failed', message: error, error })
}

async function end(core: Core, claim: store.Claim, change: Parameters<typeof store.updateJob>[2]) {
  const ended = await core.db.transaction(async (tx) => {
    const row = await store.updateJob(tx, claim, { ...change, finishedAt: new Date(core.clock()) })
    if (row) await store.deletePdf(tx, claim.id)
    return row
  })
  if (!ended) throw new ClaimLost()
  if (ended.status !== 'running') measured.jobs.inc({ state: ended.status })
  publishProgress(core, ended)
}
