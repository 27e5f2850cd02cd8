import type { FastifyPluginAsync } from 'fastify'
import { IdParams } from '../../../schemas/common.ts'
import { BestAnswerAnswer, BestAnswerBody, PinAnswer, PinBody } from '../../../schemas/discussions.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import * as service from './discussions.service.ts'

/** What only administrators do in discussions, below the same addresses as the rest. */
export const discussionAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'discussions')

  operation('pinComment', 'POST /comments/:id/pin', {
    summary: 'Pin or unpin a comment',
    params: IdParams,
    body: PinBody,
    answer: PinAnswer,
    refuses: ['not_found'],
    run: async (request) => ({
      is_pinned: await service.pinComment(core, actorOf(request), request.params.id, request.body.is_pinned),
    }),
  })

  operation('markBestAnswer', 'POST /comments/:id/best-answer', {
    summary: 'Mark the best answer of a question, or take the mark back',
    params: IdParams,
    body: BestAnswerBody,
    answer: BestAnswerAnswer,
    refuses: ['not_found'],
    run: async (request) => ({
      is_best_answer: await service.markBestAnswer(
        core,
        actorOf(request),
        request.params.id,
        request.body.is_best_answer,
      ),
    }),
  })
}
