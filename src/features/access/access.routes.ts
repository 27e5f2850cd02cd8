import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import {
  AccessRequestAnswer,
  AccessRequestBody,
  EligibilityAnswer,
  EligibilityBody,
} from '../../../schemas/access.schemas.ts'
import type { Core } from '../../core.ts'
import { deviceOf, identifyIfAny } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import * as service from './access.service.ts'

const security: Record<string, string[]>[] = [{}, { bearer: [] }, { session: [] }]

/** Asking for another role, at `/api/v01/account/access-requests`, with or without a session. */
export const accessRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'account')

  operation('checkAccessEligibility', 'POST /eligibility', {
    summary: 'Which roles an account can ask for',
    body: EligibilityBody,
    answer: EligibilityAnswer,
    refuses: ['token_expired_or_invalid', 'not_found', 'rate_limited'],
    security,
    run: (request) => service.checkEligibility(core, askerOf(request, core), request.body),
  })

  operation('requestAccess', 'POST', {
    summary: 'Ask for another role',
    body: AccessRequestBody,
    created: AccessRequestAnswer,
    refuses: ['token_expired_or_invalid', 'not_found', 'request_pending', 'rate_limited'],
    security,
    run: async (request) => {
      const requestId = await service.requestAccess(core, askerOf(request, core), request.body)
      return { message: 'The request was handed in', request_id: requestId }
    },
  })
}

function askerOf(request: FastifyRequest, core: Core): service.Requester {
  const caller = identifyIfAny(request, core)
  return caller ? { userId: caller.userId } : { network: deviceOf(request).network }
}
