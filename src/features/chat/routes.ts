import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ChangesAnswer,
  ChangesQuery,
  ConnectAccepted,
  ConnectBody,
  ConnectPending,
  ConversationsAnswer,
  MessagesAnswer,
  MessagesQuery,
  ReadAnswer,
  ReadBody,
  RequestsAnswer,
  RespondAnswer,
  RespondBody,
  RespondParams,
  SendAnswer,
  SendBody,
  UnreadAnswer,
} from '../../../schemas/chat.ts'
import { IdParams } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as connections from './connections.ts'
import * as service from './service.ts'

const tags = ['chat']
const success = true as const

/** Peer chat (contract §6), at `/api/v01/chat`, for signed-in people. */
export const chatRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/conversations',
    {
      schema: {
        summary: 'Own conversations, latest activity first',
        tags,
        response: { 200: ConversationsAnswer },
      },
    },
    async (request) => ({
      success,
      conversations: await service.listConversations(core, request.caller.userId),
    }),
  )

  app.get(
    '/conversations/:id/messages',
    {
      schema: {
        summary: 'A page of messages, oldest to newest',
        description:
          'Without `before` the newest page, which marks the conversation as read unless `peek` is true.',
        tags,
        params: IdParams,
        querystring: MessagesQuery,
        response: { 200: MessagesAnswer, ...failures('not_found') },
      },
    },
    (request) => service.listMessages(core, request.caller.userId, request.params.id, request.query),
  )

  app.post(
    '/conversations/:id/messages',
    {
      schema: {
        summary: 'Send a message',
        description: 'Repeated with the same `client_id` it answers 200 with the first message.',
        tags,
        params: IdParams,
        body: SendBody,
        response: {
          201: SendAnswer,
          200: SendAnswer,
          ...failures('invalid_reply', 'not_connected', 'not_found', 'rate_limited'),
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

  app.get(
    '/conversations/:id/changes',
    {
      schema: {
        summary: 'Every message created, edited or deleted after a version',
        tags,
        params: IdParams,
        querystring: ChangesQuery,
        response: { 200: ChangesAnswer, ...failures('not_found') },
      },
    },
    (request) => service.listChanges(core, request.caller.userId, request.params.id, request.query.since),
  )

  app.post(
    '/conversations/:id/read',
    {
      schema: {
        summary: 'Move the read pointer forward',
        tags,
        params: IdParams,
        body: ReadBody,
        response: { 200: ReadAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      unread: await service.markRead(core, request.caller.userId, request.params.id, request.body.up_to_seq),
    }),
  )

  app.get(
    '/unread',
    { schema: { summary: 'Unread messages and pending requests', tags, response: { 200: UnreadAnswer } } },
    async (request) => {
      const { userId } = request.caller
      const counters = (await service.countersOf(core, [userId])).get(userId)
      return { success, unread: counters?.unread ?? 0, requests: counters?.requests ?? 0 }
    },
  )

  app.post(
    '/connections',
    {
      schema: {
        summary: 'Ask somebody to connect',
        description: 'Answers 200 with the conversation where the other side had asked already.',
        tags,
        body: ConnectBody,
        response: {
          201: ConnectPending,
          200: ConnectAccepted,
          ...failures('self_connection', 'not_found', 'already_connected', 'already_pending'),
        },
      },
    },
    async (request, reply) => {
      const asked = await connections.requestConnection(
        core,
        request.caller.userId,
        request.body.recipient_id,
      )
      if (asked.status === 'pending')
        return reply.code(201).send({ success, conn_id: asked.connId, status: asked.status })
      return reply
        .code(200)
        .send({ success, conn_id: asked.connId, status: asked.status, conv_id: asked.conversationId })
    },
  )

  app.get(
    '/connections/requests',
    { schema: { summary: 'Incoming pending requests', tags, response: { 200: RequestsAnswer } } },
    async (request) => ({ success, requests: await connections.listRequests(core, request.caller.userId) }),
  )

  app.post(
    '/connections/:conn_id/respond',
    {
      schema: {
        summary: 'Accept or reject a request',
        tags,
        params: RespondParams,
        body: RespondBody,
        response: { 200: RespondAnswer, ...failures('not_found', 'already_answered') },
      },
    },
    async (request) => ({
      success,
      conv_id: await connections.respondToRequest(
        core,
        request.caller.userId,
        request.params.conn_id,
        request.body.action,
      ),
    }),
  )
}
