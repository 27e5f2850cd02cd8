import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AttemptParams,
  AttemptsAnswer,
  AttemptsQuery,
  ResultAnswer,
} from '../../../schemas/exams/attempts.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { describePage, offsetOf } from '../../paging.ts'
import { getResult, listAttempts } from './service.ts'

const tags = ['exams']
const success = true as const
const PER_PAGE = 50

/** Finished attempts (docs/protocol/exams.md#attempts), at `/api/v01/attempts`, for signed-in people. */
export const resultRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'listAttempts',
        summary: 'Own finished attempts, newest first',
        tags,
        querystring: AttemptsQuery,
        response: { 200: AttemptsAnswer },
      },
    },
    async (request) => {
      const { exam_id: examId, page = 1 } = request.query
      const offset = offsetOf(page, PER_PAGE)
      const { userId } = request.caller
      const { attempts, total } = await listAttempts(core, userId, examId, PER_PAGE, offset)
      return { success, attempts, ...describePage(total, page, PER_PAGE) }
    },
  )

  app.get(
    '/:attempt_id',
    {
      schema: {
        operationId: 'getResult',
        summary: 'The result of an attempt, question by question',
        tags,
        params: AttemptParams,
        response: { 200: ResultAnswer, ...failures('not_found', 'results_not_released', 'exam_in_progress') },
      },
    },
    async (request) => ({
      success,
      ...(await getResult(core, request.caller.userId, request.params.attempt_id)),
    }),
  )
}
