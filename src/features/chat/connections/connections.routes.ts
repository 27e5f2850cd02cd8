import type { FastifyPluginAsync } from 'fastify'
import {
  ConnectAccepted,
  ConnectBody,
  ConnectPending,
  RequestsAnswer,
  RespondAnswer,
  RespondBody,
  RespondParams,
} from '../../../../schemas/chat.schemas.ts'
import { Success } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { operations } from '../../../http/operations.ts'
import * as service from './connections.service.ts'

/** Asking people to connect, and answering. Part of `chatRoutes`. */
export const connectionRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('requestConnection', 'POST /connections', {
    summary: 'Ask somebody to connect',
    description:
      'If the other person has asked already, the two are connected, and the answer is 200 with their conversation.',
    paced: true,
    body: ConnectBody,
    created: ConnectPending,
    answer: ConnectAccepted,
    refuses: [
      'self_connection',
      'not_found',
      'already_connected',
      'already_pending',
      'already_answered',
      'too_many',
    ],
    run: async (request, reply) => {
      const asked = await service.requestConnection(core, request.caller.userId, request.body.recipient_id)
      if (asked.status === 'pending') {
        reply.code(201)
        return { conn_id: asked.connId, status: asked.status }
      }
      return { conn_id: asked.connId, status: asked.status, conv_id: asked.conversationId }
    },
  })

  operation('listConnectionRequests', 'GET /connections/requests', {
    summary: 'Incoming pending requests',
    budget: 'heavy',
    answer: RequestsAnswer,
    run: async (request) => ({ requests: await service.listRequests(core, request.caller.userId) }),
  })

  operation('respondToConnectionRequest', 'POST /connections/:conn_id/respond', {
    summary: 'Accept or reject a request',
    params: RespondParams,
    body: RespondBody,
    answer: RespondAnswer,
    refuses: ['not_found', 'already_answered'],
    run: async (request) => ({
      conv_id: await service.respondToRequest(
        core,
        request.caller.userId,
        request.params.conn_id,
        request.body.action,
      ),
    }),
  })

  operation('endConnection', 'DELETE /connections/:conn_id', {
    summary: 'End a connection, or withdraw a request',
    description: 'The conversation stays readable; sending there is refused.',
    paced: true,
    params: RespondParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      await service.endConnection(core, request.caller.userId, request.params.conn_id)
    },
  })
}
