import type { FastifyPluginAsync } from 'fastify'
import { AnalyticsQuery, DashboardAnswer, OverviewAnswer } from '../../../schemas/analytics.schemas.ts'
import type { Core } from '../../core.ts'
import { sendCsv } from '../../http/csv-body.ts'
import { operations } from '../../http/operations.ts'
import { accepts } from '../../http/vary.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import * as service from './analytics.service.ts'

/** How much there is, at `/api/v01/admin/overview`. */
export const overviewAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'analytics')

  operation('getOverview', 'GET', {
    summary: 'How many users, exams, results and responses there are',
    budget: 'heavy',
    answer: OverviewAnswer,
    run: async ({ caller }) => service.countEverything(await toRead(core, caller.userId)),
  })
}

/** The dashboard (docs/protocol/http.md#analytics), at `/api/v01/admin/analytics`. */
export const analyticsAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'analytics')

  operation('getAnalytics', 'GET', {
    summary: 'The analytics dashboard',
    description:
      'Over at most the 50,000 most recent matching results. With `Accept: text/csv` a download of one `table`.',
    budget: 'heavy',
    query: AnalyticsQuery,
    produces: ['application/json', 'text/csv'],
    answer: DashboardAnswer,
    run: async (request, reply) => {
      const reading = await toRead(core, request.caller.userId)
      if (!accepts(request, 'text/csv')) return service.readDashboard(reading, request.query)
      const { name, columns, rows } = await service.readTable(reading, request.query)
      return sendCsv(reply, name, columns, rows)
    },
  })
}
