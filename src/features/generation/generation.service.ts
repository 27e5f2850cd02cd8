import type {
  GenerateForm,
  GenerationRequest,
  JobProgress,
  JobQuestion,
  JobUsage,
} from '../../../schemas/generation.schemas.ts'
import type { Actor } from '../../actor.ts'
import { requireAi } from '../../adapters/ai.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { lockPerson } from '../../db/locks.ts'
import type { StoredQuestion } from '../../db/tables/generation.tables.ts'
import { AppError, invalidFields } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { generation as measured } from '../../telemetry/metrics.ts'
import { countJob } from '../ai-usage/ai-usage.service.ts'
import { record } from '../audit/audit.service.ts'
import { disputedLast, planBatches } from './batch-planning.ts'
import { UNCHECKED } from './checking.ts'
import * as store from './generation.store.ts'
import { countPages, isPdf } from './pdf.ts'

export const JOBS_PER_PAGE = 50
const MODES = { extract: 'those of a file', mine: 'new ones from a file', pure: 'about a topic' } as const

/** What the Messages API takes in one request. */
export const MOST_PAGES = 100
/** Jobs of one person that run or wait. Each may hold a PDF of 30 MiB until it ends. */
const MOST_RUNNING = 50

export interface JobInput {
  userId: number
  examId: number
  request: GenerationRequest
  pdf: Buffer | undefined
}

/** A form's fields as a job's input, defaults filled in; 400 for what contradicts itself. */
export async function readJobInput(
  userId: number,
  form: GenerateForm,
  file: Buffer | undefined,
  { older }: { older?: true } = {},
): Promise<JobInput> {
  const { mode } = form
  const counts = { MCQ: form.mcq_count, MSQ: form.msq_count, NUMERIC: form.numeric_count }
  const wrong: { path: string; message: string }[] = []
  if (mode === 'pure' && !form.topic) wrong.push({ path: '/topic', message: 'is required for this mode' })
  const pdfError = mode === 'pure' ? undefined : await checkPdf(file)
  if (pdfError) wrong.push({ path: '/pdf_file', message: pdfError })
  const excludedTexts = readTexts(form.excluded_texts)
  if (!excludedTexts) wrong.push({ path: '/excluded_texts', message: 'is no JSON array of texts' })
  if (!excludedTexts || wrong.length > 0) throw invalidFields(wrong)
  return {
    userId,
    examId: form.exam_id,
    pdf: mode === 'pure' ? undefined : file,
    request: {
      mode,
      counts,
      difficulty: form.difficulty,
      topic: mode === 'pure' ? (form.topic ?? '') : '',
      instructions: form.custom_instructions ?? '',
      excludedTexts,
      ...(older ? { older } : { check: form.check }),
      marks: {
        MCQ: { positive: form.mcq_plus, negative: form.mcq_minus, tolerance: 0 },
        MSQ: { positive: form.msq_plus, negative: form.msq_minus, tolerance: 0 },
        NUMERIC: { positive: form.numeric_plus, negative: 0, tolerance: form.numeric_tolerance },
      },
    },
  }
}

/** What is wrong with a file; undefined where nothing is. */
async function checkPdf(file: Buffer | undefined): Promise<string | undefined> {
  if (!file || file.length === 0) return 'is required for this mode'
  if (!isPdf(file)) return 'is no PDF'
  const isLong = (await countPages(file, MOST_PAGES + 1)) > MOST_PAGES
  return isLong ? `has more than ${MOST_PAGES} pages` : undefined
}

/** undefined for what is no JSON array of texts. */
function readTexts(json: string | undefined): string[] | undefined {
  if (!json) return []
  try {
    const texts: unknown = JSON.parse(json)
    if (
      Array.isArray(texts) &&
      texts.every((text) => typeof text === 'string' && text.isWellFormed() && !text.includes('\0'))
    )
      return texts
  } catch {}
  return undefined
}

