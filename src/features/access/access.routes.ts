import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  AccessRequestAnswer,
  AccessRequestBody,
  EligibilityAnswer,
  EligibilityBody,
} from '../../../schemas/access.schemas.ts'
import type { Core } from '../../core.ts'
import { deviceOf, identifyIfAny } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import * as service from './access.service.ts'

const tags = ['account']
const security = [{}, { bearer: [] }, { session: [] }]
const success = true as const

/** Asking for another role, at `/api/v01/account/access-requests`, with or without a session. */
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
        response: {
          200: EligibilityAnswer,
          ...failures('token_expired_or_invalid', 'not_found', 'rate_limited'),
        },
      },
    },
    async (request) => ({
      success,
      ...(await service.checkEligibility(core, askerOf(request, core), request.body)),
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
          ...failures('token_expired_or_invalid', 'not_found', 'request_pending', 'rate_limited'),
        },
      },
    },
    async (request, reply) => {
      const requestId = await service.requestAccess(core, askerOf(request, core), request.body)
      return reply.code(201).send({ success, message: 'The request was handed in', request_id: requestId })
    },
  )
}

function askerOf(request: FastifyRequest, core: Core): service.Asker {
  const caller = identifyIfAny(request, core)
  return caller ? { userId: caller.userId } : { network: deviceOf(request).network }
}
