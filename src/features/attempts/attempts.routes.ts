import type { FastifyPluginAsync } from 'fastify'
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
import { sendJson } from '../../http/json-body.ts'
import { operations } from '../../http/operations.ts'
import * as service from './attempts.service.ts'
import { saveAnswers } from './saving.service.ts'
import { startAttempt } from './starting.service.ts'

/** Taking exams (docs/protocol/exams.md), at `/api/v01`, for signed-in people. */
export const attemptRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'exams')

  operation('prepareExam', 'POST /exams/:exam_id/prepare', {
    summary: "Load an exam's questions into memory, shortly before many students start",
    params: ExamParams,
    answer: PrepareAnswer,
    refuses: ['not_found'],
    run: (request) => service.prepareExam(core, request.caller.userId, request.params.exam_id),
  })

  operation('startAttempt', 'POST /exams/:exam_id/start', {
    summary: 'Start an attempt, or resume the active one',
    params: ExamParams,
    created: StartedAnswer,
    answer: ResumedAnswer,
    refuses: [
      'attempts_exhausted',
      'teaches_exam',
      'exam_not_open',
      'exam_closed',
      'not_found',
      'exam_empty',
      'too_many',
    ],
    run: async (request, reply) => {
      const examId = request.params.exam_id
      const started = await startAttempt(core, request.caller, examId)
      const answer = { attempt_id: started.id, redirect_url: `/exam/${examId}` }
      if (started.resumed) return { ...answer, resumed: true } as const
      reply.code(201)
      return { ...answer, resumed: false, attempt_number: started.number, fresh_start: true } as const
    },
  })

  operation('getPaper', 'GET /exams/:exam_id/paper', {
    summary: "The active attempt's questions and saved answers",
    params: ExamParams,
    query: PaperQuery,
    answer: PaperAnswer,
    refuses: ['not_found', 'no_active_attempt', 'another_attempt'],
    run: async ({ caller, params, query }, reply) =>
      sendJson(reply, await service.writeActivePaper(core, caller, params.exam_id, query.attempt_id)),
  })

  operation('saveAnswers', 'PUT /exams/:exam_id/answers', {
    summary: 'Save answers',
    description:
      'Merges those that fit into those saved, and names the others. A `revision` below the stored one is 409 `stale_revision` with the stored state; an `attempt_id` of another attempt than the active one is 409 `another_attempt`.',
    params: ExamParams,
    body: SaveBody,
    answer: SaveAnswer,
    refuses: ['not_found', 'no_active_attempt', 'another_attempt', 'stale_revision'],
    run: (request) =>
      saveAnswers(core, request.caller, request.params.exam_id, request.body, request.raw.socket),
  })

  operation('submitAttempt', 'POST /exams/:exam_id/submit', {
    summary: 'Close the active attempt and grade it',
    description: 'If it is repeated, the answer is the same with `already_submitted` true.',
    params: ExamParams,
    body: SubmitBody,
    answer: SubmitAnswer,
    refuses: ['not_found', 'no_active_attempt', 'another_attempt', 'stale_revision'],
    run: (request) =>
      service.submitAttempt(core, request.caller.userId, request.params.exam_id, request.body),
  })

  operation('getAttemptStatus', 'GET /exams/:exam_id/attempt-status', {
    summary: 'Whether an attempt is under way, and how many are left',
    params: ExamParams,
    answer: StatusAnswer,
    refuses: ['not_found'],
    run: (request) => service.getAttemptStatus(core, request.caller.userId, request.params.exam_id),
  })
}

/** The end of an attempt whose time is up, at `/api/v01`. */
export const attemptEndRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'exams')

  operation('endAttempt', 'POST /exams/:exam_id/end', {
    summary: 'Say that this device has nothing more to send, since the time is up',
    description:
      'The attempt is closed at once if no other session has opened it; otherwise at the end of the time in which late answers count.',
    params: ExamParams,
    body: EndBody,
    answer: EndAnswer,
    refuses: ['not_found', 'no_active_attempt', 'another_attempt'],
    run: ({ caller, params, body }) =>
      service.endActiveAttempt(core, caller, params.exam_id, body.attempt_id),
  })
}
