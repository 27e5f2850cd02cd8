import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ExamParams } from '../../../schemas/attempts.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import {
  AccommodationAnswer,
  AccommodationBody,
  AccommodationParams,
  AccommodationsAnswer,
  ClassAccommodationAnswer,
  ClassAccommodationParams,
  ExtendAnswer,
  ExtendBody,
  RemovalQuery,
  WasTimes,
} from '../../../schemas/timing.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { jsonReader } from '../../http/validation.ts'
import * as service from './timing.service.ts'

const readWas = jsonReader('was', WasTimes)

/** Times of single people, and more time while an exam runs, at `/api/v01/admin/exams/:exam_id`. */
export const timingAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: exam day')

  async function setTimes(
    request: FastifyRequest<{ Params: AccommodationParams; Body: AccommodationBody }>,
    manner: service.Manner,
  ) {
    const { exam_id: examId, user_id: userId } = request.params
    const actor = actorOf(request)
    return {
      accommodation: await service.setAccommodation(core, actor, { examId, userId }, request.body, manner),
    }
  }

  async function setClassTimes(
    request: FastifyRequest<{ Params: ClassAccommodationParams; Body: AccommodationBody }>,
    manner: service.Manner,
  ) {
    const { exam_id: examId, class_id: classId } = request.params
    const actor = actorOf(request, classId)
    return {
      accommodation: await service.setClassAccommodation(
        core,
        actor,
        { examId, classId },
        request.body,
        manner,
      ),
    }
  }

  operation('listAccommodations', 'GET /accommodations', {
    summary: 'People who have times of their own',
    budget: 'heavy',
    params: ExamParams,
    answer: AccommodationsAnswer,
    refuses: ['not_found'],
    run: async ({ params }) => ({ accommodations: await service.listAccommodations(core, params.exam_id) }),
  })

  operation('setAccommodation', 'PUT /accommodations/:user_id', {
    summary: 'Give somebody more time, or another window',
    description: 'Replaces what they had. An attempt under way follows at once: frame `attempt_time`.',
    params: AccommodationParams,
    body: AccommodationBody,
    answer: AccommodationAnswer,
    refuses: ['not_found', 'ends_attempts', 'changed'],
    run: (request) => setTimes(request, 'replace'),
  })

  operation('changeAccommodation', 'PATCH /accommodations/:user_id', {
    summary: 'Change some of somebody’s own times',
    description: 'The fields that it doesn’t name stay as they are.',
    params: AccommodationParams,
    body: AccommodationBody,
    answer: AccommodationAnswer,
    refuses: ['nothing_to_update', 'not_found', 'ends_attempts', 'changed'],
    run: (request) => setTimes(request, 'change'),
  })

  operation('removeAccommodation', 'DELETE /accommodations/:user_id', {
    summary: "Remove somebody's own times: those of their class, or the exam's, apply again",
    params: AccommodationParams,
    query: RemovalQuery,
    answer: Success,
    refuses: ['not_found', 'ends_attempts', 'changed'],
    run: async (request) => {
      const { exam_id: examId, user_id: userId } = request.params
      const { confirm, was } = request.query
      const removal = { confirm, was: readWas(was) }
      await service.deleteAccommodation(core, actorOf(request), examId, userId, removal)
    },
  })

  operation('getClassAccommodation', 'GET /class-accommodations/:class_id', {
    summary: 'The times of a class, where they differ',
    params: ClassAccommodationParams,
    answer: ClassAccommodationAnswer,
    refuses: ['not_found'],
    run: async ({ params }) => ({
      accommodation: await service.getClassAccommodation(core, params.exam_id, params.class_id),
    }),
  })

  operation('setClassAccommodation', 'PUT /class-accommodations/:class_id', {
    summary: 'Give a class more time, or another window',
    description:
      "Replaces what it had. A person's own times go before their class's; of several classes the most generous ones count.",
    params: ClassAccommodationParams,
    body: AccommodationBody,
    answer: ClassAccommodationAnswer,
    refuses: ['not_found', 'ends_attempts', 'changed'],
    run: (request) => setClassTimes(request, 'replace'),
  })

  operation('changeClassAccommodation', 'PATCH /class-accommodations/:class_id', {
    summary: 'Change some of a class’s own times',
    description: 'The fields that it doesn’t name stay as they are.',
    params: ClassAccommodationParams,
    body: AccommodationBody,
    answer: ClassAccommodationAnswer,
    refuses: ['nothing_to_update', 'not_found', 'ends_attempts', 'changed'],
    run: (request) => setClassTimes(request, 'change'),
  })

  operation('removeClassAccommodation', 'DELETE /class-accommodations/:class_id', {
    summary: "Remove a class's own times: the exam's apply again",
    params: ClassAccommodationParams,
    query: RemovalQuery,
    answer: Success,
    refuses: ['not_found', 'ends_attempts', 'changed'],
    run: async (request) => {
      const { exam_id: examId, class_id: classId } = request.params
      const actor = actorOf(request, classId)
      const { confirm, was } = request.query
      const removal = { confirm, was: readWas(was) }
      await service.deleteClassAccommodation(core, actor, examId, classId, removal)
    },
  })

  operation('extendExam', 'POST /extend', {
    summary: 'Give attempts under way more minutes',
    description:
      'The new end may be later than `closes_at`. Attempts without an end get none and are not counted. Attempts of people in `user_ids` that their time has closed are opened again, with so many minutes from now.',
    params: ExamParams,
    body: ExtendBody,
    answer: ExtendAnswer,
    refuses: ['not_found', 'nodes_differ'],
    run: (request) => service.extendAttempts(core, actorOf(request), request.params.exam_id, request.body),
  })
}
