import type { FastifyPluginAsync } from 'fastify'
import { AiUsage, AiUsageQuery } from '../../../schemas/ai-usage.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { getUsage } from './ai-usage.service.ts'

/** What the model was used for (docs/protocol/generation.md#usage), at `/api/v01/admin/ai`. */
export const aiUsageAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: generation')

  operation('getAiUsage', 'GET /usage', {
    summary: 'What the model was used for, by day',
    query: AiUsageQuery,
    answer: AiUsage,
    run: ({ query }) => getUsage(core, query.days),
  })
}
