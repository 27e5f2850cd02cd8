import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { connectionRoutes } from './connections/connections.routes.ts'
import { peopleRoutes } from './connections/people.routes.ts'
import { type ChatParts, conversationRoutes } from './conversations/conversations.routes.ts'
import { groupRoutes } from './conversations/groups.routes.ts'
import { changeRoutes } from './messages/messages.routes.ts'

/**
 * Peer chat (docs/protocol/http.md#chat), at `/api/v01/chat`, for signed-in people. Listing and sending messages are
 * `messageRoutes`, because the older generation has them at another address.
 */
export const chatRoutes: FastifyPluginAsyncTypebox<ChatParts> = async (app, { core, isOlder = false }) => {
  await app.register(conversationRoutes, { core, isOlder })
  await app.register(changeRoutes, { core })
  await app.register(groupRoutes, { core })
  await app.register(peopleRoutes, { core })
  await app.register(connectionRoutes, { core })
}
