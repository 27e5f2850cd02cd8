import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  EndAnswer,
  EndBody,
  ExamParams,
  PaperAnswer,
  PaperQuery,
  PrepareAnswer,
  ResumedAnswer,
  SaveAnswer,
  SaveBody,
  StartedAnswer,
  StatusAnswer,
  SubmitAnswer,
  SubmitBody,
} from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { sendJson } from '../../http/json-body.ts'
import * as service from './attempts.service.ts'
import { saveAnswers } from './saving.service.ts'
import { startAttempt } from './starting.service.ts'

const tags = ['exams']
const success = true as const

/** Taking exams (docs/protocol/exams.md), at `/api/v01`, for signed-in people. */
export const attemptRoutes: FastifyPluginAsyncTypebox<{ core: Core; isOlder?: boolean }> = async (
  app,
  { core, isOlder = false },
) => {
  app.post(
    '/exams/:exam_id/prepare',
    {
      schema: {
        operationId: 'prepareExam',
        summary: "Load an exam's questions into memory, shortly before many students start",
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
            'teaches_exam',
            'exam_not_open',
            'exam_closed',
            'not_found',
            'exam_empty',
            'too_many',
            ...(isOlder ? (['newer_kinds'] as const) : []),
          ),
        },
      },
    },
    async (request, reply) => {
      const examId = request.params.exam_id
      if (isOlder) await service.requireOlderKinds(core, request.caller.userId, examId)
      const started = await startAttempt(core, request.caller, examId)
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
        querystring: PaperQuery,
        response: { 200: PaperAnswer, ...failures('not_found', 'no_active_attempt', 'another_attempt') },
      },
    },
    async ({ caller, params, query }, reply) =>
      sendJson(
        reply,
        await service.writeActivePaper(core, caller, params.exam_id, {
          attemptId: query.attempt_id,
          isOlder,
        }),
      ),
  )

  app.put(
    '/exams/:exam_id/answers',
    {
      schema: {
        operationId: 'saveAnswers',
        summary: 'Save answers',
        description:
          'Merges those that fit into those saved, and names the others. A `revision` below the stored one is 409 `stale_revision` with the stored state; an `attempt_id` of another attempt than the active one is 409 `another_attempt`.',
        tags,
        params: ExamParams,
        body: SaveBody,
        response: {
          200: SaveAnswer,
          ...failures('not_found', 'no_active_attempt', 'another_attempt', 'stale_revision'),
        },
      },
    },
    async (request) => ({
      success,
      ...(await saveAnswers(core, request.caller, request.params.exam_id, request.body, request.raw.socket)),
    }),
  )

  app.post(
    '/exams/:exam_id/submit',
    {
      schema: {
        operationId: 'submitAttempt',
        summary: 'Close the active attempt and grade it',
        description: 'If it is repeated, the answer is the same with `already_submitted` true.',
        tags,
        params: ExamParams,
        body: SubmitBody,
        response: {
          200: SubmitAnswer,
          ...failures('not_found', 'no_active_attempt', 'another_attempt', 'stale_revision'),
        },
      },
    },
    async (request) => ({
      success,
      ...(await service.submitAttempt(core, request.caller.userId, request.params.exam_id, request.body)),
    }),
  )

  if (!isOlder)
    app.post(
      '/exams/:exam_id/end',
      {
        schema: {
          operationId: 'endAttempt',
          summary: 'Say that this device has nothing more to send, since the time is up',
          description:
            'The attempt is closed at once if no other session has opened it; otherwise at the end of the time in which late answers count.',
          tags,
          params: ExamParams,
          body: EndBody,
          response: { 200: EndAnswer, ...failures('not_found', 'no_active_attempt', 'another_attempt') },
        },
      },
      async ({ caller, params, body }) => ({
        success,
        ...(await service.endActiveAttempt(core, caller, params.exam_id, body.attempt_id)),
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
