import type { FastifyPluginAsync } from 'fastify'
import {
  AttemptParams,
  AttemptsAnswer,
  AttemptsQuery,
  ResultAnswer,
} from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import { ATTEMPTS_PER_PAGE, getResult, listAttempts } from './results.service.ts'

/** Finished attempts (docs/protocol/exams.md#attempts), at `/api/v01/attempts`, for signed-in people. */
export const resultRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'exams')

  operation('listAttempts', 'GET /', {
    summary: 'Own finished attempts, newest first',
    query: AttemptsQuery,
    answer: AttemptsAnswer,
    run: async (request) => {
      const { exam_id: examId, page } = request.query
      const { attempts, total } = await listAttempts(core, request.caller.userId, examId, page)
      return { attempts, ...describePage(total, page, ATTEMPTS_PER_PAGE) }
    },
  })

  operation('getResult', 'GET /:attempt_id', {
    summary: 'The result of an attempt, question by question',
    params: AttemptParams,
    answer: ResultAnswer,
    refuses: ['not_found', 'results_not_released', 'exam_in_progress'],
    run: (request) => getResult(core, request.caller.userId, request.params.attempt_id),
  })
}
