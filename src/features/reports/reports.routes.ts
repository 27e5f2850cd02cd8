import type { FastifyPluginAsync } from 'fastify'
import { IdParams } from '../../../schemas/common.ts'
import { NewReport, Reported } from '../../../schemas/reports.schemas.ts'
import type { Core } from '../../core.ts'
import { viewerOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import * as service from './reports.service.ts'

/** Telling administrators of a message or a comment, at `/api/v01`, for signed-in people. */
export const reportRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const shared = {
    description: 'If the same person reports it again, the answer is 200 with the first report.',
    params: IdParams,
    body: NewReport,
    answer: Reported,
    created: Reported,
    refuses: ['not_found', 'too_many'],
  } as const

  operations(app, 'chat')('reportMessage', 'POST /chat/messages/:id/report', {
    ...shared,
    summary: 'Report a message',
    run: async ({ caller, params, body }, reply) => {
      const { id, repeated } = await service.reportMessage(core, caller.userId, params.id, body.reason)
      reply.code(repeated ? 200 : 201)
      return { report_id: id }
    },
  })

  operations(app, 'discussions')('reportComment', 'POST /discussions/comments/:id/report', {
    ...shared,
    summary: 'Report a comment',
    run: async ({ caller, params, body }, reply) => {
      const { id, repeated } = await service.reportComment(core, viewerOf(caller), params.id, body.reason)
      reply.code(repeated ? 200 : 201)
      return { report_id: id }
    },
  })
}
