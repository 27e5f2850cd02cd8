import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
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
import { actorOf } from '../../http/callers.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as service from './generation.service.ts'

const LARGEST_PDF = 30 * 1024 * 1024

/** Questions written by the model (docs/protocol/http.md#generation), at `/api/v01/admin/ai`. */
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
    params: JobParams,
    answer: JobStatus,
    refuses: ['not_found'],
    run: ({ params }) => service.getJob(core, params.job_id),
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

/** Reads a job's input from the form of a request. */
export async function readGenerateForm(request: FastifyRequest): Promise<service.JobInput> {
  const { fields, files } = await readForm(request, GenerateForm, { largest: LARGEST_PDF, files: 1 })
  const file = files.find(({ field }) => field === 'pdf_file')
  if (file?.truncated) throw new AppError('payload_too_large')
  return service.readJobInput(request.caller.userId, fields, file?.bytes)
}
