import type { FastifyPluginAsync } from 'fastify'
import { ReactionParams, ReactionsAnswer } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import { operations } from '../../../http/operations.ts'
import { react } from './reactions.service.ts'

/** Emoji on messages, at `/api/v01/chat/conversations/:id/messages`. */
export const reactionRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')
  const shared = {
    description: 'A repetition changes nothing.',
    params: ReactionParams,
    answer: ReactionsAnswer,
    refuses: ['not_connected', 'not_found', 'deleted', 'too_many'],
  } as const

  operation('addReaction', 'PUT /:message_id/reactions/:emoji', {
    ...shared,
    summary: 'React to a message with an emoji',
    run: ({ caller, params: { id, message_id, emoji } }) =>
      react(core, {
        conversationId: id,
        messageId: message_id,
        userId: caller.userId,
        emoji,
        added: true,
      }),
  })

  operation('removeReaction', 'DELETE /:message_id/reactions/:emoji', {
    ...shared,
    summary: "Take one's reaction back",
    run: ({ caller, params: { id, message_id, emoji } }) =>
      react(core, {
        conversationId: id,
        messageId: message_id,
        userId: caller.userId,
        emoji,
        added: false,
      }),
  })
}
