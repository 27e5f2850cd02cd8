import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ExamParams } from '../../../schemas/attempts.schemas.ts'
import { IdParams } from '../../../schemas/common.ts'
import { RegradeAnswer, RegradeBody, RegradesAnswer } from '../../../schemas/regrades.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, examIn } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import * as service from './regrades.service.ts'

const tags = ['admin: exam day']
const success = true as const
/** For hundreds of thousands of attempts. */
const REGRADE_TIMEOUT_MS = 60_000

/** Corrections of how questions are graded, at `/api/v01/admin`. */
export const regradeAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/exams/:exam_id/regrades',
    {
      config: {
        budget: 'none',
        timeoutMs: REGRADE_TIMEOUT_MS,
        forTeachers: examIn('params', 'exam_id'),
      },
      schema: {
        operationId: 'regradeQuestion',
        summary: 'Correct how a question is graded, for those who sat the exam too',
        description:
          'Papers stay as they were written. From now on, each result is what its paper and its answers give with all regrades that are in force. With `preview`, nothing is changed, and the answer is 200 with the same body, whose `id` is null.',
        tags,
        params: ExamParams,
        body: RegradeBody,
        response: { 201: RegradeAnswer, 200: RegradeAnswer, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { params, body } = request
      const act = body.preview ? service.previewRegrade : service.applyRegrade
      const regrade = await act(core, actorOf(request), params.exam_id, body)
      return reply.code(body.preview ? 200 : 201).send({ success, regrade })
    },
  )

  app.get(
    '/exams/:exam_id/regrades',
    {
      config: { budget: 'heavy', forTeachers: examIn('params', 'exam_id') },
      schema: {
        operationId: 'listRegrades',
        summary: "An exam's regrades, newest first",
        tags,
        params: ExamParams,
        response: { 200: RegradesAnswer, ...failures('not_found') },
      },
    },
    async ({ params }) => ({ success, regrades: await service.listRegrades(core, params.exam_id) }),
  )

  app.post(
    '/regrades/:id/undo',
    {
      config: {
        budget: 'none',
        timeoutMs: REGRADE_TIMEOUT_MS,
        forTeachers: ({ params }) => ({ regrade: (params as { id: number }).id }),
      },
      schema: {
        operationId: 'undoRegrade',
        summary: 'Undo a regrade, in any order',
        tags,
        params: IdParams,
        response: { 200: RegradeAnswer, ...failures('not_found', 'already_undone') },
      },
    },
    async (request) => ({
      success,
      regrade: await service.undoRegrade(core, actorOf(request), request.params.id),
    }),
  )
}
