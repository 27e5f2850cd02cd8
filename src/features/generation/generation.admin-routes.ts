import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
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
import { failures } from '../../http/failures.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { describePage } from '../../paging.ts'
import * as service from './generation.service.ts'

const tags = ['admin: generation']
const success = true as const

const LARGEST_PDF = 30 * 1024 * 1024

/** Questions written by the model (docs/protocol/http.md#generation), at `/api/v01/admin/ai`. */
export const generationAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/generate',
    {
      ...takesForm,
      config: { ...takesForm.config, timeoutMs: 120_000 },
      schema: {
        operationId: 'generateQuestions',
        summary: 'Start generating questions',
        tags,
        consumes: ['multipart/form-data'],
        body: GenerateForm,
        response: { 202: GenerateAnswer, ...failures('not_found', 'not_configured', 'too_many') },
      },
    },
    async (request, reply) => {
      const input = await readGenerateForm(request)
      return reply.code(202).send({ success, job_id: await service.startJob(core, actorOf(request), input) })
    },
  )
  await app.register(jobAdminRoutes, { core })
}

/** The routes of jobs that are the same in both generations. */
export const jobAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/status/:job_id',
    {
      schema: {
        operationId: 'getGenerationJob',
        summary: 'A job’s progress and its questions so far',
        tags,
        params: JobParams,
        response: { 200: JobStatus, ...failures('not_found') },
      },
    },
    async ({ params }) => ({ success, ...(await service.getJob(core, params.job_id)) }),
  )

  app.get(
    '/jobs',
    {
      schema: {
        operationId: 'listGenerationJobs',
        summary: 'Jobs, newest first',
        tags,
        querystring: JobListQuery,
        response: { 200: JobList },
      },
    },
    async ({ query }) => {
      const { jobs, total } = await service.listJobs(core, query.page)
      return { success, jobs, ...describePage(total, query.page, service.JOBS_PER_PAGE) }
    },
  )

  app.post(
    '/jobs/:job_id/cancel',
    {
      schema: {
        operationId: 'cancelGenerationJob',
        summary: 'Cancel a running job',
        description: 'It becomes `failed` with the error `cancelled` and keeps its completed batches.',
        tags,
        params: JobParams,
        response: { 200: SuccessMessage, ...failures('not_found', 'already_finished') },
      },
    },
    async (request) => {
      await service.cancelJob(core, actorOf(request), request.params.job_id)
      return { success, message: 'The job was cancelled' }
    },
  )
}

/** Reads a job's input from the form of a request. */
export async function readGenerateForm(request: FastifyRequest): Promise<service.JobInput> {
  const { fields, files } = await readForm(request, GenerateForm, { largest: LARGEST_PDF, files: 1 })
  const file = files.find(({ field }) => field === 'pdf_file')
  if (file?.truncated) throw new AppError('payload_too_large')
  return service.readJobInput(request.caller.userId, fields, file?.bytes)
}
