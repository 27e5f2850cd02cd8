import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AccommodationAnswer,
  AccommodationBody,
  AccommodationParams,
  AccommodationsAnswer,
  ExtendAnswer,
  ExtendBody,
} from '../../../schemas/admin/exams/timing.ts'
import { Success } from '../../../schemas/common.ts'
import { ExamParams } from '../../../schemas/exams/attempts.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers/callers.ts'
import { failures } from '../../http/failures.ts'
import * as service from './service.ts'

const tags = ['admin: exam day']
const success = true as const

/** Times of single people, and more time while an exam runs, at `/api/v01/admin/exams/:exam_id`. */
export const timingAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/accommodations',
    {
      config: { heavy: true },
      schema: {
        operationId: 'listAccommodations',
        summary: 'People with other times than the rest',
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
        response: { 200: AccommodationAnswer, ...failures('not_found') },
      },
    },
    async (request) => {
      const { exam_id: examId, user_id: userId } = request.params
      return {
        success,
        accommodation: await service.putAccommodation(core, actorOf(request), examId, userId, request.body),
      }
    },
  )

  app.delete(
    '/accommodations/:user_id',
    {
      schema: {
        operationId: 'removeAccommodation',
        summary: 'Give somebody the times of everybody',
        tags,
        params: AccommodationParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      const { exam_id: examId, user_id: userId } = request.params
      await service.deleteAccommodation(core, actorOf(request), examId, userId)
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
          "A teacher's word goes beyond `closes_at`. Attempts without an end get none and are not counted.",
        tags,
        params: ExamParams,
        body: ExtendBody,
        response: { 200: ExtendAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      extended: await service.extendAttempts(core, actorOf(request), request.params.exam_id, request.body),
    }),
  )
}
