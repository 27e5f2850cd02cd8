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

/** Own conversations, how far one has read them, and what is unread. Part of `chatRoutes`. */
export const conversationRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('listConversations', 'GET /conversations', {
    summary: 'Own conversations, pinned ones first, then by latest activity',
    budget: 'heavy',
    decidesHelpLock: true,
    query: ConversationsQuery,
    answer: ConversationsAnswer,
    run: async (request) => ({
      conversations: await service.listConversations(core, request.caller.userId, {
        archived: request.query.archived ?? false,
      }),
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
    run: (request) => getCounters(core, request.caller.userId),
  })
}

/** What one sets for a conversation, at `/api/v01/chat`. */
export const conversationSettingsRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

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
}
