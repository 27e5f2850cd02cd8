import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AnalyticsQuery, DashboardAnswer, OverviewAnswer } from '../../../schemas/analytics.schemas.ts'
import type { Core } from '../../core.ts'
import { sendCsv } from '../../http/csv-body.ts'
import { accepts } from '../../http/vary.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import * as service from './analytics.service.ts'

const tags = ['analytics']
const success = true as const

/** How much there is, at `/api/v01/admin/overview`. */
export const overviewAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'getOverview',
        summary: 'How many users, exams, results and responses there are',
        tags,
        response: { 200: OverviewAnswer },
      },
    },
    async ({ caller }) => ({
      success,
      ...(await service.countEverything(await toRead(core, caller.userId))),
    }),
  )
}

/** The dashboard (docs/protocol/http.md#analytics), at `/api/v01/admin/analytics`. */
export const analyticsAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core; isOlder?: boolean }> = async (
  app,
  { core, isOlder = false },
) => {
  app.get(
    '',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'getAnalytics',
        summary: 'The analytics dashboard',
        description:
          'Over at most the 50,000 most recent matching results. With `Accept: text/csv` a download of one `table`.',
        tags,
        produces: ['application/json', 'text/csv'],
        querystring: AnalyticsQuery,
        response: { 200: DashboardAnswer },
      },
    },
    async (request, reply) => {
      const query = { ...request.query, ...(isOlder ? { countsWorthless: true as const } : {}) }
      const reading = await toRead(core, request.caller.userId)
      if (!accepts(request, 'text/csv')) return { success, ...(await service.readDashboard(reading, query)) }
      const { name, columns, rows } = await service.readTable(reading, query)
      return sendCsv(reply, name, columns, rows)
    },
  )
}
