import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ConnectAccepted,
  ConnectBody,
  ConnectPending,
  RequestsAnswer,
  RespondAnswer,
  RespondBody,
  RespondParams,
} from '../../../schemas/chat.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as service from './connections.service.ts'

const tags = ['chat']
const success = true as const

/** Asking people to connect, and answering. Part of `chatRoutes`. */
export const connectionRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/connections',
    {
      schema: {
        operationId: 'requestConnection',
        summary: 'Ask somebody to connect',
        description:
          'If the other person has asked already, the two are connected, and the answer is 200 with their conversation.',
        tags,
        body: ConnectBody,
        response: {
          201: ConnectPending,
          200: ConnectAccepted,
          ...failures(
            'self_connection',
            'not_found',
            'already_connected',
            'already_pending',
            'already_answered',
            'too_many',
          ),
        },
      },
    },
    async (request, reply) => {
      const asked = await service.requestConnection(core, request.caller.userId, request.body.recipient_id)
      if (asked.status === 'pending')
        return reply.code(201).send({ success, conn_id: asked.connId, status: asked.status })
      return reply
        .code(200)
        .send({ success, conn_id: asked.connId, status: asked.status, conv_id: asked.conversationId })
    },
  )

  app.get(
    '/connections/requests',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listConnectionRequests',
        summary: 'Incoming pending requests',
        tags,
        response: { 200: RequestsAnswer },
      },
    },
    async (request) => ({ success, requests: await service.listRequests(core, request.caller.userId) }),
  )

  app.post(
    '/connections/:conn_id/respond',
    {
      schema: {
        operationId: 'respondToConnectionRequest',
        summary: 'Accept or reject a request',
        tags,
        params: RespondParams,
        body: RespondBody,
        response: { 200: RespondAnswer, ...failures('not_found', 'already_answered') },
      },
    },
    async (request) => ({
      success,
      conv_id: await service.respondToRequest(
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
        operationId: 'endConnection',
        summary: 'End a connection, or withdraw a request',
        description: 'The conversation stays readable; sending there is refused.',
        tags,
        params: RespondParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await service.endConnection(core, request.caller.userId, request.params.conn_id)
      return { success }
    },
  )
}
