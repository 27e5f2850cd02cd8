import type { FastifyBaseLogger } from 'fastify'
import type { GenerationRequest, QuestionCheck } from '../../../schemas/generation.schemas.ts'
import { requireAi } from '../../adapters/ai.ts'
import type { Core } from '../../core.ts'
import type { StoredQuestion } from '../../db/tables/generation.tables.ts'
import { AppError } from '../../errors.ts'
import { readPdfText } from '../../formats/reading.ts'
import { every } from '../../scheduling/periodic.ts'
import { generation as measured } from '../../telemetry/metrics.ts'
import { BudgetExceeded, countQuestions, freeTokens, writeWithin } from '../ai-usage/ai-usage.service.ts'
import {
  BATCH_SIZE,
  describeCounts,
  MOST_BATCHES,
  missingOf,
  planBatches,
  type TypeCounts,
  totalOf,
} from './batch-planning.ts'
import { type JobMaterial, type ModelOfJob, rewriteDisputed, writeBatch } from './batch-writing.ts'
import { checkQuestions, UNCHECKED } from './checking.ts'
import { ExamTexts, KnownTexts } from './duplicates.ts'
import { MOST_PAGES, publishProgress, stopJob } from './generation.service.ts'
import * as store from './generation.store.ts'
import { hasSources, TOLD_TEXTS } from './generation-prompts.ts'
import { countPages } from './pdf.ts'
import { Pages } from './sources.ts'

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
  await freeTokens(core, id)
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
    else if (error instanceof BudgetExceeded) await wait(core, job, error)
    else if (error instanceof AppError && !stopping.aborted) {
      log.warn({ code: error.code }, 'the job failed')
      await fail(core, job, error.message)
    } else throw error
  } finally {
    measured.running.dec()
    await watching.close()
  }
}

/** The longest that a job waits before it looks again: operators change budgets too. */
const LONGEST_WAIT_MS = 600_000

/** Lets the job rest until there may be tokens again. Nothing of it is in the queue meanwhile. */
async function wait(core: Core, job: store.JobRow, { isSpent, retryAfter = 0 }: BudgetExceeded) {
  const waitMs = Math.min(retryAfter * 1_000, LONGEST_WAIT_MS)
  const waiting = await store.updateJob(core.db, job, {
    ...(isSpent
      ? { lastEvent: 'budget_spent', message: 'Waiting: the budget of tokens for this day is spent' }
      : {
          lastEvent: 'budget_reserved',
          message: 'Waiting: others use what is left of the budget of tokens',
        }),
    waitsUntil: new Date(core.clock() + waitMs),
  })
  if (waiting) publishProgress(core, waiting)
}

