import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { SuccessMessage } from '../../../schemas/common.ts'
import {
  GenerateAnswer,
  GenerateForm,
  JobList,
  JobListQuery,
  JobParams,
  JobStatus,
} from '../../../schemas/generation.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { runInTurn } from '../../http/admission.ts'
import { actorOf, checkAgain } from '../../http/callers.ts'
import { endSignal } from '../../http/deadline.ts'
import { etagOf, isHeld, sendNotModified } from '../../http/etags.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { operations } from '../../http/operations.ts'
import { preferredWait } from '../../http/preferences.ts'
import { SharedBody } from '../../http/shared-body.ts'
import { describePage } from '../../paging.ts'
import * as service from './generation.service.ts'
import { type JobStatus as WatchedStatus, waitForJob } from './waiting-for-jobs.ts'

const LARGEST_PDF = 30 * 1024 * 1024
const LONGEST_WAIT_SECONDS = 25

/** Questions written by the model (docs/protocol/generation.md), at `/api/v01/admin/ai`. */
export const generationAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: generation')

  operation('generateQuestions', 'POST /generate', {
    summary: 'Start generating questions',
    ...takesForm,
    timeoutMs: 120_000,
    body: GenerateForm,
    accepted: GenerateAnswer,
    refuses: ['not_found', 'not_configured', 'too_many'],
    run: async (request) => {
      const input = await readGenerateForm(request)
      return { job_id: await service.startJob(core, actorOf(request), input) }
    },
  })
  await app.register(jobAdminRoutes, { core })
}

/** The routes of jobs that are the same in both generations. */
export const jobAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: generation')

  operation('getGenerationJob', 'GET /status/:job_id', {
    summary: 'A job’s progress and its questions so far',
    description:
      'With `Prefer: wait=<seconds>` (up to 25) and `If-None-Match` it is answered as soon as the job has changed.',
    params: JobParams,
    answer: JobStatus,
    refuses: ['not_found'],
    // Whoever waits needs nothing meanwhile.
    budget: 'none',
    run: async (request, reply) => {
      const id = request.params.job_id
      const seconds = preferredWait(request, LONGEST_WAIT_SECONDS)
      const known = request.headers['if-none-match']
      const inTurn = <T>(work: () => Promise<T>) => runInTurn(core.gate.light, request, work)
      if (seconds === undefined || known === undefined) return inTurn(() => service.getJob(core, id))
      request.deadline?.extend(seconds * 1_000)
      const job = await waitForJob(core, {
        id,
        userId: request.caller.userId,
        seconds,
        isKnown: (found) => isHeld(known, answerOf(found, reply).tag),
        inTurn,
        end: endSignal(request, reply),
        onWait: () => reply.header('preference-applied', `wait=${seconds}`),
      })
      const { tag, body } = answerOf(job, reply)
      if (isHeld(known, tag)) return sendNotModified(reply, tag)
      // The right to it may be gone since.
      await checkAgain(request)
      return body.send(request, reply.header('etag', tag))
    },
  })

  operation('listGenerationJobs', 'GET /jobs', {
    summary: 'Jobs, newest first',
    query: JobListQuery,
    answer: JobList,
    run: async ({ query }) => {
      const { jobs, total } = await service.listJobs(core, query.page)
      return { jobs, ...describePage(total, query.page, service.JOBS_PER_PAGE) }
    },
  })

  operation('cancelGenerationJob', 'POST /jobs/:job_id/cancel', {
    summary: 'Cancel a running job',
    description: 'It becomes `failed` with the error `cancelled` and keeps its completed batches.',
    params: JobParams,
    answer: SuccessMessage,
    refuses: ['not_found', 'already_finished'],
    run: async (request) => {
      await service.cancelJob(core, actorOf(request), request.params.job_id)
      return { message: 'The job was cancelled' }
    },
  })
}

/** Requests that wait for one job share what was read, and so its answer. */
const answers = new WeakMap<WatchedStatus, { tag: string; body: SharedBody }>()

function answerOf(job: WatchedStatus, reply: FastifyReply) {
  const known = answers.get(job)
  if (known) return known
  const json = String(reply.serialize({ success: true, ...job }))
  const answer = { tag: etagOf(json), body: new SharedBody(json) }
  answers.set(job, answer)
  return answer
}

/** Reads a job's input from the form of a request. */
export async function readGenerateForm(
  request: FastifyRequest,
  options: { older?: true } = {},
): Promise<service.JobInput> {
  const { fields, files } = await readForm(request, GenerateForm, { largest: LARGEST_PDF, files: 1 })
  const file = files.find(({ field }) => field === 'pdf_file')
  if (file?.truncated) throw new AppError('payload_too_large')
  return service.readJobInput(request.caller.userId, fields, file?.bytes, options)
}
