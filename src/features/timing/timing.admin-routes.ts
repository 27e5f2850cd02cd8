import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
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
import { failures } from '../../http/failures.ts'
import { jsonReader } from '../../http/validation.ts'
import * as service from './timing.service.ts'

const tags = ['admin: exam day']
const success = true as const
const readWas = jsonReader('was', WasTimes)

/** Times of single people, and more time while an exam runs, at `/api/v01/admin/exams/:exam_id`. */
export const timingAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/accommodations',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listAccommodations',
        summary: 'People who have times of their own',
        tags,
        params: ExamParams,
        response: { 200: AccommodationsAnswer, ...failures('not_found') },
      },
    },
    async ({ params }) => ({
      success,
      accommodations: await service.listAccommodations(core, params.exam_id),
    }),
  )

  app.put(
    '/accommodations/:user_id',
    {
      schema: {
        operationId: 'setAccommodation',
        summary: 'Give somebody more time, or another window',
        description: 'Replaces what they had. An attempt under way follows at once: frame `attempt_time`.',
        tags,
        params: AccommodationParams,
        body: AccommodationBody,
        response: { 200: AccommodationAnswer, ...failures('not_found', 'ends_attempts', 'changed') },
      },
    },
    async (request) => {
      const { exam_id: examId, user_id: userId } = request.params
      return {
        success,
        accommodation: await service.setAccommodation(
          core,
          actorOf(request),
          { examId, userId },
          request.body,
          'replace',
        ),
      }
    },
  )

  app.patch(
    '/accommodations/:user_id',
    {
      schema: {
        operationId: 'changeAccommodation',
        summary: 'Change single ones of somebody’s own times',
        description: 'The fields that it doesn’t name stay as they are.',
        tags,
        params: AccommodationParams,
        body: AccommodationBody,
        response: {
          200: AccommodationAnswer,
          ...failures('nothing_to_update', 'not_found', 'ends_attempts', 'changed'),
        },
      },
    },
    async (request) => {
      const { exam_id: examId, user_id: userId } = request.params
      return {
        success,
        accommodation: await service.setAccommodation(
          core,
          actorOf(request),
          { examId, userId },
          request.body,
          'change',
        ),
      }
    },
  )

  app.delete(
    '/accommodations/:user_id',
    {
      schema: {
        operationId: 'removeAccommodation',
        summary: "Remove somebody's own times: those of their class, or the exam's, apply again",
        tags,
        params: AccommodationParams,
        querystring: RemovalQuery,
        response: { 200: Success, ...failures('not_found', 'ends_attempts', 'changed') },
      },
    },
    async (request) => {
      const { exam_id: examId, user_id: userId } = request.params
      const { confirm, was } = request.query
      const removal = { confirm, was: readWas(was) }
      await service.deleteAccommodation(core, actorOf(request), examId, userId, removal)
      return { success }
    },
  )

  app.get(
    '/class-accommodations/:class_id',
    {
      schema: {
        operationId: 'getClassAccommodation',
        summary: 'The times of a class, where they differ',
        tags,
        params: ClassAccommodationParams,
        response: { 200: ClassAccommodationAnswer, ...failures('not_found') },
      },
    },
    async ({ params }) => ({
      success,
      accommodation: await service.getClassAccommodation(core, params.exam_id, params.class_id),
    }),
  )

  app.put(
    '/class-accommodations/:class_id',
    {
      schema: {
        operationId: 'setClassAccommodation',
        summary: 'Give a class more time, or another window',
        description:
          "Replaces what it had. A person's own times go before their class's; of several classes the most generous ones count.",
        tags,
        params: ClassAccommodationParams,
        body: AccommodationBody,
        response: { 200: ClassAccommodationAnswer, ...failures('not_found', 'ends_attempts', 'changed') },
      },
    },
    async (request) => {
      const { exam_id: examId, class_id: classId } = request.params
      const actor = actorOf(request, classId)
      return {
        success,
        accommodation: await service.setClassAccommodation(
          core,
          actor,
          { examId, classId },
          request.body,
          'replace',
        ),
      }
    },
  )

  app.patch(
    '/class-accommodations/:class_id',
    {
      schema: {
        operationId: 'changeClassAccommodation',
        summary: 'Change single ones of a class’s own times',
        description: 'The fields that it doesn’t name stay as they are.',
        tags,
        params: ClassAccommodationParams,
        body: AccommodationBody,
        response: {
          200: ClassAccommodationAnswer,
          ...failures('nothing_to_update', 'not_found', 'ends_attempts', 'changed'),
        },
      },
    },
    async (request) => {
      const { exam_id: examId, class_id: classId } = request.params
      const actor = actorOf(request, classId)
      return {
        success,
        accommodation: await service.setClassAccommodation(
          core,
          actor,
          { examId, classId },
          request.body,
          'change',
        ),
      }
    },
  )

  app.delete(
    '/class-accommodations/:class_id',
    {
      schema: {
        operationId: 'removeClassAccommodation',
        summary: "Remove a class's own times: the exam's apply again",
        tags,
        params: ClassAccommodationParams,
        querystring: RemovalQuery,
        response: { 200: Success, ...failures('not_found', 'ends_attempts', 'changed') },
      },
    },
    async (request) => {
      const { exam_id: examId, class_id: classId } = request.params
      const actor = actorOf(request, classId)
      const { confirm, was } = request.query
      const removal = { confirm, was: readWas(was) }
      await service.deleteClassAccommodation(core, actor, examId, classId, removal)
      return { success }
    },
  )

  app.post(
    '/extend',
    {
      schema: {
        operationId: 'extendExam',
        summary: 'Give attempts under way more minutes',
        description:
          'The new end may be later than `closes_at`. Attempts without an end get none and are not counted. Attempts of people in `user_ids` that their time has closed are opened again, with so many minutes from now.',
        tags,
        params: ExamParams,
        body: ExtendBody,
        response: { 200: ExtendAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.extendAttempts(core, actorOf(request), request.params.exam_id, request.body)),
    }),
  )
}