/** Queues the jobs whose waiting has ended. */
export async function resumeWaiting(core: Core): Promise<void> {
  const resumed = await core.db.transaction(async (tx) => {
    const ids = await store.endWaits(tx, new Date(core.clock()))
    for (const id of ids) await core.jobs.add(tx, 'generation', id)
    return ids
  })
  if (resumed.length > 0) core.jobs.wake('generation')
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

/** Writes the batches one after another; meanwhile the one before is checked. */
async function writeBatches(core: Core, job: store.JobRow, end: AbortSignal, log: FastifyBaseLogger) {
  const { request } = job
  const failed = new AbortController()
  const signal = AbortSignal.any([end, failed.signal])
  const material = await collectMaterial(core, job, signal, log)
  const write = modelFor(core, job)
  const plan = planBatches(request.counts)
  // Without counts all questions of a document are taken; without a document one batch is written.
  const takesAll = plan.length === 0 && request.mode === 'extract'
  const last = takesAll ? MOST_BATCHES : Math.max(1, plan.length)
  const drafts = await store.listDrafts(core.db, job)
  const taken = [
    ...(await material.exam.newest()),
    ...request.excludedTexts,
    ...textsOf(await store.listQuestions(core.db, job.id)),
    ...textsOf(drafts.flatMap(({ questions }) => questions)),
  ]
  await material.known.add(taken)
  // While the document may contain more, one more batch is expected, so `percent` never falls.
  const expect = (number: number, { length }: StoredQuestion[]) =>
    takesAll ? Math.min(number + Math.sign(length), last) : last

  /** Batches are completed in their order. */
  let completing: Promise<unknown> = Promise.resolve()
  const complete = (draft: store.Draft) => {
    const completed = completing.then(() =>
      completeBatch(core, job, { write, material, draft, taken, expect }),
    )
    completing = completed
    // Whoever writes the next batch meanwhile needn't go on.
    completed.catch((error: unknown) => failed.abort(error))
    return completed
  }
  let mayHoldMore = takesAll
  try {
    for (const draft of drafts) void complete(draft)
    const first = drafts.at(-1)?.number ?? job.completedBatches
    for (let number = first + 1; number <= last; number++) {
      const before = completing
      const questions = await writeBatch(write, material, {
        wanted: plan[number - 1],
        taken,
        onStart: () =>
          report(core, job, {
            lastEvent: `batch_start:${number}`,
            message: takesAll ? `Working on batch ${number}` : `Working on batch ${number} of ${last}`,
          }),
        // Else a job would never end whose model brings too few while a day has tokens for one request.
        isLastChance: job.lastEvent === 'budget_spent' && number === first + 1,
      })
      taken.push(...textsOf(questions))
      mayHoldMore = takesAll && questions.length > 0
      const draft: store.Draft = { number, stage: 'written', questions }
      // What is completed at once needn't be stored twice.
      if (isChecked(request) && questions.length > 0) await keepDraft(core, job, draft)
      await before
      void complete(draft)
      if (takesAll && !mayHoldMore) break
    }
  } catch (error) {
    // What is written already is worth its tokens, and what those took is counted.
    await completing.catch(() => {})
    throw failed.signal.aborted ? failed.signal.reason : error
  }
  await completing
  await finish(core, job, mayHoldMore)
}

function textsOf(questions: readonly StoredQuestion[]): string[] {
  return questions.map(({ question_text }) => question_text)
}

function isChecked({ check, older }: GenerationRequest): boolean {
  return check === true && !older
}

async function collectMaterial(
  core: Core,
  { id, request, examId }: store.JobRow,
  signal: AbortSignal,
  log: FastifyBaseLogger,
): Promise<JobMaterial> {
  const bytes = await store.findPdf(core.db, id)
  // A document goes when its job ends.
  if (!bytes && request.mode !== 'pure') throw new ClaimLost()
  const pdf = bytes && { pdf: bytes, pages: await countPages(bytes, MOST_PAGES) }
  const pages = bytes && hasSources(request) ? readPages(bytes, signal, log) : Promise.resolve(undefined)
  return {
    examId,
    request,
    pdf,
    pages,
    known: new KnownTexts(),
    exam: {
      newest: () => store.listNewestTexts(core.db, examId, TOLD_TEXTS),
      texts: new ExamTexts(store.examReader(core.db, examId)),
    },
    signal,
    log,
  }
}

/** undefined where the file can't be read: that costs the job nothing but its sources. */
async function readPages(pdf: Buffer, signal: AbortSignal, log: FastifyBaseLogger) {
  try {
    return new Pages(await readPdfText(pdf, signal))
  } catch (error) {
    log.info(
      { failure: error instanceof Error ? error.name : typeof error },
      'the text of a PDF could not be read',
    )
    return undefined
  }
}

/** The model, which counts what this job takes. */
function modelFor(core: Core, job: store.JobRow): ModelOfJob {
  return (use, prompt, options) =>
    writeWithin(
      core,
      {
        jobId: job.id,
        startedAt: job.createdAt,
        use,
        note: (db, usage) => store.addTokens(db, job.id, use, usage),
        onCounted: () => core.bus.publish(`ai_job:${job.id}`, { kind: 'usage' }),
      },
      prompt,
      options,
    )
}

/**
 * Checks a batch, has what is disputed written anew, checks that too, and completes the batch. After each step it is
 * stored, so that another worker goes on with the next one.
 */
async function completeBatch(
  core: Core,
  job: store.JobRow,
  {
    write,
    material,
    draft,
    taken,
    expect,
  }: {
    write: ModelOfJob
    material: JobMaterial
    draft: store.Draft
    taken: string[]
    expect: (number: number, questions: StoredQuestion[]) => number
  },
) {
  const { request, signal, log } = material
  const { number } = draft
  let { stage, questions } = draft
  if (isChecked(request) && questions.length > 0) {
    const pages = await material.pages
    const check = (unchecked: StoredQuestion[]) =>
      checkQuestions(write, unchecked, {
        model: requireAi(core).checkModel,
        pageOf: ({ source }) => (source?.found ? (pages?.textOf(source.page) ?? '') : ''),
        signal,
        log,
      })
    if (stage === 'written') {
      questions = await check(questions)
      const isDisputed = questions.some(({ check }) => check?.verdict === 'disputed')
      if (isDisputed && request.mode !== 'extract') {
        stage = 'disputed'
        await keepDraft(core, job, { number, stage, questions })
      }
    }
    if (stage === 'disputed') {
      questions = await rewriteDisputed(write, material, questions, taken)
      const written = questions.filter(({ check }) => !check)
      taken.push(...textsOf(written))
      if (written.length > 0) {
        stage = 'rewritten'
        await keepDraft(core, job, { number, stage, questions })
      }
    }
    if (stage === 'rewritten') {
      const checked = await check(questions.filter((question) => !question.check))
      questions = questions.map((question) => (question.check ? question : (checked.shift() ?? question)))
    }
  }
  const isComplete = { number, total: expect(number, questions), questions: questions.map(withCheck) }
  await checkpoint(core, job, isComplete)
}

function withCheck(question: StoredQuestion): CheckedQuestion {
  return { ...question, check: question.check ?? UNCHECKED, source: question.source ?? null }
}

/** Stores a batch that isn't completed: the job continues from here, on whichever node. */
async function keepDraft(core: Core, claim: store.Claim, draft: store.Draft): Promise<void> {
  const isStored = await core.db.transaction((tx) => store.saveDraft(tx, claim, draft))
  if (!isStored) throw new ClaimLost()
}

/** Completes a batch, and counts its questions. */
async function checkpoint(core: Core, job: store.JobRow, batch: CompletedBatch) {
  const stored = await core.db.transaction(async (tx) => {
    const row = await store.insertBatch(tx, job, batch)
    const verdicts = batch.questions.map(({ check }) => check.verdict)
    if (row) await countQuestions(core, tx, job.createdAt, verdicts)
    return row
  })
  if (!stored) throw new ClaimLost()
  publishProgress(core, stored)
}

type CheckedQuestion = StoredQuestion & { check: QuestionCheck }
type CompletedBatch = Omit<store.WrittenBatch, 'questions'> & { questions: CheckedQuestion[] }

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
    if (row) await store.deleteMaterial(tx, claim.id)
    return row
  })
  if (!ended) throw new ClaimLost()
  if (ended.status !== 'running') measured.jobs.inc({ state: ended.status })
  publishProgress(core, ended)
}
