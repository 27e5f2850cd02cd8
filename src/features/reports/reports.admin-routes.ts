import type { FastifyPluginAsync } from 'fastify'
import { IdParams } from '../../../schemas/common.ts'
import { DecisionBody, ReportAnswer, ReportsAnswer, ReportsQuery } from '../../../schemas/reports.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as service from './reports.service.ts'

/** Deciding on what people reported, at `/api/v01/admin/reports`, for administrators. */
export const reportAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: reports')

  operation('listReports', 'GET', {
    summary: 'What people reported, newest first',
    description:
      'Each with up to five messages before and five after it; those of a decided report are as they were at the decision, and are kept for 90 days.',
    query: ReportsQuery,
    answer: ReportsAnswer,
    run: async ({ query }) => {
      const { reports, total } = await service.listReports(core, query)
      return { reports, ...describePage(total, query.page, service.REPORTS_PER_PAGE) }
    },
  })

  operation('resolveReport', 'POST /:id/resolve', {
    summary: 'Decide a report: keep the message or comment, or delete it',
    description: 'A deleted one is shown as deleted, as if its author had deleted it.',
    params: IdParams,
    body: DecisionBody,
    answer: ReportAnswer,
    refuses: ['not_found', 'already_processed'],
    run: async (request) => ({
      report: await service.resolveReport(core, actorOf(request), request.params.id, request.body),
    }),
  })
}
