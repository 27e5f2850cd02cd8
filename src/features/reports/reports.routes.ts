import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams } from '../../../schemas/common.ts'
import { NewReport, Reported } from '../../../schemas/reports.schemas.ts'
import type { Core } from '../../core.ts'
import { viewerOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import * as service from './reports.service.ts'

const success = true as const

/** Telling administrators of a message or a comment, at `/api/v01`, for signed-in people. */
export const reportRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const schema = {
    description: 'If the same person reports it again, the answer is 200 with the first report.',
    params: IdParams,
    body: NewReport,
    response: { 201: Reported, 200: Reported, ...failures('not_found', 'too_many') },
  }

  app.post(
    '/chat/messages/:id/report',
    { schema: { operationId: 'reportMessage', summary: 'Report a message', tags: ['chat'], ...schema } },
    async ({ caller, params, body }, reply) => {
      const { id, repeated } = await service.reportMessage(core, caller.userId, params.id, body.reason)
      return reply.code(repeated ? 200 : 201).send({ success, report_id: id })
    },
  )

  app.post(
    '/discussions/comments/:id/report',
    {
      schema: { operationId: 'reportComment', summary: 'Report a comment', tags: ['discussions'], ...schema },
    },
    async ({ caller, params, body }, reply) => {
      const { id, repeated } = await service.reportComment(core, viewerOf(caller), params.id, body.reason)
      return reply.code(repeated ? 200 : 201).send({ success, report_id: id })
    },
  )
}
