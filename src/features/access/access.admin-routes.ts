import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
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
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as service from './access.service.ts'

const tags = ['admin: access requests']
const success = true as const

/** Deciding on access requests, at `/api/v01/admin/access-requests`, for administrators. */
export const accessAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listAccessRequests',
        summary: 'Access requests, newest first',
        tags,
        querystring: AccessRequestsQuery,
        response: { 200: AccessRequestsAnswer },
      },
    },
    async ({ query: { status = 'pending', page } }) => {
      const { requests, total } = await service.listRequests(core, status === 'pending', page)
      return { success, requests, ...describePage(total, page, service.REQUESTS_PER_PAGE) }
    },
  )

  app.get(
    '/counts',
    {
      schema: {
        operationId: 'countAccessRequests',
        summary: 'How many are in each state',
        tags,
        response: { 200: AccessRequestCounts },
      },
    },
    async () => ({ success, ...(await service.countRequests(core)) }),
  )

  app.post(
    '/:id/approve',
    {
      schema: {
        operationId: 'approveAccessRequest',
        summary: 'Give the account a role',
        tags,
        params: IdParams,
        body: ApproveBody,
        response: { 200: SuccessMessage, ...failures('not_found', 'already_processed', 'last_admin') },
      },
    },
    async (request) => {
      const { approved_access } = request.body
      await service.approve(core, actorOf(request), request.params.id, approved_access)
      return { success, message: `Approved: the role is now ${approved_access}` }
    },
  )

  app.post(
    '/:id/deny',
    {
      schema: {
        operationId: 'denyAccessRequest',
        summary: 'Deny the request',
        tags,
        params: IdParams,
        body: DenyBody,
        response: { 200: SuccessMessage, ...failures('not_found', 'already_processed') },
      },
    },
    async (request) => {
      await service.deny(core, actorOf(request), request.params.id, request.body.reason)
      return { success, message: 'Denied' }
    },
  )
}
