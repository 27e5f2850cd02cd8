import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AttemptParams, ExamParams } from '../../../schemas/attempts.schemas.ts'
import {
  ExamResultsAnswer,
  ExamResultsQuery,
  StaffReviewAnswer,
  TrialAnswer,
  TrialBody,
  TrialResult,
} from '../../../schemas/exam-results.schemas.ts'
import type { Core } from '../../core.ts'
import { requireExam } from '../../db/exam-rows.ts'
import { examIn } from '../../http/callers.ts'
import { CsvFile, sendCsv } from '../../http/csv-body.ts'
import { failures } from '../../http/failures.ts'
import { sendJson } from '../../http/json-body.ts'
import { describePage } from '../../paging.ts'
import { OPEN_KEYS } from '../attempts/result-visibility.service.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import * as service from './exam-results.service.ts'
import { reviewForStaff } from './staff-review.service.ts'
import { judgeTrial, writeTrial } from './trials.service.ts'

const tags = ['admin: exam day']
const success = true as const

/** What students did, at `/api/v01/admin`. */
export const resultAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/attempts/:attempt_id/review',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'reviewAttempt',
        summary: "A student's attempt, question by question, also before the results are released",
        description: 'While the attempt is under way: only how many questions are answered.',
        tags,
        params: AttemptParams,
        response: { 200: StaffReviewAnswer, ...failures('not_found') },
      },
    },
    async ({ params }) => ({ success, ...(await reviewForStaff(core, params.attempt_id, () => OPEN_KEYS)) }),
  )

  app.get(
    '/exams/:exam_id/results',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listExamResults',
        summary: 'The results of everybody who took an exam, by username',
        tags,
        params: ExamParams,
        querystring: ExamResultsQuery,
        response: { 200: ExamResultsAnswer, ...failures('not_found') },
      },
    },
    async ({ params, query }) => {
      const whose = { examId: params.exam_id, classId: undefined }
      const { total, ...answer } = await service.listExamResults(core, whose, () => OPEN_KEYS, query.page)
      return { success, ...answer, ...describePage(total, query.page, service.RESULTS_PER_PAGE) }
    },
  )

  app.get(
    '/exams/:exam_id/results.csv',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'downloadExamResults',
        summary: 'The results of an exam as a CSV',
        tags,
        params: ExamParams,
        response: { 200: CsvFile, ...failures('not_found') },
      },
    },
    async ({ caller, params }, reply) => {
      await requireExam(core.db, params.exam_id)
      const reading = await toRead(core, caller.userId)
      const rows = service.streamExamResults(
        reading,
        { examId: params.exam_id, classId: undefined },
        () => OPEN_KEYS,
      )
      return sendCsv(reply, 'results', service.RESULT_COLUMNS, rows)
    },
  )

  app.get(
    '/exams/:exam_id/trial',
    {
      config: { budget: 'heavy', forTeachers: examIn('params', 'exam_id') },
      schema: {
        operationId: 'beginTrial',
        summary: 'An exam as a student would get it, to be tried before it is published',
        description:
          'No attempt and no answer of a trial is stored, and it counts nowhere. Teachers: of their own exams.',
        tags,
        params: ExamParams,
        response: { 200: TrialAnswer, ...failures('not_found', 'exam_empty', 'too_many') },
      },
    },
    async ({ params }, reply) => sendJson(reply, await writeTrial(core, params.exam_id)),
  )

  app.post(
    '/exams/:exam_id/trial',
    {
      config: { budget: 'heavy', forTeachers: examIn('params', 'exam_id') },
      schema: {
        operationId: 'judgeTrial',
        summary: 'How the answers of a trial would come out',
        tags,
        params: ExamParams,
        body: TrialBody,
        response: { 200: TrialResult, ...failures('not_found') },
      },
    },
    async ({ params, body }) => ({ success, ...(await judgeTrial(core, params.exam_id, body)) }),
  )
}
