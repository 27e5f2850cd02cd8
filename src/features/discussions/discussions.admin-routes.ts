import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams } from '../../../schemas/common.ts'
import { BestAnswerAnswer, BestAnswerBody, PinAnswer, PinBody } from '../../../schemas/discussions.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import * as service from './discussions.service.ts'

const tags = ['discussions']
const success = true as const

/** What only administrators do in discussions, below the same addresses as the rest. */
export const discussionAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/comments/:id/pin',
    {
      schema: {
        operationId: 'pinComment',
        summary: 'Pin or unpin a comment',
        tags,
        params: IdParams,
        body: PinBody,
        response: { 200: PinAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      is_pinned: await service.pinComment(core, actorOf(request), request.params.id, request.body.is_pinned),
    }),
  )

  app.post(
    '/comments/:id/best-answer',
    {
      schema: {
        operationId: 'markBestAnswer',
        summary: 'Mark the best answer of a question, or take the mark back',
        tags,
        params: IdParams,
        body: BestAnswerBody,
        response: { 200: BestAnswerAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      is_best_answer: await service.markBestAnswer(
        core,
        actorOf(request),
        request.params.id,
        request.body.is_best_answer,
      ),
    }),
  )
}
