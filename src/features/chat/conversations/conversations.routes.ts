import type { FastifyPluginAsync } from 'fastify'
import {
  ConversationAnswer,
  ConversationsAnswer,
  ConversationsQuery,
  ReadAnswer,
  ReadBody,
  SettingsAnswer,
  SettingsBody,
  UnreadAnswer,
} from '../../../../schemas/chat.schemas.ts'
import { IdParams } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { operations } from '../../../http/operations.ts'
import * as service from './conversations.service.ts'
import { getCounters } from './memberships.service.ts'

/** The older generation lists all conversations by activity, and counts what is unread in all of them. */
export interface ChatParts {
  core: Core
  isOlder?: boolean
}

/** Own conversations, how far one has read them, and what is unread. Part of `chatRoutes`. */
export const conversationRoutes: FastifyPluginAsync<ChatParts> = async (app, { core, isOlder }) => {
  const operation = operations(app, 'chat')

  operation('listConversations', 'GET /conversations', {
    summary: 'Own conversations, pinned ones first, then by latest activity',
    budget: 'heavy',
    decidesHelpLock: true,
    ...(isOlder ? {} : { query: ConversationsQuery }),
    answer: ConversationsAnswer,
    run: async (request) => ({
      conversations: await service.listConversations(
        core,
        request.caller.userId,
        isOlder ? {} : { archived: (request.query as ConversationsQuery).archived ?? false },
      ),
    }),
  })

  operation('getConversation', 'GET /conversations/:id', {
    summary: 'A conversation with its members',
    paced: true,
    params: IdParams,
    answer: ConversationAnswer,
    refuses: ['not_found'],
    run: async (request) => ({
      conversation: await service.getConversation(core, request.caller.userId, request.params.id),
    }),
  })

  if (!isOlder)
    operation('changeConversationSettings', 'PATCH /conversations/:id/settings', {
      summary: 'Mute, archive or pin a conversation for oneself',
      params: IdParams,
      body: SettingsBody,
      answer: SettingsAnswer,
      refuses: ['not_found', 'too_many'],
      run: async ({ caller, params, body }) => ({
        settings: await service.changeSettings(core, caller.userId, params.id, body),
      }),
    })

  operation('markRead', 'POST /conversations/:id/read', {
    summary: 'Mark messages as read',
    params: IdParams,
    body: ReadBody,
    answer: ReadAnswer,
    refuses: ['not_found'],
    run: async (request) => ({
      unread: await service.markRead(core, request.caller.userId, request.params.id, request.body.up_to_seq),
    }),
  })

  operation('getUnread', 'GET /unread', {
    summary: 'Unread messages and pending requests',
    decidesHelpLock: true,
    answer: UnreadAnswer,
    run: async (request) => {
      const counters = await getCounters(core, request.caller.userId)
      return { ...counters, unread: isOlder ? counters.unread_all : counters.unread }
    },
  })
}
