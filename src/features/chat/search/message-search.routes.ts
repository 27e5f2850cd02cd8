import type { FastifyPluginAsync } from 'fastify'
import { SearchAnswer, SearchQuery } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import { endSignal } from '../../../http/deadline.ts'
import { operations } from '../../../http/operations.ts'
import { askerOf } from '../../../http/request-log.ts'
import { searchMessages } from './message-search.service.ts'

/** Finding what was said, at `/api/v01/chat/search`. */
export const messageSearchRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('searchMessages', 'GET', {
    summary: 'Find messages by their words and the names of their files, newest first',
    description:
      'All words, in any case and accent, the last one as a beginning; no character is an operator. Page by `before`, the id of the last message.',
    budget: 'search',
    query: SearchQuery,
    answer: SearchAnswer,
    refuses: ['not_found'],
    run: async (request, reply) => {
      const { caller, query } = request
      const end = endSignal(request, reply)
      return searchMessages(core, caller.userId, query, askerOf(request), end)
    },
  })
}
