import type { FastifyPluginAsync } from 'fastify'
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
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as service from './classes.service.ts'

/** Classes as administrators keep them, at `/api/v01/admin/classes`. */
export const classAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: classes')

  operation('listAllClasses', 'GET', {
    summary: 'All classes, by name',
    query: AdminClassesQuery,
    answer: AdminClassesAnswer,
    run: async ({ query }) => {
      const { classes, total } = await service.listClasses(core, query)
      return { classes, ...describePage(total, query.page, service.CLASSES_PER_PAGE) }
    },
  })

  operation('createClass', 'POST', {
    summary: 'Create a class',
    description: 'You are its teacher, unless `teacher_ids` says otherwise.',
    body: NewClass,
    created: AdminClassAnswer,
    run: async (request) => ({
      class: await service.createClass(core, actorOf(request), request.caller.userId, request.body),
    }),
  })

  operation('changeClass', 'PATCH /:id', {
    summary: 'Change a class, or archive it',
    description:
      'An archived class is changed no more until `archived` is false, and its exams are there only for those who have an attempt under way.',
    params: ClassParams,
    body: ClassChanges,
    answer: AdminClassAnswer,
    refuses: ['nothing_to_update', 'not_found', 'class_archived', 'changed', 'is_student'],
    run: async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      return { class: await service.changeClass(core, actor, id, request.body) }
    },
  })

  operation('deleteClass', 'DELETE /:id', {
    summary: 'Delete a class',
    description: '409 `class_in_use` while an exam is for this class alone.',
    params: ClassParams,
    answer: Success,
    refuses: ['not_found', 'class_in_use'],
    run: async (request) => {
      const { id } = request.params
      await service.deleteClass(core, actorOf(request, id), id)
    },
  })
}
