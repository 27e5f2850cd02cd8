import type { FastifyPluginAsync } from 'fastify'
import { AttemptParams } from '../../../schemas/attempts.schemas.ts'
import { ChallengeAnswer, ChallengesAnswer, NewChallenge } from '../../../schemas/challenges.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import * as service from './challenges.service.ts'

/** Objections to one's own results, at `/api/v01/attempts/:attempt_id/challenges`, for signed-in people. */
export const challengeRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'exams')

  operation('challengeGrading', 'POST', {
    summary: 'Challenge how a question was graded',
    description: 'For your own results that you can see; one open challenge for each question of an attempt.',
    params: AttemptParams,
    body: NewChallenge,
    created: ChallengeAnswer,
    refuses: ['results_not_released', 'not_found', 'already_pending', 'too_many'],
    run: async (request) => {
      const { caller, params, body } = request
      const challenge = await service.challenge(core, caller.userId, params.attempt_id, body)
      return { challenge }
    },
  })

  operation('listChallenges', 'GET', {
    summary: 'Your challenges of an attempt, and how they were decided',
    params: AttemptParams,
    answer: ChallengesAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params }) => ({
      challenges: await service.listOwnChallenges(core, caller.userId, params.attempt_id),
    }),
  })
}
