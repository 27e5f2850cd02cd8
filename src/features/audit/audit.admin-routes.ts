import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditAnswer, AuditQuery } from '../../../schemas/audit.schemas.ts'
import type { Core } from '../../core.ts'
import { describePage } from '../../paging.ts'
import * as service from './audit.service.ts'
import { toRead } from './replica-reads.service.ts'

/** What administrators and the command line changed, at `/api/v01/admin/audit`, for administrators. */
export const auditAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listAuditEntries',
        summary: 'The audit log: what administrators, teachers and the command line changed, newest first',
        tags: ['admin: audit'],
        querystring: AuditQuery,
        response: { 200: AuditAnswer },
      },
    },
    async ({ caller, query }) => {
      const { entries, total } = await service.listEntries(await toRead(core, caller.userId), query)
      return { success: true as const, entries, ...describePage(total, query.page, service.ENTRIES_PER_PAGE) }
    },
  )
}
