import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AdminClassAnswer,
  AdminClassesAnswer,
  AdminClassesQuery,
  ClassChanges,
  ClassParams,
  NewClass,
} from '../../../schemas/classes.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as service from './classes.service.ts'

const tags = ['admin: classes']
const success = true as const

/** Classes as administrators keep them, at `/api/v01/admin/classes`. */
export const classAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listAllClasses',
        summary: 'All classes, by name',
        tags,
        querystring: AdminClassesQuery,
        response: { 200: AdminClassesAnswer },
      },
    },
    async ({ query }) => {
      const { classes, total } = await service.listClasses(core, query)
      return { success, classes, ...describePage(total, query.page, service.CLASSES_PER_PAGE) }
    },
  )

  app.post(
    '',
    {
      schema: {
        operationId: 'createClass',
        summary: 'Create a class',
        tags,
        body: NewClass,
        response: { 201: AdminClassAnswer },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send({ success, class: await service.createClass(core, actorOf(request), request.body) }),
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeClass',
        summary: 'Change a class, or archive it',
        description:
          'An archived class is changed no more until `archived` is false, and its exams are there only for those who have an attempt under way.',
        tags,
        params: ClassParams,
        body: ClassChanges,
        response: {
          200: AdminClassAnswer,
          ...failures('nothing_to_update', 'not_found', 'class_archived', 'changed', 'is_student'),
        },
      },
    },
    async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      return { success, class: await service.changeClass(core, actor, id, request.body) }
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteClass',
        summary: 'Delete a class',
        description: '409 `class_in_use` while an exam is for this class alone.',
        tags,
        params: ClassParams,
        response: { 200: Success, ...failures('not_found', 'class_in_use') },
      },
    },
    async (request) => {
      const { id } = request.params
      await service.deleteClass(core, actorOf(request, id), id)
      return { success }
    },
  )
}
