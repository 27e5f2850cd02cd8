import type { FastifyPluginAsync } from 'fastify'
import { IdParams, Success } from '../../../schemas/common.ts'
import {
  CommentAnswer,
  CountsAnswer,
  CountsBody,
  DiscussionAnswer,
  DiscussionParams,
  EditCommentBody,
  PostCommentBody,
} from '../../../schemas/discussions.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { sendJson } from '../../http/json-body.ts'
import { operations } from '../../http/operations.ts'
import { writeComments } from './discussion-thread.ts'
import * as service from './discussions.service.ts'

/** Discussions (docs/protocol/http.md#discussions), at `/api/v01/discussions`, for signed-in people. */
export const discussionRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'discussions')

  operation('postComment', 'POST /:question_id', {
    summary: 'Post a comment or a reply',
    params: DiscussionParams,
    body: PostCommentBody,
    created: CommentAnswer,
    refuses: ['not_found', 'too_many', 'rate_limited'],
    run: async (request) => {
      const { caller, params, body } = request
      const comment = await service.postComment(core, viewerOf(caller), params.question_id, body)
      return { comment }
    },
  })

  operation('getDiscussion', 'GET /:question_id', {
    summary: 'The whole discussion of a question',
    budget: 'heavy',
    decidesHelpLock: true,
    params: DiscussionParams,
    answer: DiscussionAnswer,
    refuses: ['not_found'],
    run: async (request, reply) => {
      const { caller, params } = request
      const { count, roots } = await service.readDiscussion(core, viewerOf(caller), params.question_id)
      return sendJson(reply, `{"success":true,"count":${count},"comments":${writeComments(roots)}}`)
    },
  })

  operation('editComment', 'PATCH /comments/:id', {
    summary: 'Edit a comment of one’s own',
    budget: 'heavy',
    paced: true,
    params: IdParams,
    body: EditCommentBody,
    answer: CommentAnswer,
    refuses: ['not_found', 'not_owner'],
    run: async (request, reply) => {
      const { caller, params, body } = request
      const comment = await service.editComment(core, viewerOf(caller), params.id, body.message)
      return sendJson(reply, `{"success":true,"comment":${writeComments([comment]).slice(1, -1)}}`)
    },
  })

  operation('deleteComment', 'DELETE /comments/:id', {
    summary: 'Delete a comment of one’s own; administrators can delete all',
    description: 'One with replies stays as a tombstone without text.',
    params: IdParams,
    answer: Success,
    refuses: ['not_found', 'not_owner'],
    run: async (request) => {
      const viewer = viewerOf(request.caller)
      await service.deleteComment(core, actorOf(request), viewer, request.params.id)
    },
  })

  operation('countComments', 'POST /counts', {
    summary: 'How many comments questions have',
    body: CountsBody,
    answer: CountsAnswer,
    run: async ({ caller, body }) => ({
      counts: await service.countComments(core, viewerOf(caller), body.question_ids),
    }),
  })
}
