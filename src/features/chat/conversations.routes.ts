import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ConversationAnswer,
  ConversationsAnswer,
  ConversationsQuery,
  ReadAnswer,
  ReadBody,
  SettingsAnswer,
  SettingsBody,
  UnreadAnswer,
} from '../../../schemas/chat.schemas.ts'
import { IdParams } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as service from './conversations.service.ts'
import { getCounters } from './memberships.service.ts'

/** The older generation lists all conversations by activity, and counts what is unread in all of them. */
export interface ChatParts {
  core: Core
  isOlder?: boolean
}

const tags = ['chat']
const success = true as const

/** Own conversations, how far one has read them, and what is unread. Part of `chatRoutes`. */
export const conversationRoutes: FastifyPluginAsyncTypebox<ChatParts> = async (app, { core, isOlder }) => {
  app.get(
    '/conversations',
    {
      config: { budget: 'heavy', decidesHelpLock: true },
      schema: {
        operationId: 'listConversations',
        summary: 'Own conversations, pinned ones first, then by latest activity',
        tags,
        ...(isOlder ? {} : { querystring: ConversationsQuery }),
        response: { 200: ConversationsAnswer },
      },
    },
    async (request) => ({
      success,
      conversations: await service.listConversations(
        core,
        request.caller.userId,
        isOlder ? {} : { archived: (request.query as ConversationsQuery).archived ?? false },
      ),
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

  if (!isOlder)
    app.patch(
      '/conversations/:id/settings',
      {
        schema: {
          operationId: 'changeConversationSettings',
          summary: 'Mute, archive or pin a conversation for oneself',
          tags,
          params: IdParams,
          body: SettingsBody,
          response: { 200: SettingsAnswer, ...failures('not_found', 'too_many') },
        },
      },
      async ({ caller, params, body }) => ({
        success,
        settings: await service.changeSettings(core, caller.userId, params.id, body),
      }),
    )

  app.post(
    '/conversations/:id/read',
    {
      schema: {
        operationId: 'markRead',
        summary: 'Mark messages as read',
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
      config: { decidesHelpLock: true },
      schema: {
        operationId: 'getUnread',
        summary: 'Unread messages and pending requests',
        tags,
        response: { 200: UnreadAnswer },
      },
    },
    async (request) => {
      const counters = await getCounters(core, request.caller.userId)
      return { success, ...counters, unread: isOlder ? counters.unread_all : counters.unread }
    },
  )
}
