import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams, Success } from '../../schemas/common.ts'
import { ReleaseBody } from '../../schemas/exams.schemas.ts'
import { Released } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import * as service from '../features/exams/exams.service.ts'
import { actorOf } from '../http/callers.ts'
import { failures } from '../http/failures.ts'

const tags = ['older: admin']
const success = true as const

/** Exams as the older generation keeps them, at `/admin/exams`. */
export const examLegacyRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteExam',
        summary: 'Delete an exam with its questions, attempts, results and discussions',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await service.deleteExam(core, actorOf(request), request.params.id)
      return { success }
    },
  )

  app.post(
    '/:id/toggle-results',
    {
      schema: {
        operationId: 'releaseResults',
        summary: 'Release or withhold the results',
        tags,
        params: IdParams,
        body: ReleaseBody,
        response: { 200: Released, ...failures('not_found') },
      },
    },
    async (request) => {
      const { released } = await service.releaseResults(
        core,
        actorOf(request),
        request.params.id,
        request.body.released,
      )
      return { success, released }
    },
  )
}
