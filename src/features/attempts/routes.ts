import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ExamParams,
  PaperAnswer,
  PrepareAnswer,
  ResumedAnswer,
  SaveAnswer,
  SaveBody,
  StartedAnswer,
  StatusAnswer,
  SubmitAnswer,
  SubmitBody,
} from '../../../schemas/exams/attempts.ts'
import type { Core } from '../../core.ts'
import { sendJson } from '../../http/bodies/json.ts'
import { failures } from '../../http/failures.ts'
import { saveAnswers } from './saving/service.ts'
import * as service from './service.ts'
import { startAttempt } from './starting/service.ts'

const tags = ['exams']
const success = true as const

/** Taking exams (docs/protocol/exams.md), at `/api/v01`, for signed-in people. */
export const attemptRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/exams/:exam_id/prepare',
    {
      schema: {
        operationId: 'prepareExam',
        summary: 'Ready the paper on this node',
        tags,
        params: ExamParams,
        response: { 200: PrepareAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.prepareExam(core, request.caller.userId, request.params.exam_id)),
    }),
  )

  app.post(
    '/exams/:exam_id/start',
    {
      schema: {
        operationId: 'startAttempt',
        summary: 'Start an attempt, or resume the active one',
        tags,
        params: ExamParams,
        response: {
          201: StartedAnswer,
          200: ResumedAnswer,
          ...failures(
            'attempts_exhausted',
            'exam_not_open',
            'exam_closed',
            'not_found',
            'exam_empty',
            'too_many',
          ),
        },
      },
    },
    async (request, reply) => {
      const examId = request.params.exam_id
      const started = await startAttempt(core, request.caller.userId, examId)
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
        operationId: 'getPaper',
        summary: "The active attempt's questions and saved answers",
        tags,
        params: ExamParams,
        response: { 200: PaperAnswer, ...failures('not_found', 'no_active_attempt') },
      },
    },
    async (request, reply) =>
      sendJson(reply, await service.writeActivePaper(core, request.caller.userId, request.params.exam_id)),
  )

  app.put(
    '/exams/:exam_id/answers',
    {
      schema: {
        operationId: 'saveAnswers',
        summary: 'Save answers',
        description:
          'Merges those that fit into those saved, and names the others. A `revision` below the stored one is 409 `stale_revision` with the stored state.',
        tags,
        params: ExamParams,
        body: SaveBody,
        response: { 200: SaveAnswer, ...failures('not_found', 'no_active_attempt', 'stale_revision') },
      },
    },
    async (request) => ({
      success,
      ...(await saveAnswers(
        core,
        request.caller.userId,
        request.params.exam_id,
        request.body,
        request.raw.socket,
      )),
    }),
  )

  app.post(
    '/exams/:exam_id/submit',
    {
      schema: {
        operationId: 'submitAttempt',
        summary: 'Close the active attempt and grade it',
        description: 'Asked again it answers the same with `already_submitted` true.',
        tags,
        params: ExamParams,
        body: SubmitBody,
        response: { 200: SubmitAnswer, ...failures('not_found', 'no_active_attempt', 'stale_revision') },
      },
    },
    async (request) => ({
      success,
      ...(await service.submitAttempt(core, request.caller.userId, request.params.exam_id, request.body)),
    }),
  )

  app.get(
    '/exams/:exam_id/attempt-status',
    {
      schema: {
        operationId: 'getAttemptStatus',
        summary: 'Whether an attempt is under way, and how many are left',
        tags,
        params: ExamParams,
        response: { 200: StatusAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.getAttemptStatus(core, request.caller.userId, request.params.exam_id)),
    }),
  )
}
