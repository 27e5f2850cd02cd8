import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { StudentModifyBody } from '../../../schemas/allowances.schemas.ts'
import { ClassExamParams, ClassStudentParams } from '../../../schemas/classes.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import { ItemsAnswer, ItemsQuery } from '../../../schemas/items.schemas.ts'
import {
  AccommodationAnswer,
  AccommodationBody,
  ClassAccommodationsAnswer,
  ExtendAnswer,
  ExtendBody,
  RemovalQuery,
  WasTimes,
} from '../../../schemas/timing.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { jsonReader } from '../../http/validation.ts'
import type { Manner } from '../timing/timing.service.ts'
import * as service from './class-exams.service.ts'

const readWas = jsonReader('was', WasTimes)
const refusals = ['forbidden', 'not_found'] as const
const changeRefusals = ['forbidden', 'not_found', 'class_archived', 'keys_open'] as const
const timeRefusals = [
  'forbidden',
  'not_found',
  'class_archived',
  'keys_open',
  'ends_attempts',
  'changed',
] as const
/** For hundreds of thousands of attempts. */
const ANALYSIS_TIMEOUT_MS = 60_000

/** A class's exams on the day, at `/api/v01/classes/:id/exams/:exam_id`, for its teachers and administrators. */
export const classExamRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')

  async function setTimes(
    request: FastifyRequest<{ Params: ClassStudentParams; Body: AccommodationBody }>,
    manner: Manner,
  ) {
    const { id: classId, exam_id: examId, user_id: userId } = request.params
    const actor = actorOf(request, classId)
    const viewer = viewerOf(request.caller)
    const at = { classId, examId }
    return {
      accommodation: await service.setAccommodation(core, actor, viewer, at, userId, request.body, manner),
    }
  }

  operation('listClassAccommodations', 'GET /accommodations', {
    summary: 'Students of the class who have times of their own, and the times of the class',
    budget: 'heavy',
    params: ClassExamParams,
    answer: ClassAccommodationsAnswer,
    refuses: refusals,
    run: ({ caller, params: { id: classId, exam_id: examId } }) =>
      service.listAccommodations(core, viewerOf(caller), { classId, examId }),
  })

  operation('setStudentAccommodation', 'PUT /accommodations/:user_id', {
    summary: 'Give a student of the class more time, or another window',
    description: 'Replaces what they had. An attempt under way follows at once: frame `attempt_time`.',
    params: ClassStudentParams,
    body: AccommodationBody,
    answer: AccommodationAnswer,
    refuses: timeRefusals,
    run: (request) => setTimes(request, 'replace'),
  })

  operation('changeStudentAccommodation', 'PATCH /accommodations/:user_id', {
    summary: 'Change some of a student’s own times',
    description: 'The fields that it doesn’t name stay as they are.',
    params: ClassStudentParams,
    body: AccommodationBody,
    answer: AccommodationAnswer,
    refuses: [...timeRefusals, 'nothing_to_update'],
    run: (request) => setTimes(request, 'change'),
  })

  operation('removeStudentAccommodation', 'DELETE /accommodations/:user_id', {
    summary: "Remove a student's own times: those of their class, or the exam's, apply again",
    params: ClassStudentParams,
    query: RemovalQuery,
    answer: Success,
    refuses: timeRefusals,
    run: async (request) => {
      const { id: classId, exam_id: examId, user_id: userId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      const { confirm, was } = request.query
      const removal = { confirm, was: readWas(was) }
      await service.deleteAccommodation(core, actor, viewer, { classId, examId }, userId, removal)
    },
  })

  operation('extendForClass', 'POST /extend', {
    summary: 'Give attempts of students of the class more minutes',
    description:
      'The new end may be later than `closes_at`. `user_ids` names some of them; others than students of the class are left out. Attempts of those who are named that their time has closed are opened again, with so many minutes from now.',
    params: ClassExamParams,
    body: ExtendBody,
    answer: ExtendAnswer,
    refuses: [...changeRefusals, 'nodes_differ'],
    run: async (request) => {
      const { id: classId, exam_id: examId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      const at = { classId, examId }
      return service.extendAttempts(core, actor, viewer, at, request.body)
    },
  })

  operation('changeStudentAllowance', 'POST /allowances', {
    summary: 'Add, remove or reset attempts of a student of the class',
    params: ClassExamParams,
    body: StudentModifyBody,
    answer: Success,
    refuses: [...changeRefusals, 'too_many'],
    run: async (request) => {
      const { id: classId, exam_id: examId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      await service.changeStudentAllowance(core, actor, viewer, { classId, examId }, request.body)
    },
  })

  operation('analyseClassItems', 'GET /items', {
    summary: 'Item analysis of an exam over the students of the class',
    description:
      'What tells keys (options, texts, shares, `distractor_beats_key`) is left out until teachers may know them.',
    budget: 'heavy',
    timeoutMs: ANALYSIS_TIMEOUT_MS,
    params: ClassExamParams,
    query: ItemsQuery,
    answer: ItemsAnswer,
    refuses: refusals,
    run: ({ caller, params: { id: classId, exam_id: examId }, query }) =>
      service.analyseClassItems(core, viewerOf(caller), { classId, examId }, query),
  })
}
