import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ExamParams,
  ExamsQuery,
  StudentExamAnswer,
  StudentExamsAnswer,
} from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import { EXAMS_PER_PAGE } from './exams.service.ts'
import * as service from './published-exams.service.ts'

const tags = ['exams']
const success = true as const

/** The exams that students may take, at `/api/v01/exams`. */
export const publishedExamRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listExams',
        summary: 'Published exams, newest first',
        tags,
        querystring: ExamsQuery,
        response: { 200: StudentExamsAnswer },
      },
    },
    async (request) => {
      const { page } = request.query
      const { exams, total } = await service.listPublishedExams(core, request.caller.userId, request.query)
      return { success, exams, ...describePage(total, page, EXAMS_PER_PAGE) }
    },
  )

  app.get(
    '/:exam_id',
    {
      schema: {
        operationId: 'getExam',
        summary: 'An exam, and the attempts that are left',
        tags,
        params: ExamParams,
        response: { 200: StudentExamAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      exam: await service.getPublishedExam(core, request.caller.userId, request.params.exam_id),
    }),
  )
}
