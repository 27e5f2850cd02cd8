import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ChangesAnswer,
  ChangesQuery,
  EditBody,
  MessageAnswer,
  MessagesAnswer,
  MessagesQuery,
  SendBody,
} from '../../../schemas/chat.schemas.ts'
import { IdParams, Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as service from './messages.service.ts'

const tags = ['chat']
const success = true as const

/** The messages of the conversation `:id`, at `/api/v01/chat/conversations/:id/messages`. */
export const messageRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { decidesHelpLock: true },
      schema: {
        operationId: 'listMessages',
        summary: 'A page of messages, oldest to newest',
        description:
          'Without `before` and `around` the newest page, which marks the conversation as read unless `peek` is true.',
        tags,
        params: IdParams,
        querystring: MessagesQuery,
        response: { 200: MessagesAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.listMessages(core, request.caller.userId, request.params.id, request.query)),
    }),
  )

  app.post(
    '',
    {
      config: { decidesHelpLock: true },
      schema: {
        operationId: 'sendMessage',
        summary: 'Send a message',
        description: 'If it is repeated with the same `client_id`, the answer is 200 with the first message.',
        tags,
        params: IdParams,
        body: SendBody,
        response: {
          201: MessageAnswer,
          200: MessageAnswer,
          ...failures(
            'invalid_reply',
            'invalid_attachment',
            'attachment_gone',
            'not_connected',
            'not_found',
            'rate_limited',
          ),
        },
      },
    },
    async (request, reply) => {
      const { message, repeated } = await service.sendMessage(
        core,
        request.caller.userId,
        request.params.id,
        request.body,
      )
      return reply.code(repeated ? 200 : 201).send({ success, message })
    },
  )
}

/** What changed in a conversation, and one's own messages: part of `chatRoutes`. */
export const changeRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/conversations/:id/changes',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listMessageChanges',
        summary: 'Every message created, edited or deleted after a version',
        tags,
        params: IdParams,
        querystring: ChangesQuery,
        response: { 200: ChangesAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.listChanges(core, request.caller.userId, request.params.id, request.query.since)),
    }),
  )

  app.patch(
    '/messages/:id',
    {
      schema: {
        operationId: 'editMessage',
        summary: "Edit one's own message",
        tags,
        params: IdParams,
        body: EditBody,
        response: {
          200: MessageAnswer,
          ...failures('not_owner', 'not_connected', 'not_found'),
        },
      },
    },
    async (request) => ({
      success,
      message: await service.editMessage(core, request.caller.userId, request.params.id, request.body),
    }),
  )

  app.delete(
    '/messages/:id',
    {
      schema: {
        operationId: 'deleteMessage',
        summary: "Delete one's own message",
        description: 'An empty message, marked as deleted, stays in its place.',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_owner', 'not_found') },
      },
    },
    async (request) => {
      await service.deleteMessage(core, request.caller.userId, request.params.id)
      return { success }
    },
  )
}
