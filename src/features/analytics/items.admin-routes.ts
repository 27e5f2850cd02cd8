import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ExamParams } from '../../../schemas/attempts.schemas.ts'
import { ItemsAnswer, ItemsQuery } from '../../../schemas/items.schemas.ts'
import type { Core } from '../../core.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { failures } from '../../http/failures.ts'
import { OPEN_KEYS } from '../attempts/result-visibility.service.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import { analyseItems } from './items.service.ts'

/** For hundreds of thousands of attempts. */
const ANALYSIS_TIMEOUT_MS = 60_000

/** Which questions were good ones, at `/api/v01/admin/analytics/exams/:exam_id/items`. */
export const itemAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { budget: 'heavy', timeoutMs: ANALYSIS_TIMEOUT_MS },
      schema: {
        operationId: 'analyseItems',
        summary: 'Item analysis of an exam',
        description:
          'By classical test theory, over finished attempts and the keys in force. Where too few attempts or no variance leave a number undefined, it is null.',
        tags: ['analytics'],
        params: ExamParams,
        querystring: ItemsQuery,
        response: { 200: ItemsAnswer, ...failures('not_found') },
      },
    },
    async ({ params, query, caller }) => {
      const reading = await toRead(core, caller.userId)
      const analysis = await inSnapshot(reading.db, (db) => analyseItems(reading, db, params.exam_id, query))
      return { success: true as const, ...OPEN_KEYS, ...analysis }
    },
  )
}
