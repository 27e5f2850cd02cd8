import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ConversationAnswer,
  ConversationsAnswer,
  ReadAnswer,
  ReadBody,
  UnreadAnswer,
} from '../../../../schemas/chat.ts'
import { IdParams } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { failures } from '../../../http/failures.ts'
import { countersOf } from '../memberships/service.ts'
import * as service from './service.ts'

const tags = ['chat']
const success = true as const

/** Own conversations, how far one has read them, and what is unread. Part of `chatRoutes`. */
export const conversationRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/conversations',
    {
      config: { heavy: true },
      schema: {
        operationId: 'listConversations',
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
    '/conversations/:id',
    {
      schema: {
        operationId: 'getConversation',
        summary: 'A conversation with its members',
        tags,
        params: IdParams,
        response: { 200: ConversationAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      conversation: await service.getConversation(core, request.caller.userId, request.params.id),
    }),
  )

  app.post(
    '/conversations/:id/read',
    {
      schema: {
        operationId: 'markRead',
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
    {
      schema: {
        operationId: 'getUnread',
        summary: 'Unread messages and pending requests',
        tags,
        response: { 200: UnreadAnswer },
      },
    },
    async (request) => ({ success, ...(await countersOf(core, request.caller.userId)) }),
  )
}
