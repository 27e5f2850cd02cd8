import type { FastifyPluginAsync } from 'fastify'
import {
  AdminChallengesAnswer,
  AdminChallengesQuery,
  ChallengeAnswer,
  ResolveBody,
} from '../../../schemas/challenges.schemas.ts'
import { IdParams } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf, teacherIdOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as service from './challenges.service.ts'

/** What students object to, at `/api/v01/admin/challenges`. */
export const challengeAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exam day')

  operation('listAllChallenges', 'GET', {
    summary: 'Challenges by students, newest first',
    forOwnExam: () => 'handler',
    query: AdminChallengesQuery,
    answer: AdminChallengesAnswer,
    run: async (request) => {
      const { query } = request
      const { challenges, total } = await service.listChallenges(core, query, teacherIdOf(request))
      return { challenges, ...describePage(total, query.page, service.CHALLENGES_PER_PAGE) }
    },
  })

  operation('resolveChallenge', 'POST /:id/resolve', {
    summary: 'Accept or reject a challenge',
    description: 'Changes no result: that is what a regrade is for.',
    forOwnExam: ({ params }) => ({ challenge: (params as { id: number }).id }),
    params: IdParams,
    body: ResolveBody,
    answer: ChallengeAnswer,
    refuses: ['not_found', 'already_processed'],
    run: async (request) => ({
      challenge: await service.resolveChallenge(core, actorOf(request), request.params.id, request.body),
    }),
  })
}
