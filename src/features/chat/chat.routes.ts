import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Core } from '../../core.ts'
import { connectionRoutes } from './connections/connections.routes.ts'
import { peopleRoutes } from './connections/people.routes.ts'
import { conversationRoutes } from './conversations/conversations.routes.ts'
import { groupRoutes } from './conversations/groups.routes.ts'
import { changeRoutes } from './messages/messages.routes.ts'

/**
 * Peer chat (docs/protocol/http.md#chat), at `/api/v01/chat`, for signed-in people. Others are `messageRoutes`, below a
 * conversation's address, and `conversationSettingsRoutes`.
 */
export const chatRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  await app.register(conversationRoutes, { core })
  await app.register(changeRoutes, { core })
  await app.register(groupRoutes, { core })
  await app.register(peopleRoutes, { core })
  await app.register(connectionRoutes, { core })
}
