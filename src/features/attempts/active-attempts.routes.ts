import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ActiveAttemptsAnswer } from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { listOwnActive } from './active-attempts.service.ts'

/** What somebody has begun, at `/api/v01/attempts/active`. */
export const activeAttemptRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/active',
    {
      schema: {
        operationId: 'listActiveAttempts',
        summary: 'Own attempts under way, at whatever exam and from whatever device',
        tags: ['exams'],
        response: { 200: ActiveAttemptsAnswer },
      },
    },
    async ({ caller }) => ({
      success: true as const,
      attempts: await listOwnActive(core, caller.userId),
    }),
  )
}
