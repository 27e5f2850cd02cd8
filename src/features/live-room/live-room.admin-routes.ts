import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ExamParams } from '../../../schemas/attempts.schemas.ts'
import {
  ExamMessageBody,
  HandInBody,
  LiveDoneAnswer,
  LiveExtendAnswer,
  LiveExtendBody,
  LiveRoomAnswer,
} from '../../../schemas/live-room.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, examIn, viewerOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import * as acting from './acting.service.ts'
import { getRoom } from './live-room.service.ts'

/** An exam while it is taken, at `/api/v01/admin/exams/:exam_id/live`. */
export const liveRoomAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exam day', { forOwnExam: examIn('params', 'exam_id') })
  const roomOf = ({ caller, params }: FastifyRequest<{ Params: ExamParams }>): acting.Room => ({
    examId: params.exam_id,
    classId: undefined,
    viewer: viewerOf(caller),
  })

  operation('getLiveRoom', 'GET', {
    summary: 'Who is taking an exam, and how far they are',
    description:
      'Numbers of answers, never answers, and no marks. Frames: topic `live:<exam_id>`, type `live`.',
    budget: 'heavy',
    params: ExamParams,
    answer: LiveRoomAnswer,
    refuses: ['not_found'],
    run: ({ params }) => getRoom(core, { examId: params.exam_id, classId: undefined }),
  })

  operation('extendLive', 'POST /extend', {
    summary: 'Give everybody, or some, more minutes',
    description:
      'As `extendExam`, and says for whom it wasn’t done. Attempts of people who are named that their time has closed, or a teacher handed in, are opened again.',
    params: ExamParams,
    body: LiveExtendBody,
    answer: LiveExtendAnswer,
    refuses: ['not_found', 'nodes_differ'],
    run: (request) => acting.extendLive(core, actorOf(request), roomOf(request), request.body),
  })

  operation('handIn', 'POST /hand-in', {
    summary: 'Hand in for people whose attempts are under way',
    description:
      'They are graded as they were saved. 409 `not_connected` names the `ids` of people who may have answers on a device, unless `confirm` is true.',
    params: ExamParams,
    body: HandInBody,
    answer: LiveDoneAnswer,
    refuses: ['not_found', 'nodes_differ', 'already_submitted', 'no_active_attempt', ['not_connected', 409]],
    run: (request) => acting.handIn(core, actorOf(request), roomOf(request), request.body),
  })

  operation('sendExamMessage', 'POST /message', {
    summary: 'Tell people who are taking the exam something',
    description: 'Frame `exam_message`; the paper has it in `messages`. At most 50 of an attempt.',
    params: ExamParams,
    body: ExamMessageBody,
    answer: LiveDoneAnswer,
    refuses: ['not_found'],
    run: (request) => acting.sendExamMessage(core, actorOf(request), roomOf(request), request.body),
  })
}
