import type { FastifyPluginAsync } from 'fastify'
import { AuditAnswer, AuditQuery } from '../../../schemas/audit.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as service from './audit.service.ts'
import { toRead } from './replica-reads.service.ts'

/** What administrators and the command line changed, at `/api/v01/admin/audit`, for administrators. */
export const auditAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: audit')

  operation('listAuditEntries', 'GET', {
    summary: 'The audit log: what administrators, teachers and the command line changed, newest first',
    query: AuditQuery,
    answer: AuditAnswer,
    run: async ({ caller, query }) => {
      const { entries, total } = await service.listEntries(await toRead(core, caller.userId), query)
      return { entries, ...describePage(total, query.page, service.ENTRIES_PER_PAGE) }
    },
  })
}
