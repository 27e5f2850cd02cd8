import type { FastifyPluginAsync } from 'fastify'
import {
  NoticesAnswer,
  NoticesQuery,
  NoticesReadAnswer,
  NoticesReadBody,
} from '../../../schemas/notices.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { ownLanguageOf } from '../../http/request-language.ts'
import * as service from './notices.service.ts'

/** What somebody was told (docs/protocol/notices.md), at `/api/v01/notices`. */
export const noticeRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'notices')

  operation('listNotices', 'GET', {
    summary: 'What is new for oneself, newest first',
    description:
      'Texts are in the language of the account, else in that of `Accept-Language`. Frames: type `notice`.',
    query: NoticesQuery,
    answer: NoticesAnswer,
    run: (request) => {
      const { before, limit } = request.query
      return service.listNotices(core, request.caller.userId, { before, limit }, ownLanguageOf(request))
    },
  })

  operation('readNotices', 'POST /read', {
    summary: 'Say up to which notice one has read; never back',
    body: NoticesReadBody,
    answer: NoticesReadAnswer,
    run: async ({ caller, body }) => ({ unread: await service.readNotices(core, caller.userId, body.up_to) }),
  })
}