/** Queues a job; it runs on whichever node is free. 503 `not_configured`, 404 for an unknown exam. */
export async function startJob(
  core: Core,
  actor: Actor,
  { userId, examId, request, pdf }: JobInput,
): Promise<string> {
  requireAi(core)
  const createdAt = new Date(core.clock())
  const job = {
    createdAt,
    userId,
    examId,
    request,
    message: 'Waiting for a worker',
    lastEvent: 'queued',
    // Nobody knows in advance how many questions a document contains.
    totalBatches: planBatches(request.counts).length || 1,
  }
  const id = await core.db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    if ((await store.countRunning(tx, userId)) >= MOST_RUNNING) throw new AppError('too_many')
    const inserted = await store.insertJob(tx, job, pdf)
    await core.jobs.add(tx, 'generation', inserted.id)
    await record(tx, actor, {
      action: 'generation_job.start',
      subject: ['generation_job', inserted.id],
      summary: `Questions for exam ${examId} (${MODES[request.mode]})`,
    })
    await countJob(core, tx, createdAt)
    return inserted.id
  })
  core.jobs.wake('generation')
  measured.jobs.inc({ state: 'asked' })
  return id
}

/** A job with its questions, both as of one instant. */
export async function getJob(core: Core, id: string) {
  const [found] = UUID.test(id) ? await store.findStatus(core.db, { id }) : []
  if (!found) throw new AppError('not_found')
  const { questions, ...job } = found
  const all = questions.flat().map(toJobQuestion)
  return {
    ...toProgress(job),
    questions: job.request.mode === 'extract' ? all : disputedLast(all),
    usage: toUsage(job),
  }
}

/** Of those that 1.0 stored, nobody has said what an image shows. */
function toJobQuestion(stored: StoredQuestion): JobQuestion {
  const { check = UNCHECKED, source = null, image_alt = '', ...question } = stored
  return { ...question, image_alt, check, source }
}

function toUsage(job: store.JobRow): JobUsage {
  return {
    input: job.inputTokens,
    cached: job.cachedTokens,
    output: job.outputTokens,
    checks: { input: job.checkInputTokens, cached: job.checkCachedTokens, output: job.checkOutputTokens },
  }
}

/** Newest first. */
export async function listJobs(core: Core, page: number) {
  const [jobs, total] = await Promise.all([
    store.listJobs(core.db, JOBS_PER_PAGE, offsetOf(page, JOBS_PER_PAGE)),
    store.countJobs(core.db),
  ])
  const rows = jobs.map((job) => ({
    ...toProgress(job),
    exam_id: job.examId,
    mode: job.request.mode,
    created_at: job.createdAt.toISOString(),
    finished_at: job.finishedAt?.toISOString() ?? null,
  }))
  return { jobs: rows, total }
}

/** Completed batches stay. Cancelling twice is fine. */
export async function cancelJob(core: Core, actor: Actor, id: string): Promise<void> {
  await requireJob(core.db, id)
  const end = { message: 'Cancelled', lastEvent: 'cancelled', error: 'cancelled' }
  const cancelled = await stopJob(core, id, end, (tx) =>
    record(tx, actor, {
      action: 'generation_job.cancel',
      subject: ['generation_job', id.toLowerCase()],
      summary: 'The job was cancelled',
    }),
  )
  if (cancelled) return
  const job = await requireJob(core.db, id)
  if (job.error !== 'cancelled') throw new AppError('already_finished')
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** 404 also for what is no UUID. */
export async function requireJob(db: Executor, id: string): Promise<store.JobRow> {
  const job = UUID.test(id) ? await store.findJob(db, id) : undefined
  if (!job) throw new AppError('not_found')
  return job
}

/** Ends a running job and runs `andThen` in the same transaction; false if it isn't running. */
export async function stopJob(
  core: Core,
  id: string,
  end: Pick<store.JobRow, 'message' | 'lastEvent' | 'error'>,
  andThen?: (tx: Executor) => Promise<void>,
) {
  const job = await core.db.transaction(async (tx) => {
    const stopped = await store.stopJob(tx, id, end)
    if (stopped) await andThen?.(tx)
    return stopped
  })
  if (job) {
    measured.jobs.inc({ state: 'failed' })
    publishProgress(core, job)
  }
  return job !== undefined
}

export function publishProgress(core: Core, job: store.JobRow): void {
  core.bus.publish(`ai_job:${job.id}`, { kind: 'frame', frame: { type: 'ai_job', ...toProgress(job) } })
}

function toProgress(job: store.JobRow): JobProgress {
  const { id, status, message, lastEvent, totalBatches, completedBatches, questionCount, error } = job
  return {
    job_id: id,
    status,
    message,
    last_event: lastEvent,
    total_batches: totalBatches,
    completed_batches: completedBatches,
    questions_so_far: questionCount,
    percent: status === 'done' ? 100 : Math.floor((completedBatches / totalBatches) * 100),
    error,
  }
}
