import type { FastifyPluginAsync } from 'fastify'
import { SittingsAnswer } from '../../../schemas/exam-results.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { listSittings } from './active-attempts.service.ts'

/** Who is taking an exam, at `/api/v01/admin/attempts/active`, for administrators. */
export const activeAttemptAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exam day')

  operation('listSittings', 'GET /active', {
    summary: 'The exams that students are taking now, with some of these students',
    description: 'The results of an exam have all of them.',
    budget: 'heavy',
    answer: SittingsAnswer,
    run: async () => ({ exams: await listSittings(core) }),
  })
}
