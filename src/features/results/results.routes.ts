import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AttemptParams,
  AttemptsAnswer,
  AttemptsQuery,
  ResultAnswer,
} from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import { ATTEMPTS_PER_PAGE, getResult, listAttempts } from './results.service.ts'

const tags = ['exams']
const success = true as const

/** Finished attempts (docs/protocol/exams.md#attempts), at `/api/v01/attempts`, for signed-in people. */
export const resultRoutes: FastifyPluginAsyncTypebox<{ core: Core; isOlder?: boolean }> = async (
  app,
  { core, isOlder = false },
) => {
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
      const { exam_id: examId, page } = request.query
      const { attempts, total } = await listAttempts(core, request.caller.userId, examId, page)
      return { success, attempts, ...describePage(total, page, ATTEMPTS_PER_PAGE) }
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
      ...(await getResult(core, request.caller.userId, request.params.attempt_id, { isOlder })),
    }),
  )
}
