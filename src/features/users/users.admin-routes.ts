import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SuccessMessage } from '../../../schemas/common.ts'
import {
  AdminUsersAnswer,
  BulkRoleAnswer,
  BulkRoleBody,
  ListUsersQuery,
  RoleChange,
  RoleCounts,
} from '../../../schemas/users.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { sendCsv } from '../../http/csv-body.ts'
import { failures } from '../../http/failures.ts'
import { accepts } from '../../http/vary.ts'
import { describePage } from '../../paging.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import * as service from './users.service.ts'

const tags = ['admin: users']
const success = true as const
const COLUMNS = ['id', 'username', 'email', 'full_name', 'role', 'created_at', 'updated_at']

/** Users and their roles (docs/protocol/http.md#people), at `/api/v01/admin/users`, for administrators. */
export const userAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listUsers',
        summary: 'Users, newest first',
        description: 'With `Accept: text/csv`, a download of all of them.',
        tags,
        produces: ['application/json', 'text/csv'],
        querystring: ListUsersQuery,
        response: { 200: AdminUsersAnswer },
      },
    },
    async (request, reply) => {
      const { q, role, page } = request.query
      const filter = { q, role: role === 'both' ? ('user,admin' as const) : role }
      if (accepts(request, 'text/csv')) {
        const reading = await toRead(core, request.caller.userId)
        return sendCsv(reply, 'users', COLUMNS, service.streamUsers(reading, filter))
      }
      const { users, total } = await service.listUsers(core, filter, page)
      return { success, users, ...describePage(total, page, service.USERS_PER_PAGE) }
    },
  )

  app.get(
    '/counts',
    {
      schema: {
        operationId: 'countUsers',
        summary: 'How many users have each role',
        tags,
        response: { 200: RoleCounts },
      },
    },
    async () => ({ success, ...(await service.countRoles(core)) }),
  )

  app.post(
    '/role',
    {
      schema: {
        operationId: 'changeRole',
        summary: "Change a user's role",
        description: 'Takes effect at once: clients have to refresh, web sessions end.',
        tags,
        body: RoleChange,
        response: {
          200: SuccessMessage,
          ...failures('ghost_account', 'not_found', 'last_admin'),
        },
      },
    },
    async (request) => {
      await service.changeRole(core, actorOf(request), request.body)
      return { success, message: `The role is now ${request.body.new_role}` }
    },
  )

  app.post(
    '/bulk-role',
    {
      schema: {
        operationId: 'changeRoles',
        summary: "Change many users' roles",
        description: 'Each change is made by itself: `errors` names those that could not be made.',
        tags,
        body: BulkRoleBody,
        response: { 200: BulkRoleAnswer, ...failures('ghost_account') },
      },
    },
    async (request) => {
      const { changed, errors } = await service.changeRoles(core, actorOf(request), request.body.updates)
      return {
        success,
        message: `${changed} of ${request.body.updates.length} roles were set`,
        errors: errors.length > 0 ? errors : null,
      }
    },
  )
}
