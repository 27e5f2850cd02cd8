import type { FastifyPluginAsync } from 'fastify'
import {
  ClassNewsAnswer,
  ClassNewsChanges,
  ClassNewsListAnswer,
  ClassNewsParams,
  ClassNewsQuery,
  ClassParams,
  NewClassNews,
} from '../../../schemas/classes.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import * as service from './class-news.service.ts'

/** What the teachers of a class tell its members, at `/api/v01/classes/:id/news`. */
export const classNewsRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')

  operation('listClassNews', 'GET', {
    summary: "A class's news, newest first: its members and administrators",
    description:
      'Pinned ones stand first on the first page, and on no other. Frames: topic `class:<id>`, type `class_news`.',
    params: ClassParams,
    query: ClassNewsQuery,
    answer: ClassNewsListAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params, query }) => ({
      news: await service.listNews(core, viewerOf(caller), params.id, query.before),
    }),
  })

  operation('publishClassNews', 'POST', {
    summary: 'Tell a class something: its teachers only',
    description: 'At most 20 a day, deleted ones included (429 `daily_limit`), and 3 pinned ones at once.',
    params: ClassParams,
    body: NewClassNews,
    created: ClassNewsAnswer,
    refuses: ['forbidden', 'not_found', 'class_archived', 'too_many', 'daily_limit'],
    run: async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      return { news: await service.publishNews(core, actor, viewerOf(request.caller), id, request.body) }
    },
  })

  operation('changeClassNews', 'PATCH /:news_id', {
    summary: 'Change news of a class: its teachers and administrators',
    params: ClassNewsParams,
    body: ClassNewsChanges,
    answer: ClassNewsAnswer,
    refuses: ['nothing_to_update', 'forbidden', 'not_found', 'class_archived', 'too_many'],
    run: async (request) => {
      const { id, news_id } = request.params
      const actor = actorOf(request, id)
      const viewer = viewerOf(request.caller)
      return { news: await service.changeNews(core, actor, viewer, id, news_id, request.body) }
    },
  })

  operation('deleteClassNews', 'DELETE /:news_id', {
    summary: 'Delete news of a class: its teachers and administrators',
    params: ClassNewsParams,
    answer: Success,
    refuses: ['forbidden', 'not_found', 'class_archived'],
    run: async (request) => {
      const { id, news_id } = request.params
      await service.deleteNews(core, actorOf(request, id), viewerOf(request.caller), id, news_id)
    },
  })
}
