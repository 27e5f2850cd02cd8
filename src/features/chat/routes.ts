import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ChangesAnswer,
  ChangesQuery,
  ConversationAnswer,
  ConversationsAnswer,
  EditBody,
  MessageAnswer,
  ReadAnswer,
  ReadBody,
} from '../../../schemas/chat.ts'
import { IdParams, Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as conversations from './conversations.ts'
import { groupRoutes } from './groups-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import * as service from './service.ts'

const tags = ['chat']
const success = true as const

/** Peer chat (contract §6), at `/api/v01/chat`, for signed-in people; listing and sending are `messageRoutes`. */
export const chatRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  await app.register(peopleRoutes, { core })
  await app.register(groupRoutes, { core })

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
      conversations: await conversations.listConversations(core, request.caller.userId),
    }),
  )

  app.get(
    '/conversations/:id',
    {
      schema: {
        summary: 'A conversation with its members',
        tags,
        params: IdParams,
        response: { 200: ConversationAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      conversation: await conversations.describeConversation(core, request.caller.userId, request.params.id),
    }),
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

  app.patch(
    '/messages/:id',
    {
      schema: {
        summary: "Edit one's own message",
        tags,
        params: IdParams,
        body: EditBody,
        response: { 200: MessageAnswer, ...failures('not_owner', 'not_connected', 'not_found') },
      },
    },
    async (request) => ({
      success,
      message: await service.editMessage(
        core,
        request.caller.userId,
        request.params.id,
        request.body.message,
      ),
    }),
  )

  app.delete(
    '/messages/:id',
    {
      schema: {
        summary: "Delete one's own message",
        description: 'A tombstone with empty text stays in its place.',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_owner', 'not_found') },
      },
    },
    async (request) => {
      await service.deleteMessage(core, request.caller.userId, request.params.id)
      return { success }
    },
  )
}
