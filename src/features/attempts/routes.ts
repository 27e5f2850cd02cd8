import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AttemptParams,
  AttemptsAnswer,
  AttemptsQuery,
  ExamParams,
  ExamsQuery,
  PaperAnswer,
  PrepareAnswer,
  ResultAnswer,
  ResumedAnswer,
  SaveAnswer,
  SaveBody,
  StartedAnswer,
  StatusAnswer,
  StudentExamAnswer,
  StudentExamsAnswer,
  SubmitAnswer,
  SubmitBody,
} from '../../../schemas/attempts.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { describePage, offsetOf } from '../../paging.ts'
import { saveAnswers } from './saving.ts'
import * as service from './service.ts'

const tags = ['exams']
const success = true as const
const PER_PAGE = 50

/** Taking exams (contract §4), at `/api/v01`, for signed-in people. */
export const attemptRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/exams',
    {
      schema: {
        summary: 'Published exams, newest first',
        tags,
        querystring: ExamsQuery,
        response: { 200: StudentExamsAnswer },
      },
    },
    async (request) => {
      const { category_id: categoryId, q, page = 1 } = request.query
      const offset = offsetOf(page, PER_PAGE)
      const { exams, total } = await service.listExams(core, { categoryId, q }, PER_PAGE, offset)
      return { success, exams, ...describePage(total, page, PER_PAGE) }
    },
  )

  app.get(
    '/exams/:exam_id',
    {
      schema: {
        summary: 'An exam, and the attempts that are left',
        tags,
        params: ExamParams,
        response: { 200: StudentExamAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      exam: await service.getExam(core, request.caller.userId, request.params.exam_id),
    }),
  )

  app.post(
    '/exams/:exam_id/prepare',
    {
      schema: {
        summary: 'Ready the paper on this node',
        tags,
        params: ExamParams,
        response: { 200: PrepareAnswer, ...failures('not_found') },
      },
    },
    (request) => service.prepareExam(core, request.caller.userId, request.params.exam_id),
  )

  app.post(
    '/exams/:exam_id/start',
    {
      schema: {
        summary: 'Start an attempt, or resume the active one',
        tags,
        params: ExamParams,
        response: {
          201: StartedAnswer,
          200: ResumedAnswer,
          ...failures('attempts_exhausted', 'not_found', 'exam_empty'),
        },
      },
    },
    async (request, reply) => {
      const examId = request.params.exam_id
      const started = await service.startAttempt(core, request.caller.userId, examId)
      const answer = { success, attempt_id: started.id, redirect_url: `/exam/${examId}` }
      if (started.resumed) return reply.code(200).send({ ...answer, resumed: true })
      return reply
        .code(201)
        .send({ ...answer, resumed: false, attempt_number: started.number, fresh_start: true })
    },
  )

  app.get(
    '/exams/:exam_id/paper',
    {
      schema: {
        summary: "The active attempt's questions and saved answers",
        tags,
        params: ExamParams,
        response: { 200: PaperAnswer, ...failures('not_found', 'no_active_attempt') },
      },
    },
    (request) => service.getActivePaper(core, request.caller.userId, request.params.exam_id),
  )

  app.put(
    '/exams/:exam_id/answers',
    {
      schema: {
        summary: 'Save answers',
        description:
          'Merges them into those saved. A `revision` below the stored one is 409 `stale_revision` with the stored state.',
        tags,
        params: ExamParams,
        body: SaveBody,
        response: { 200: SaveAnswer, ...failures('not_found', 'no_active_attempt', 'stale_revision') },
      },
    },
    (request) => saveAnswers(core, request.caller.userId, request.params.exam_id, request.body),
  )

  app.post(
    '/exams/:exam_id/submit',
    {
      schema: {
        summary: 'Close the active attempt and grade it',
        description: 'Asked again it answers the same with `already_submitted` true.',
        tags,
        params: ExamParams,
        body: SubmitBody,
        response: { 200: SubmitAnswer, ...failures('not_found', 'no_active_attempt') },
      },
    },
    (request) => service.submitAttempt(core, request.caller.userId, request.params.exam_id, request.body),
  )

  app.get(
    '/exams/:exam_id/attempt-status',
    {
      schema: {
        summary: 'Whether an attempt is under way, and how many are left',
        tags,
        params: ExamParams,
        response: { 200: StatusAnswer, ...failures('not_found') },
      },
    },
    (request) => service.getAttemptStatus(core, request.caller.userId, request.params.exam_id),
  )

  app.get(
    '/attempts',
    {
      schema: {
        summary: 'Own finished attempts, newest first',
        tags,
        querystring: AttemptsQuery,
        response: { 200: AttemptsAnswer },
      },
    },
    async (request) => {
      const { exam_id: examId, page = 1 } = request.query
      const offset = offsetOf(page, PER_PAGE)
      const { userId } = request.caller
      const { attempts, total } = await service.listAttempts(core, userId, examId, PER_PAGE, offset)
      return { success, attempts, ...describePage(total, page, PER_PAGE) }
    },
  )

  app.get(
    '/attempts/:attempt_id',
    {
      schema: {
        summary: 'The result of an attempt, question by question',
        tags,
        params: AttemptParams,
        response: { 200: ResultAnswer, ...failures('not_found', 'results_not_released') },
      },
    },
    (request) => service.getResult(core, request.caller.userId, request.params.attempt_id),
  )
}
