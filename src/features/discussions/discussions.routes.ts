import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
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
import { failures } from '../../http/failures.ts'
import { sendJson } from '../../http/json-body.ts'
import { writeComments } from './discussion-thread.ts'
import * as service from './discussions.service.ts'

const tags = ['discussions']
const success = true as const

/** Discussions (docs/protocol/http.md#discussions), at `/api/v01/discussions`, for signed-in people. */
export const discussionRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/:question_id',
    {
      schema: {
        operationId: 'postComment',
        summary: 'Post a comment or a reply',
        tags,
        params: DiscussionParams,
        body: PostCommentBody,
        response: { 201: CommentAnswer, ...failures('not_found', 'too_many', 'rate_limited') },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request
      const comment = await service.postComment(core, viewerOf(caller), params.question_id, body)
      return reply.code(201).send({ success, comment })
    },
  )

  app.get(
    '/:question_id',
    {
      config: { budget: 'heavy', decidesHelpLock: true },
      schema: {
        operationId: 'getDiscussion',
        summary: 'The whole discussion of a question',
        tags,
        params: DiscussionParams,
        response: { 200: DiscussionAnswer, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { caller, params } = request
      const { count, roots } = await service.readDiscussion(core, viewerOf(caller), params.question_id)
      return sendJson(reply, `{"success":true,"count":${count},"comments":${writeComments(roots)}}`)
    },
  )

  app.patch(
    '/comments/:id',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'editComment',
        summary: 'Edit a comment of one’s own',
        tags,
        params: IdParams,
        body: EditCommentBody,
        response: { 200: CommentAnswer, ...failures('not_found', 'not_owner') },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request
      const comment = await service.editComment(core, viewerOf(caller), params.id, body.message)
      return sendJson(reply, `{"success":true,"comment":${writeComments([comment]).slice(1, -1)}}`)
    },
  )

  app.delete(
    '/comments/:id',
    {
      schema: {
        operationId: 'deleteComment',
        summary: 'Delete a comment of one’s own; administrators can delete all',
        description: 'One with replies stays as a tombstone without text.',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner') },
      },
    },
    async (request) => {
      const viewer = viewerOf(request.caller)
      await service.deleteComment(core, actorOf(request), viewer, request.params.id)
      return { success }
    },
  )

  app.post(
    '/counts',
    {
      schema: {
        operationId: 'countComments',
        summary: 'How many comments questions have',
        tags,
        body: CountsBody,
        response: { 200: CountsAnswer },
      },
    },
    async ({ caller, body }) => ({
      success,
      counts: await service.countComments(core, viewerOf(caller), body.question_ids),
    }),
  )
}
