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
} from '../../../schemas/discussions.ts'
import type { Core } from '../../core.ts'
import { isAdmin } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { sendJson } from '../../http/json.ts'
import * as service from './service.ts'
import { writeComments } from './thread.ts'

const tags = ['discussions']
const success = true as const

/** Discussions (contract §7), at `/api/v01/discussions`, for signed-in people. */
export const discussionRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/:question_id',
    {
      schema: {
        summary: 'Post a comment or a reply',
        tags,
        params: DiscussionParams,
        body: PostCommentBody,
        response: { 201: CommentAnswer, ...failures('not_found', 'rate_limited') },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request
      const comment = await service.postComment(core, caller.userId, params.question_id, body)
      return reply.code(201).send({ success, comment })
    },
  )

  app.get(
    '/:question_id',
    {
      schema: {
        summary: 'The whole discussion of a question',
        tags,
        params: DiscussionParams,
        response: { 200: DiscussionAnswer, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { caller, params } = request
      const { count, roots } = await service.readDiscussion(core, caller.userId, params.question_id)
      return sendJson(reply, `{"success":true,"count":${count},"comments":${writeComments(roots)}}`)
    },
  )

  app.patch(
    '/comments/:id',
    {
      schema: {
        summary: 'Edit an own comment',
        tags,
        params: IdParams,
        body: EditCommentBody,
        response: { 200: CommentAnswer, ...failures('not_found', 'not_owner') },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request
      const comment = await service.editComment(core, caller.userId, params.id, body.message)
      return sendJson(reply, `{"success":true,"comment":${writeComments([comment]).slice(1, -1)}}`)
    },
  )

  app.delete(
    '/comments/:id',
    {
      schema: {
        summary: 'Delete an own comment, or any as an administrator',
        description: 'One with replies stays as a tombstone without text.',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner') },
      },
    },
    async (request) => {
      const caller = { userId: request.caller.userId, isAdmin: isAdmin(request.caller) }
      await service.deleteComment(core, caller, request.params.id)
      return { success }
    },
  )

  app.post(
    '/counts',
    {
      schema: {
        summary: 'How many comments questions have',
        tags,
        body: CountsBody,
        response: { 200: CountsAnswer },
      },
    },
    async (request) => ({ success, counts: await service.countComments(core, request.body.question_ids) }),
  )
}
