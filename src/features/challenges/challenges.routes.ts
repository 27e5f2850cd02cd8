import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AttemptParams } from '../../../schemas/attempts.schemas.ts'
import { ChallengeAnswer, ChallengesAnswer, NewChallenge } from '../../../schemas/challenges.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as service from './challenges.service.ts'

const tags = ['exams']
const success = true as const

/** Objections to one's own results, at `/api/v01/attempts/:attempt_id/challenges`, for signed-in people. */
export const challengeRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '',
    {
      schema: {
        operationId: 'challengeGrading',
        summary: 'Challenge how a question was graded',
        description:
          'For your own results that you can see; one open challenge for each question of an attempt.',
        tags,
        params: AttemptParams,
        body: NewChallenge,
        response: {
          201: ChallengeAnswer,
          ...failures('results_not_released', 'not_found', 'already_pending', 'too_many'),
        },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request
      const challenge = await service.challenge(core, caller.userId, params.attempt_id, body)
      return reply.code(201).send({ success, challenge })
    },
  )

  app.get(
    '',
    {
      schema: {
        operationId: 'listChallenges',
        summary: 'Your challenges of an attempt, and how they were decided',
        tags,
        params: AttemptParams,
        response: { 200: ChallengesAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params }) => ({
      success,
      challenges: await service.listOwnChallenges(core, caller.userId, params.attempt_id),
    }),
  )
}
