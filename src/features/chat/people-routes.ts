import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  BlockParams,
  BlocksAnswer,
  ConnectAccepted,
  ConnectBody,
  ConnectPending,
  PresenceAnswer,
  RequestsAnswer,
  RespondAnswer,
  RespondBody,
  RespondParams,
  UnreadAnswer,
  UsersAnswer,
  UsersQuery,
} from '../../../schemas/chat.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as connections from './connections.ts'
import { countersOf } from './conversations.ts'
import * as people from './people.ts'

const tags = ['chat']
const success = true as const

/** The people of peer chat: search, connections, presence and blocks. Part of `chatRoutes`. */
export const peopleRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/unread',
    { schema: { summary: 'Unread messages and pending requests', tags, response: { 200: UnreadAnswer } } },
    async (request) => ({ success, ...(await countersOf(core, request.caller.userId)) }),
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

  app.delete(
    '/connections/:conn_id',
    {
      schema: {
        summary: 'End a connection, or withdraw a request',
        description: 'The conversation stays readable; sending there is refused.',
        tags,
        params: RespondParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await connections.endConnection(core, request.caller.userId, request.params.conn_id)
      return { success }
    },
  )

  app.get(
    '/users',
    {
      schema: {
        summary: 'Find people by a part of their names',
        tags,
        querystring: UsersQuery,
        response: { 200: UsersAnswer },
      },
    },
    async (request) => ({
      success,
      users: await people.searchUsers(core, request.caller.userId, request.query.q),
    }),
  )

  app.get(
    '/presence',
    {
      schema: {
        summary: 'Who is online, of those one shares a connection or conversation with',
        tags,
        response: { 200: PresenceAnswer },
      },
    },
    async (request) => ({ success, status: await people.statusOfPeers(core, request.caller.userId) }),
  )

  app.get(
    '/blocks',
    { schema: { summary: 'Whom one has blocked', tags, response: { 200: BlocksAnswer } } },
    async (request) => ({ success, users: await people.listBlocked(core, request.caller.userId) }),
  )

  app.put(
    '/blocks/:user_id',
    {
      schema: {
        summary: 'Block somebody',
        description: 'Their requests are refused as if unknown, their direct messages as if not connected.',
        tags,
        params: BlockParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await people.block(core, request.caller.userId, request.params.user_id)
      return { success }
    },
  )

  app.delete(
    '/blocks/:user_id',
    { schema: { summary: 'End a block', tags, params: BlockParams, response: { 200: Success } } },
    async (request) => {
      await people.unblock(core, request.caller.userId, request.params.user_id)
      return { success }
    },
  )
}
