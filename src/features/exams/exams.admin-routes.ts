import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams, SuccessMessage } from '../../../schemas/common.ts'
import {
  AdminExamAnswer,
  AdminExamsAnswer,
  AdminExamsQuery,
  ChangesMean,
  ExamChanges,
  NewExam,
  ReleaseAnswer,
  ReleaseBody,
} from '../../../schemas/exams.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, examIn, keeperOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as service from './exams.service.ts'

const tags = ['admin: exams']
const success = true as const

/** Exams as administrators keep them, at `/api/v01/admin/exams`. */
export const examAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  await app.register(examEditingRoutes, { core })

  app.get(
    '/:id/changes-mean',
    {
      config: { budget: 'heavy', forTeachers: examIn('params', 'id', 'settings') },
      schema: {
        operationId: 'describeExamUse',
        summary: 'Whom a change of an exam would concern',
        tags,
        params: IdParams,
        response: { 200: ChangesMean, ...failures('not_found') },
      },
    },
    async ({ params }) => ({ success, ...(await service.describeUse(core, params.id)) }),
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteExam',
        summary: 'Delete an exam with its questions, attempts, results and discussions',
        tags,
        params: IdParams,
        response: { 200: SuccessMessage, ...failures('not_found') },
      },
    },
    async (request) => {
      const gone = await service.deleteExam(core, actorOf(request), request.params.id)
      const belongings = [
        count(gone.questions, 'question'),
        count(gone.attempts, 'attempt'),
        count(gone.results, 'result'),
        count(gone.comments, 'discussion comment'),
      ]
      return { success, message: `Deleted "${gone.name}" with ${belongings.join(', ')}` }
    },
  )

  app.post(
    '/:id/toggle-results',
    {
      config: { forTeachers: examIn('params', 'id') },
      schema: {
        operationId: 'releaseResults',
        summary: 'Release or withhold the results',
        tags,
        params: IdParams,
        body: ReleaseBody,
        response: { 200: ReleaseAnswer, ...failures('not_found') },
      },
    },
    async (request) => {
      const { name, released } = await service.releaseResults(
        core,
        actorOf(request),
        request.params.id,
        request.body.released,
      )
      return {
        success,
        message: `The results of "${name}" are ${released ? 'released' : 'withheld'}`,
        released,
      }
    },
  )
}

/** The routes that are the same in both generations. */
export const examEditingRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/',
    {
      config: { forTeachers: () => 'handler' },
      schema: {
        operationId: 'listAllExams',
        summary: 'All exams, newest first',
        tags,
        querystring: AdminExamsQuery,
        response: { 200: AdminExamsAnswer },
      },
    },
    async (request) => {
      const { query } = request
      const { exams, total } = await service.listExams(core, query, keeperOf(request))
      return { success, exams, ...describePage(total, query.page, service.EXAMS_PER_PAGE) }
    },
  )

  app.post(
    '/',
    {
      config: { forTeachers: () => 'handler' },
      schema: {
        operationId: 'createExam',
        summary: 'Create an exam',
        description: 'Teachers: for classes that they teach.',
        tags,
        body: NewExam,
        response: { 201: AdminExamAnswer, ...failures('unknown_category', 'draw_too_few', 'forbidden') },
      },
    },
    async (request, reply) =>
      reply.code(201).send({
        success,
        exam: await service.createExam(core, actorOf(request), request.body, keeperOf(request)),
      }),
  )

  app.get(
    '/:id',
    {
      config: { forTeachers: examIn('params', 'id', 'settings') },
      schema: {
        operationId: 'getExamAsAdmin',
        summary: 'An exam',
        tags,
        params: IdParams,
        response: { 200: AdminExamAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({ success, exam: await service.getExam(core, request.params.id) }),
  )

  app.patch(
    '/:id',
    {
      config: { forTeachers: examIn('params', 'id') },
      schema: {
        operationId: 'changeExam',
        summary: 'Change an exam',
        description:
          'Attempts that have begun keep their questions. If the times change, their end changes too: 409 `ends_attempts` if that would end some at once, unless `confirm` is true.',
        tags,
        params: IdParams,
        body: ExamChanges,
        response: {
          200: AdminExamAnswer,
          ...failures(
            'nothing_to_update',
            'unknown_category',
            'not_found',
            'draw_too_few',
            'forbidden',
            'ends_attempts',
            'changed',
            'too_many',
          ),
        },
      },
    },
    async (request) => ({
      success,
      exam: await service.changeExam(
        core,
        actorOf(request),
        request.params.id,
        request.body,
        keeperOf(request),
      ),
    }),
  )
}

/** `1 question`, `2 questions` */
function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
