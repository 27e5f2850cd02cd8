import type { FastifyPluginAsync } from 'fastify'
import {
  AccessRequestCounts,
  AccessRequestsAnswer,
  AccessRequestsQuery,
  ApproveBody,
  DenyBody,
} from '../../../schemas/access.schemas.ts'
import { IdParams, SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as service from './access.service.ts'

/** Deciding on access requests, at `/api/v01/admin/access-requests`, for administrators. */
export const accessAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: access requests')

  operation('listAccessRequests', 'GET', {
    summary: 'Access requests, newest first',
    query: AccessRequestsQuery,
    answer: AccessRequestsAnswer,
    run: async ({ query: { status = 'pending', page } }) => {
      const { requests, total } = await service.listRequests(core, status === 'pending', page)
      return { requests, ...describePage(total, page, service.REQUESTS_PER_PAGE) }
    },
  })

  operation('countAccessRequests', 'GET /counts', {
    summary: 'How many are in each state',
    answer: AccessRequestCounts,
    run: () => service.countRequests(core),
  })

  operation('approveAccessRequest', 'POST /:id/approve', {
    summary: 'Give the account a role',
    params: IdParams,
    body: ApproveBody,
    answer: SuccessMessage,
    refuses: ['not_found', 'already_processed', 'last_admin'],
    run: async (request) => {
      const { approved_access } = request.body
      await service.approve(core, actorOf(request), request.params.id, approved_access)
      return { message: `Approved: the role is now ${approved_access}` }
    },
  })

  operation('denyAccessRequest', 'POST /:id/deny', {
    summary: 'Deny the request',
    params: IdParams,
    body: DenyBody,
    answer: SuccessMessage,
    refuses: ['not_found', 'already_processed'],
    run: async (request) => {
      await service.deny(core, actorOf(request), request.params.id, request.body.reason)
      return { message: 'Denied' }
    },
  })
}
