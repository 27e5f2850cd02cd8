import type { FastifyPluginAsync } from 'fastify'
import {
  ChangesAnswer,
  ChangesQuery,
  EditBody,
  MessageAnswer,
  MessagesAnswer,
  MessagesQuery,
  SendBody,
} from '../../../../schemas/chat.schemas.ts'
import { IdParams, Success } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { operations } from '../../../http/operations.ts'
import * as service from './messages.service.ts'

/** The messages of the conversation `:id`, at `/api/v01/chat/conversations/:id/messages`. */
export const messageRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('listMessages', 'GET', {
    summary: 'A page of messages, oldest to newest',
    description:
      'Without `before` and `around` the newest page, which marks the conversation as read unless `peek` is true.',
    decidesHelpLock: true,
    params: IdParams,
    query: MessagesQuery,
    answer: MessagesAnswer,
    refuses: ['not_found'],
    run: (request) => service.listMessages(core, request.caller.userId, request.params.id, request.query),
  })

  operation('sendMessage', 'POST', {
    summary: 'Send a message',
    description: 'If it is repeated with the same `client_id`, the answer is 200 with the first message.',
    decidesHelpLock: true,
    params: IdParams,
    body: SendBody,
    created: MessageAnswer,
    answer: MessageAnswer,
    refuses: [
      'invalid_reply',
      'invalid_attachment',
      'attachment_gone',
      'not_connected',
      'not_found',
      'rate_limited',
    ],
    run: async (request, reply) => {
      const { message, repeated } = await service.sendMessage(
        core,
        request.caller.userId,
        request.params.id,
        request.body,
      )
      reply.code(repeated ? 200 : 201)
      return { message }
    },
  })
}

/** What changed in a conversation, and one's own messages: part of `chatRoutes`. */
export const changeRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('listMessageChanges', 'GET /conversations/:id/changes', {
    summary: 'Every message created, edited or deleted after a version',
    budget: 'heavy',
    params: IdParams,
    query: ChangesQuery,
    answer: ChangesAnswer,
    refuses: ['not_found'],
    run: (request) =>
      service.listChanges(core, request.caller.userId, request.params.id, request.query.since),
  })

  operation('editMessage', 'PATCH /messages/:id', {
    summary: "Edit one's own message",
    paced: true,
    params: IdParams,
    body: EditBody,
    answer: MessageAnswer,
    refuses: ['not_owner', 'not_connected', 'not_found'],
    run: async (request) => ({
      message: await service.editMessage(core, request.caller.userId, request.params.id, request.body),
    }),
  })

  operation('deleteMessage', 'DELETE /messages/:id', {
    summary: "Delete one's own message",
    description: 'An empty message, marked as deleted, stays in its place.',
    params: IdParams,
    answer: Success,
    refuses: ['not_owner', 'not_found'],
    run: async (request) => {
      await service.deleteMessage(core, request.caller.userId, request.params.id)
    },
  })
}
