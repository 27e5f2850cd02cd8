import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AdminChallengesAnswer,
  AdminChallengesQuery,
  ChallengeAnswer,
  ResolveBody,
} from '../../../schemas/challenges.schemas.ts'
import { IdParams } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf, keeperOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as service from './challenges.service.ts'

const tags = ['admin: exam day']
const success = true as const

/** What students object to, at `/api/v01/admin/challenges`. */
export const challengeAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { forTeachers: () => 'handler' },
      schema: {
        operationId: 'listAllChallenges',
        summary: 'Challenges by students, newest first',
        tags,
        querystring: AdminChallengesQuery,
        response: { 200: AdminChallengesAnswer },
      },
    },
    async (request) => {
      const { query } = request
      const { challenges, total } = await service.listChallenges(core, query, keeperOf(request))
      return { success, challenges, ...describePage(total, query.page, service.CHALLENGES_PER_PAGE) }
    },
  )

  app.post(
    '/:id/resolve',
    {
      config: { forTeachers: ({ params }) => ({ challenge: (params as { id: number }).id }) },
      schema: {
        operationId: 'resolveChallenge',
        summary: 'Accept or reject a challenge',
        description: 'Changes no result: that is what a regrade is for.',
        tags,
        params: IdParams,
        body: ResolveBody,
        response: { 200: ChallengeAnswer, ...failures('not_found', 'already_processed') },
      },
    },
    async (request) => ({
      success,
      challenge: await service.resolveChallenge(core, actorOf(request), request.params.id, request.body),
    }),
  )
}
