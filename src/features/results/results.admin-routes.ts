import type { FastifyPluginAsync } from 'fastify'
import { AttemptParams, ExamParams } from '../../../schemas/attempts.schemas.ts'
import {
  AdminReviewAnswer,
  ExamResultsAnswer,
  ExamResultsQuery,
  TrialAnswer,
  TrialBody,
  TrialResult,
} from '../../../schemas/exam-results.schemas.ts'
import type { Core } from '../../core.ts'
import { requireExam } from '../../db/exam-rows.ts'
import { examIn } from '../../http/callers.ts'
import { CsvFile, sendCsv } from '../../http/csv-body.ts'
import { sendJson } from '../../http/json-body.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import { OPEN_KEYS } from '../attempts/result-visibility.service.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import * as service from './exam-results.service.ts'
import { reviewForAdmins } from './staff-review.service.ts'
import { judgeTrial, writeTrial } from './trials.service.ts'

/** What students did, at `/api/v01/admin`. */
export const resultAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exam day')

  operation('reviewAttempt', 'GET /attempts/:attempt_id/review', {
    summary: "A student's attempt, question by question, also before the results are released",
    description: 'While the attempt is under way: only how many questions are answered.',
    budget: 'heavy',
    params: AttemptParams,
    answer: AdminReviewAnswer,
    refuses: ['not_found'],
    run: ({ params }) => reviewForAdmins(core, params.attempt_id),
  })

  operation('listExamResults', 'GET /exams/:exam_id/results', {
    summary: 'The results of everybody who took an exam, by username',
    budget: 'heavy',
    params: ExamParams,
    query: ExamResultsQuery,
    answer: ExamResultsAnswer,
    refuses: ['not_found'],
    run: async ({ params, query }) => {
      const whose = { examId: params.exam_id, classId: undefined }
      const { total, ...answer } = await service.listExamResults(core, whose, () => OPEN_KEYS, query.page)
      return { ...answer, ...describePage(total, query.page, service.RESULTS_PER_PAGE) }
    },
  })

  operation('downloadExamResults', 'GET /exams/:exam_id/results.csv', {
    summary: 'The results of an exam as a CSV',
    budget: 'heavy',
    params: ExamParams,
    answer: CsvFile,
    refuses: ['not_found'],
    run: async ({ caller, params }, reply) => {
      await requireExam(core.db, params.exam_id)
      const reading = await toRead(core, caller.userId)
      const rows = service.streamExamResults(
        reading,
        { examId: params.exam_id, classId: undefined },
        () => OPEN_KEYS,
      )
      return sendCsv(reply, 'results', service.RESULT_COLUMNS, rows)
    },
  })

  operation('beginTrial', 'GET /exams/:exam_id/trial', {
    summary: 'An exam as a student would get it, to be tried before it is published',
    description:
      'No attempt and no answer of a trial is stored, and it counts nowhere. Teachers: of their own exams.',
    budget: 'heavy',
    forOwnExam: examIn('params', 'exam_id'),
    params: ExamParams,
    answer: TrialAnswer,
    refuses: ['not_found', 'exam_empty', 'too_many'],
    run: async ({ params }, reply) => sendJson(reply, await writeTrial(core, params.exam_id)),
  })

  operation('judgeTrial', 'POST /exams/:exam_id/trial', {
    summary: 'How the answers of a trial would come out',
    budget: 'heavy',
    forOwnExam: examIn('params', 'exam_id'),
    params: ExamParams,
    body: TrialBody,
    answer: TrialResult,
    refuses: ['not_found'],
    run: ({ params, body }) => judgeTrial(core, params.exam_id, body),
  })
}
