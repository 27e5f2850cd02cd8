import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SittingsAnswer } from '../../../schemas/exam-results.schemas.ts'
import type { Core } from '../../core.ts'
import { listSittings } from './active-attempts.service.ts'

/** Who is taking an exam, at `/api/v01/admin/attempts/active`, for administrators. */
export const activeAttemptAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/active',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listSittings',
        summary: 'The exams that students are taking now, with some of these students',
        description: 'The results of an exam have all of them.',
        tags: ['admin: exam day'],
        response: { 200: SittingsAnswer },
      },
    },
    async () => ({ success: true as const, exams: await listSittings(core) }),
  )
}
