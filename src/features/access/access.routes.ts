import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AccessRequestAnswer,
  AccessRequestBody,
  EligibilityAnswer,
  EligibilityBody,
} from '../../../schemas/access.schemas.ts'
import type { Core } from '../../core.ts'
import { guardUsers } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import * as service from './access.service.ts'

const tags = ['account']
const success = true as const

/** Asking for another role, at `/api/v01/account/access-requests`, for signed-in people. */
export const accessRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  guardUsers(app, core)

  app.post(
    '/eligibility',
    {
      schema: {
        operationId: 'checkAccessEligibility',
        summary: 'Which roles an account can ask for',
        tags,
        body: EligibilityBody,
        response: { 200: EligibilityAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.checkEligibility(core, request.caller.userId, request.body)),
    }),
  )

  app.post(
    '',
    {
      schema: {
        operationId: 'requestAccess',
        summary: 'Ask for another role',
        tags,
        body: AccessRequestBody,
        response: {
          201: AccessRequestAnswer,
          ...failures('not_found', 'request_pending'),
        },
      },
    },
    async (request, reply) => {
      const requestId = await service.requestAccess(core, request.caller.userId, request.body)
      return reply.code(201).send({ success, message: 'The request was handed in', request_id: requestId })
    },
  )
}
