import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams } from '../../../schemas/common.ts'
import { DecisionBody, ReportAnswer, ReportsAnswer, ReportsQuery } from '../../../schemas/reports.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as service from './reports.service.ts'

const tags = ['admin: reports']
const success = true as const

/** Deciding on what people reported, at `/api/v01/admin/reports`, for administrators. */
export const reportAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listReports',
        summary: 'What people reported, newest first',
        description:
          'Each with up to five messages before and five after it; those of a decided report are as they were at the decision, and are kept for 90 days.',
        tags,
        querystring: ReportsQuery,
        response: { 200: ReportsAnswer },
      },
    },
    async ({ query }) => {
      const { reports, total } = await service.listReports(core, query)
      return { success, reports, ...describePage(total, query.page, service.REPORTS_PER_PAGE) }
    },
  )

  app.post(
    '/:id/resolve',
    {
      schema: {
        operationId: 'resolveReport',
        summary: 'Decide a report: keep the message or comment, or delete it',
        description: 'A deleted one is shown as deleted, as if its author had deleted it.',
        tags,
        params: IdParams,
        body: DecisionBody,
        response: { 200: ReportAnswer, ...failures('not_found', 'already_processed') },
      },
    },
    async (request) => ({
      success,
      report: await service.resolveReport(core, actorOf(request), request.params.id, request.body),
    }),
  )
}
