import type { FastifyPluginAsync } from 'fastify'
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
import { operations } from '../../http/operations.ts'
import { accepts } from '../../http/vary.ts'
import { describePage } from '../../paging.ts'
import { toRead } from '../audit/replica-reads.service.ts'
import * as service from './users.service.ts'

const COLUMNS = ['id', 'username', 'email', 'full_name', 'role', 'created_at', 'updated_at']

/** Users and their roles (docs/protocol/http.md#people), at `/api/v01/admin/users`, for administrators. */
export const userAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: users')

  operation('listUsers', 'GET', {
    summary: 'Users, newest first',
    description: 'With `Accept: text/csv`, a download of all of them.',
    budget: 'heavy',
    query: ListUsersQuery,
    produces: ['application/json', 'text/csv'],
    answer: AdminUsersAnswer,
    run: async (request, reply) => {
      const { q, role, page } = request.query
      const filter = { q, role: role === 'both' ? ('user,admin' as const) : role }
      if (accepts(request, 'text/csv')) {
        const reading = await toRead(core, request.caller.userId)
        return sendCsv(reply, 'users', COLUMNS, service.streamUsers(reading, filter))
      }
      const { users, total } = await service.listUsers(core, filter, page)
      return { users, ...describePage(total, page, service.USERS_PER_PAGE) }
    },
  })

  operation('countUsers', 'GET /counts', {
    summary: 'How many users have each role',
    answer: RoleCounts,
    run: () => service.countRoles(core),
  })

  operation('changeRole', 'POST /role', {
    summary: "Change a user's role",
    description: 'Takes effect at once: clients have to refresh, web sessions end.',
    body: RoleChange,
    answer: SuccessMessage,
    refuses: ['ghost_account', 'not_found', 'last_admin'],
    run: async (request) => {
      await service.changeRole(core, actorOf(request), request.body)
      return { message: `The role is now ${request.body.new_role}` }
    },
  })

  operation('changeRoles', 'POST /bulk-role', {
    summary: "Change many users' roles",
    description: 'Each change is made by itself: `errors` names those that could not be made.',
    body: BulkRoleBody,
    answer: BulkRoleAnswer,
    refuses: ['ghost_account'],
    run: async (request) => {
      const { changed, errors } = await service.changeRoles(core, actorOf(request), request.body.updates)
      return {
        message: `${changed} of ${request.body.updates.length} roles were set`,
        errors: errors.length > 0 ? errors : null,
      }
    },
  })
}
