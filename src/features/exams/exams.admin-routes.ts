import type { FastifyPluginAsync } from 'fastify'
import { IdParams, Success, SuccessMessage } from '../../../schemas/common.ts'
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
import { OrderBody } from '../../../schemas/questions.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, examIn, teacherIdOf } from '../../http/callers.ts'
import { BULK_BYTES } from '../../http/json-body.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import { orderQuestions } from '../questions/questions.service.ts'
import * as service from './exams.service.ts'

/** Exams as administrators keep them, at `/api/v01/admin/exams`. */
export const examAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exams')

  await app.register(examEditingRoutes, { core })

  operation('describeExamUse', 'GET /:id/changes-mean', {
    summary: 'Whom a change of an exam would affect',
    budget: 'heavy',
    forOwnExam: examIn('params', 'id', 'settings'),
    params: IdParams,
    answer: ChangesMean,
    refuses: ['not_found'],
    run: ({ params }) => service.describeUse(core, params.id),
  })

  operation('orderQuestions', 'PUT /:id/order', {
    summary: "Put an exam's questions into an order",
    description:
      'New papers have it; attempts that have begun keep theirs. Where `ids` are not exactly the exam’s questions, the answer’s `ids` are the stored order.',
    bodyLimit: BULK_BYTES,
    forOwnExam: examIn('params', 'id'),
    params: IdParams,
    body: OrderBody,
    answer: Success,
    refuses: ['not_found', 'order_changed', 'nodes_differ'],
    run: (request) => orderQuestions(core, actorOf(request), request.params.id, request.body.ids),
  })

  operation('deleteExam', 'DELETE /:id', {
    summary: 'Delete an exam with its questions, attempts, results and discussions',
    params: IdParams,
    answer: SuccessMessage,
    refuses: ['not_found'],
    run: async (request) => {
      const gone = await service.deleteExam(core, actorOf(request), request.params.id)
      const belongings = [
        count(gone.questions, 'question'),
        count(gone.attempts, 'attempt'),
        count(gone.results, 'result'),
        count(gone.comments, 'discussion comment'),
      ]
      return { message: `Deleted "${gone.name}" with ${belongings.join(', ')}` }
    },
  })

  operation('releaseResults', 'POST /:id/toggle-results', {
    summary: 'Release or withhold the results',
    forOwnExam: examIn('params', 'id'),
    params: IdParams,
    body: ReleaseBody,
    answer: ReleaseAnswer,
    refuses: ['not_found'],
    run: async (request) => {
      const { name, released } = await service.releaseResults(
        core,
        actorOf(request),
        request.params.id,
        request.body.released,
      )
      return { message: `The results of "${name}" are ${released ? 'released' : 'withheld'}`, released }
    },
  })
}

/** The routes that are the same in both generations. */
export const examEditingRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exams')

  operation('listAllExams', 'GET /', {
    summary: 'All exams, newest first',
    forOwnExam: () => 'handler',
    query: AdminExamsQuery,
    answer: AdminExamsAnswer,
    run: async (request) => {
      const { query } = request
      const { exams, total } = await service.listExams(core, query, teacherIdOf(request))
      return { exams, ...describePage(total, query.page, service.EXAMS_PER_PAGE) }
    },
  })

  operation('createExam', 'POST /', {
    summary: 'Create an exam',
    description: 'Teachers: for classes that they teach.',
    forOwnExam: () => 'handler',
    body: NewExam,
    created: AdminExamAnswer,
    refuses: ['unknown_category', 'draw_too_few', 'forbidden'],
    run: async (request) => ({
      exam: await service.createExam(core, actorOf(request), request.body, teacherIdOf(request)),
    }),
  })

  operation('getExamAsAdmin', 'GET /:id', {
    summary: 'An exam',
    forOwnExam: examIn('params', 'id', 'settings'),
    params: IdParams,
    answer: AdminExamAnswer,
    refuses: ['not_found'],
    run: async (request) => ({ exam: await service.getExam(core, request.params.id) }),
  })

  operation('changeExam', 'PATCH /:id', {
    summary: 'Change an exam',
    description:
      'Attempts that have begun keep their questions. If the times change, their end changes too: 409 `ends_attempts` if that would end some at once, unless `confirm` is true.',
    forOwnExam: examIn('params', 'id'),
    params: IdParams,
    body: ExamChanges,
    answer: AdminExamAnswer,
    refuses: [
      'nothing_to_update',
      'unknown_category',
      'not_found',
      'draw_too_few',
      'forbidden',
      'ends_attempts',
      'changed',
      'too_many',
    ],
    run: async (request) => ({
      exam: await service.changeExam(
        core,
        actorOf(request),
        request.params.id,
        request.body,
        teacherIdOf(request),
      ),
    }),
  })
}

/** `1 question`, `2 questions` */
function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
