import type { FastifyPluginAsync } from 'fastify'
import { IdParams, Success } from '../../schemas/common.ts'
import { ReleaseBody } from '../../schemas/exams.schemas.ts'
import { Released } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import * as service from '../features/exams/exams.service.ts'
import { actorOf } from '../http/callers.ts'
import { operations } from '../http/operations.ts'

/** Exams as the older generation keeps them, at `/admin/exams`. */
export const examLegacyRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'older: admin')

  operation('deleteExam', 'DELETE /:id', {
    summary: 'Delete an exam with its questions, attempts, results and discussions',
    params: IdParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      await service.deleteExam(core, actorOf(request), request.params.id)
    },
  })

  operation('releaseResults', 'POST /:id/toggle-results', {
    summary: 'Release or withhold the results',
    params: IdParams,
    body: ReleaseBody,
    answer: Released,
    refuses: ['not_found'],
    run: async (request) => {
      const { released } = await service.releaseResults(
        core,
        actorOf(request),
        request.params.id,
        request.body.released,
      )
      return { released }
    },
  })
}
