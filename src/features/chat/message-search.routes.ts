import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SearchAnswer, SearchQuery } from '../../../schemas/chat.schemas.ts'
import { endSignal } from '../../admission/deadline.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { askerOf } from '../../http/request-log.ts'
import { searchMessages } from './message-search.service.ts'

const success = true as const

/** Finding what was said, at `/api/v01/chat/search`. */
export const messageSearchRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { budget: 'search' },
      schema: {
        operationId: 'searchMessages',
        summary: 'Find messages by their words and the names of their files, newest first',
        description:
          'All words, in any case and accent, the last one as a beginning; no character is an operator. Page by `before`, the id of the last message.',
        tags: ['chat'],
        querystring: SearchQuery,
        response: { 200: SearchAnswer, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { caller, query } = request
      const end = endSignal(request, reply)
      return { success, ...(await searchMessages(core, caller.userId, query, askerOf(request), end)) }
    },
  )
}
