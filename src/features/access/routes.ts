import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AccessRequestAnswer,
  AccessRequestBody,
  EligibilityAnswer,
  EligibilityBody,
} from '../../../schemas/access.ts'
import type { Core } from '../../core.ts'
import { identifyIfAny } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import type { LiveSessions } from '../auth/live-sessions.ts'
import * as service from './service.ts'

const tags = ['account']

/** Asking for another role (contract §3), at `/api/v01/account/access-requests`, signed in or not. */
export const accessRoutes: FastifyPluginAsyncTypebox<{ core: Core; sessions: LiveSessions }> = async (
  app,
  { core, sessions },
) => {
  app.post(
    '/eligibility',
    {
      schema: {
        summary: 'Which roles an account can ask for',
        tags,
        body: EligibilityBody,
        response: { 200: EligibilityAnswer, ...failures('token_expired_or_invalid', 'not_found') },
      },
    },
    (request) => service.checkEligibility(core, identifyIfAny(request, sessions)?.userId, request.body),
  )

  app.post(
    '',
    {
      schema: {
        summary: 'Ask for another role',
        tags,
        body: AccessRequestBody,
        response: {
          201: AccessRequestAnswer,
          ...failures('token_expired_or_invalid', 'not_found', 'request_pending'),
        },
      },
    },
    async (request, reply) => {
      const caller = identifyIfAny(request, sessions)
      const requestId = await service.requestAccess(core, caller?.userId, request.body)
      return reply
        .code(201)
        .send({ success: true, message: 'The request was handed in', request_id: requestId })
    },
  )
}
