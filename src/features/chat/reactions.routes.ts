import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ReactionParams, ReactionsAnswer } from '../../../schemas/chat.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { react } from './reactions.service.ts'

const tags = ['chat']
const success = true as const

/** Emoji on messages, at `/api/v01/chat/conversations/:id/messages`. */
export const reactionRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const answers = {
    200: ReactionsAnswer,
    ...failures('not_connected', 'not_found', 'deleted', 'too_many'),
  }

  app.put(
    '/:message_id/reactions/:emoji',
    {
      schema: {
        operationId: 'addReaction',
        summary: 'React to a message with an emoji',
        description: 'A repetition changes nothing.',
        tags,
        params: ReactionParams,
        response: answers,
      },
    },
    async ({ caller, params: { id, message_id, emoji } }) => {
      const { userId } = caller
      const input = { conversationId: id, messageId: message_id, userId, emoji, added: true }
      return { success, ...(await react(core, input)) }
    },
  )

  app.delete(
    '/:message_id/reactions/:emoji',
    {
      schema: {
        operationId: 'removeReaction',
        summary: "Take one's reaction back",
        description: 'A repetition changes nothing.',
        tags,
        params: ReactionParams,
        response: answers,
      },
    },
    async ({ caller, params: { id, message_id, emoji } }) => {
      const { userId } = caller
      const input = { conversationId: id, messageId: message_id, userId, emoji, added: false }
      return { success, ...(await react(core, input)) }
    },
  )
}
