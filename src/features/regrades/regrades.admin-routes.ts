import type { FastifyPluginAsync } from 'fastify'
import { ExamParams } from '../../../schemas/attempts.schemas.ts'
import { IdParams } from '../../../schemas/common.ts'
import { RegradeAnswer, RegradeBody, RegradesAnswer } from '../../../schemas/regrades.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, examIn } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import * as service from './regrades.service.ts'

/** For hundreds of thousands of attempts. */
const REGRADE_TIMEOUT_MS = 60_000

/** Corrections of how questions are graded, at `/api/v01/admin`. */
export const regradeAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exam day')

  operation('regradeQuestion', 'POST /exams/:exam_id/regrades', {
    summary: 'Correct how a question is graded, for those who sat the exam too',
    description:
      'Papers stay as they were written. From now on, each result is what its paper and its answers give with all regrades that are in force. With `preview`, nothing is changed, and the answer is 200 with the same body, whose `id` is null.',
    budget: 'none',
    timeoutMs: REGRADE_TIMEOUT_MS,
    forOwnExam: examIn('params', 'exam_id'),
    params: ExamParams,
    body: RegradeBody,
    created: RegradeAnswer,
    answer: RegradeAnswer,
    refuses: ['not_found'],
    run: async (request, reply) => {
      const { params, body } = request
      const act = body.preview ? service.previewRegrade : service.applyRegrade
      const regrade = await act(core, actorOf(request), params.exam_id, body)
      reply.code(body.preview ? 200 : 201)
      return { regrade }
    },
  })

  operation('listRegrades', 'GET /exams/:exam_id/regrades', {
    summary: "An exam's regrades, newest first",
    budget: 'heavy',
    forOwnExam: examIn('params', 'exam_id'),
    params: ExamParams,
    answer: RegradesAnswer,
    refuses: ['not_found'],
    run: async ({ params }) => ({ regrades: await service.listRegrades(core, params.exam_id) }),
  })

  operation('undoRegrade', 'POST /regrades/:id/undo', {
    summary: 'Undo a regrade, in any order',
    budget: 'none',
    timeoutMs: REGRADE_TIMEOUT_MS,
    forOwnExam: ({ params }) => ({ regrade: (params as { id: number }).id }),
    params: IdParams,
    answer: RegradeAnswer,
    refuses: ['not_found', 'already_undone'],
    run: async (request) => ({
      regrade: await service.undoRegrade(core, actorOf(request), request.params.id),
    }),
  })
}
