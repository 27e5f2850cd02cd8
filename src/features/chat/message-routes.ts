import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { MessageAnswer, MessagesAnswer, MessagesQuery, SendBody } from '../../../schemas/chat.ts'
import { IdParams } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as service from './service.ts'

const tags = ['chat']
const success = true as const

/** The messages of the conversation `:id`, at `/api/v01/chat/conversations/:id/messages`. */
export const messageRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
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
    '',
    {
      schema: {
        summary: 'Send a message',
        description: 'Repeated with the same `client_id` it answers 200 with the first message.',
        tags,
        params: IdParams,
        body: SendBody,
        response: {
          201: MessageAnswer,
          200: MessageAnswer,
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
}
