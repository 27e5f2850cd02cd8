import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
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
import { failures } from '../../http/failures.ts'
import { jsonReader } from '../../http/validation.ts'
import * as service from './class-exams.service.ts'

const tags = ['classes']
const success = true as const
const readWas = jsonReader('was', WasTimes)
const refusals = failures('forbidden', 'not_found')
const changeRefusals = failures('forbidden', 'not_found', 'class_archived', 'keys_open')
const timeRefusals = failures(
  'forbidden',
  'not_found',
  'class_archived',
  'keys_open',
  'ends_attempts',
  'changed',
)
/** For hundreds of thousands of attempts. */
const ANALYSIS_TIMEOUT_MS = 60_000

/** A class's exams on the day, at `/api/v01/classes/:id/exams/:exam_id`, for its teachers and administrators. */
export const classExamRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/accommodations',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listClassAccommodations',
        summary: 'Students of the class who have times of their own, and the times of the class',
        tags,
        params: ClassExamParams,
        response: { 200: ClassAccommodationsAnswer, ...refusals },
      },
    },
    async ({ caller, params: { id: classId, exam_id: examId } }) => ({
      success,
      ...(await service.listAccommodations(core, viewerOf(caller), { classId, examId })),
    }),
  )

  app.put(
    '/accommodations/:user_id',
    {
      schema: {
        operationId: 'setStudentAccommodation',
        summary: 'Give a student of the class more time, or another window',
        description: 'Replaces what they had. An attempt under way follows at once: frame `attempt_time`.',
        tags,
        params: ClassStudentParams,
        body: AccommodationBody,
        response: { 200: AccommodationAnswer, ...timeRefusals },
      },
    },
    async (request) => {
      const { id: classId, exam_id: examId, user_id: userId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      return {
        success,
        accommodation: await service.setAccommodation(
          core,
          actor,
          viewer,
          { classId, examId },
          userId,
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
        operationId: 'changeStudentAccommodation',
        summary: 'Change single ones of a student’s own times',
        description: 'The fields that it doesn’t name stay as they are.',
        tags,
        params: ClassStudentParams,
        body: AccommodationBody,
        response: { 200: AccommodationAnswer, ...timeRefusals, ...failures('nothing_to_update') },
      },
    },
    async (request) => {
      const { id: classId, exam_id: examId, user_id: userId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      return {
        success,
        accommodation: await service.setAccommodation(
          core,
          actor,
          viewer,
          { classId, examId },
          userId,
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
        operationId: 'removeStudentAccommodation',
        summary: "Remove a student's own times: those of their class, or the exam's, apply again",
        tags,
        params: ClassStudentParams,
        querystring: RemovalQuery,
        response: { 200: Success, ...timeRefusals },
      },
    },
    async (request) => {
      const { id: classId, exam_id: examId, user_id: userId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      const { confirm, was } = request.query
      const removal = { confirm, was: readWas(was) }
      await service.deleteAccommodation(core, actor, viewer, { classId, examId }, userId, removal)
      return { success }
    },
  )

  app.post(
    '/extend',
    {
      schema: {
        operationId: 'extendForClass',
        summary: 'Give attempts of students of the class more minutes',
        description:
          'The new end may be later than `closes_at`. `user_ids` names some of them; others than students of the class are left out. Attempts of those who are named that their time has closed are opened again, with so many minutes from now.',
        tags,
        params: ClassExamParams,
        body: ExtendBody,
        response: { 200: ExtendAnswer, ...changeRefusals },
      },
    },
    async (request) => {
      const { id: classId, exam_id: examId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      const at = { classId, examId }
      return { success, ...(await service.extendAttempts(core, actor, viewer, at, request.body)) }
    },
  )

  app.post(
    '/allowances',
    {
      schema: {
        operationId: 'changeStudentAllowance',
        summary: 'Add, remove or reset attempts of a student of the class',
        tags,
        params: ClassExamParams,
        body: StudentModifyBody,
        response: { 200: Success, ...changeRefusals, ...failures('too_many') },
      },
    },
    async (request) => {
      const { id: classId, exam_id: examId } = request.params
      const actor = actorOf(request, classId)
      const viewer = viewerOf(request.caller)
      await service.changeStudentAllowance(core, actor, viewer, { classId, examId }, request.body)
      return { success }
    },
  )

  app.get(
    '/items',
    {
      config: { budget: 'heavy', timeoutMs: ANALYSIS_TIMEOUT_MS },
      schema: {
        operationId: 'analyseClassItems',
        summary: 'Item analysis of an exam over the students of the class',
        description:
          'What tells keys (options, texts, shares, `distractor_beats_key`) is left out until teachers may know them.',
        tags,
        params: ClassExamParams,
        querystring: ItemsQuery,
        response: { 200: ItemsAnswer, ...refusals },
      },
    },
    async ({ caller, params: { id: classId, exam_id: examId }, query }) => ({
      success,
      ...(await service.analyseClassItems(core, viewerOf(caller), { classId, examId }, query)),
    }),
  )
}
