import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AnalyticsQuery, DashboardAnswer, OverviewAnswer } from '../../../schemas/admin/analytics.ts'
import type { Core } from '../../core.ts'
import { sendCsv, wantsCsv } from '../../http/bodies/csv.ts'
import * as service from './service.ts'

const tags = ['analytics']
const success = true as const

const COLUMNS = {
  results: [
    'created_at',
    'student_id',
    'username',
    'full_name',
    'exam_name',
    'score',
    'max_score',
    'percentage',
  ],
  topPerformers: ['student_id', 'username', 'full_name', 'avgScore', 'attempts'],
  recentActivity: ['created_at', 'username', 'full_name', 'exam_name', 'score', 'max_score', 'percentage'],
  examStats: ['name', 'attempts', 'avgScore', 'passRate'],
}

/** How much there is, at `/api/v01/admin/overview`. */
export const overviewAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { heavy: true },
      schema: {
        operationId: 'getOverview',
        summary: 'How many users, exams, results and responses there are',
        tags,
        response: { 200: OverviewAnswer },
      },
    },
    async () => ({ success, ...(await service.countEverything(core)) }),
  )
}

/** The dashboard (docs/protocol/http.md#analytics), at `/api/v01/admin/analytics`. */
export const analyticsAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { heavy: true },
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
      const { query } = request
      if (!wantsCsv(request)) return { success, ...(await service.readDashboard(core, query)) }
      const { table = 'results' } = query
      const rows =
        table === 'results'
          ? service.streamResults(core, query)
          : (await service.readDashboard(core, query)).tables[table]
      return sendCsv(reply, table, COLUMNS[table], rows)
    },
  )
}
