import type { FastifyPluginAsync } from 'fastify'
import { ActiveAttemptsAnswer } from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { listOwnActive } from './active-attempts.service.ts'

/** What somebody has begun, at `/api/v01/attempts/active`. */
export const activeAttemptRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'exams')

  operation('listActiveAttempts', 'GET /active', {
    summary: 'Own attempts under way, at any exam and from any device',
    answer: ActiveAttemptsAnswer,
    run: async ({ caller }) => ({ attempts: await listOwnActive(core, caller.userId) }),
  })
}
