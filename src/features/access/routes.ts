import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AccessRequestAnswer,
  AccessRequestBody,
  EligibilityAnswer,
  EligibilityBody,
} from '../../../schemas/admin/access.ts'
import type { Core } from '../../core.ts'
import { identifyIfAny } from '../../http/callers/callers.ts'
import { failures } from '../../http/failures.ts'
import * as service from './service.ts'

const tags = ['account']
const success = true as const
/** If somebody is signed in, it has to be about their own account. */
const security = [{}, { bearer: [] }, { session: [] }]

/** Asking for another role, at `/api/v01/account/access-requests`, signed in or not. */
export const accessRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/eligibility',
    {
      schema: {
        operationId: 'checkAccessEligibility',
        summary: 'Which roles an account can ask for',
        tags,
        security,
        body: EligibilityBody,
        response: { 200: EligibilityAnswer, ...failures('token_expired_or_invalid', 'not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.checkEligibility(core, identifyIfAny(request, core)?.userId, request.body)),
    }),
  )

  app.post(
    '',
    {
      schema: {
        operationId: 'requestAccess',
        summary: 'Ask for another role',
        tags,
        security,
        body: AccessRequestBody,
        response: {
          201: AccessRequestAnswer,
          ...failures('token_expired_or_invalid', 'not_found', 'request_pending'),
        },
      },
    },
    async (request, reply) => {
      const caller = identifyIfAny(request, core)
      const requestId = await service.requestAccess(core, caller?.userId, request.body)
      return reply.code(201).send({ success, message: 'The request was handed in', request_id: requestId })
    },
  )
}
