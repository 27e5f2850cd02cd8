import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ClassExamParams } from '../../../schemas/classes.schemas.ts'
import {
  ExamMessageBody,
  HandInBody,
  LiveDoneAnswer,
  LiveExtendAnswer,
  LiveExtendBody,
  LiveRoomAnswer,
} from '../../../schemas/live-room.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import * as acting from './acting.service.ts'
import { getRoom, requireWatcher } from './live-room.service.ts'

const refusals = ['forbidden', 'not_found', 'class_archived'] as const

/** An exam of a class while it is taken, at `/api/v01/classes/:id/exams/:exam_id/live`, for its teachers. */
export const classLiveRoomRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')
  type RoomRequest = FastifyRequest<{ Params: ClassExamParams }>
  const roomOf = ({ caller, params }: RoomRequest): acting.Room => ({
    examId: params.exam_id,
    classId: params.id,
    viewer: viewerOf(caller),
  })
  const actorIn = (request: RoomRequest) => actorOf(request, request.params.id)

  operation('getClassLiveRoom', 'GET', {
    summary: 'Which students of the class are taking an exam, and how far they are',
    description:
      'Numbers of answers, never answers, and no marks. Frames: topic `live:<exam_id>:<class_id>`, type `live`.',
    budget: 'heavy',
    params: ClassExamParams,
    answer: LiveRoomAnswer,
    refuses: ['forbidden', 'not_found'],
    async run({ caller, params }) {
      const scope = { examId: params.exam_id, classId: params.id }
      await requireWatcher(core, viewerOf(caller), scope)
      return getRoom(core, scope)
    },
  })

  operation('extendClassLive', 'POST /extend', {
    summary: 'Give students of the class, or some of them, more minutes',
    description:
      'As `extendForClass`, and says for whom it wasn’t done. Attempts of people who are named that their time has closed, or a teacher handed in, are opened again.',
    params: ClassExamParams,
    body: LiveExtendBody,
    answer: LiveExtendAnswer,
    refuses: [...refusals, 'keys_open', 'nodes_differ'],
    run: (request) => acting.extendLive(core, actorIn(request), roomOf(request), request.body),
  })

  operation('handInForClass', 'POST /hand-in', {
    summary: 'Hand in for students of the class whose attempts are under way',
    description:
      'They are graded as they were saved. 409 `not_connected` names the `ids` of people who may have answers on a device, unless `confirm` is true.',
    params: ClassExamParams,
    body: HandInBody,
    answer: LiveDoneAnswer,
    refuses: [...refusals, 'nodes_differ', 'already_submitted', 'no_active_attempt', ['not_connected', 409]],
    run: (request) => acting.handIn(core, actorIn(request), roomOf(request), request.body),
  })

  operation('sendClassExamMessage', 'POST /message', {
    summary: 'Tell students of the class who are taking the exam something',
    description: 'Frame `exam_message`; the paper has it in `messages`. At most 50 of an attempt.',
    params: ClassExamParams,
    body: ExamMessageBody,
    answer: LiveDoneAnswer,
    refuses: refusals,
    run: (request) => acting.sendExamMessage(core, actorIn(request), roomOf(request), request.body),
  })
}
