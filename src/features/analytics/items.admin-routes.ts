import type { FastifyPluginAsync } from 'fastify'
import { ExamParams } from '../../../schemas/attempts.schemas.ts'
import { ItemsAnswer, ItemsQuery } from '../../../schemas/items.schemas.ts'
import type { Core } from '../../core.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { operations } from '../../http/operations.ts'
import { OPEN_KEYS } from '../attempts/result-visibility.service.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import { analyseItems } from './items.service.ts'

/** For hundreds of thousands of attempts. */
const ANALYSIS_TIMEOUT_MS = 60_000

/** Which questions were good ones, at `/api/v01/admin/analytics/exams/:exam_id/items`. */
export const itemAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'analytics')

  operation('analyseItems', 'GET', {
    summary: 'Item analysis of an exam',
    description:
      'By classical test theory, over finished attempts and the keys in force. Where too few attempts or no variance leave a number undefined, it is null.',
    budget: 'heavy',
    timeoutMs: ANALYSIS_TIMEOUT_MS,
    params: ExamParams,
    query: ItemsQuery,
    answer: ItemsAnswer,
    refuses: ['not_found'],
    run: async ({ params, query, caller }) => {
      const reading = await toRead(core, caller.userId)
      const analysis = await inSnapshot(reading.db, (db) => analyseItems(reading, db, params.exam_id, query))
      return { ...OPEN_KEYS, ...analysis }
    },
  })
}
