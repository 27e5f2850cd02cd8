import type { FastifyPluginAsync } from 'fastify'
import {
  ExamParams,
  ExamsQuery,
  StudentExamAnswer,
  StudentExamsAnswer,
} from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import { EXAMS_PER_PAGE } from './exams.service.ts'
import * as service from './published-exams.service.ts'

/** The exams that students may take, at `/api/v01/exams`. */
export const publishedExamRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'exams')

  operation('listExams', 'GET', {
    summary: 'Published exams, newest first',
    query: ExamsQuery,
    answer: StudentExamsAnswer,
    run: async (request) => {
      const { page } = request.query
      const { exams, total } = await service.listPublishedExams(core, request.caller.userId, request.query)
      return { exams, ...describePage(total, page, EXAMS_PER_PAGE) }
    },
  })

  operation('getExam', 'GET /:exam_id', {
    summary: 'An exam, and the attempts that are left',
    params: ExamParams,
    answer: StudentExamAnswer,
    refuses: ['not_found'],
    run: async (request) => ({
      exam: await service.getPublishedExam(core, request.caller.userId, request.params.exam_id),
    }),
  })
}
