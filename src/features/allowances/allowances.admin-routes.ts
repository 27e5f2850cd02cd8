import type { FastifyPluginAsync } from 'fastify'
import {
  AllowancesAnswer,
  AllowancesQuery,
  BulkModified,
  BulkModifyBody,
  ModifyBody,
} from '../../../schemas/allowances.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as service from './allowances.service.ts'

/** For thousands of items, a transaction each. */
const BULK_TIMEOUT_MS = 60_000

/** How often students may take exams (docs/protocol/http.md#people), at `/api/v01/admin/attempts`. */
export const allowanceAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: allowances')

  operation('listAllowances', 'GET /', {
    summary: 'Attempts used and left, by student and exam',
    description: 'A row for each student and each exam that is capped or that they have attempted.',
    budget: 'heavy',
    query: AllowancesQuery,
    answer: AllowancesAnswer,
    run: async ({ query }) => {
      const { rows, total } = await service.listAllowances(core, query)
      return { rows, ...describePage(total, query.page, service.ALLOWANCES_PER_PAGE) }
    },
  })

  operation('changeAllowance', 'POST /modify', {
    summary: 'Add, remove or reset attempts of a student',
    body: ModifyBody,
    answer: Success,
    refuses: ['not_found', 'too_many'],
    run: async (request) => {
      await service.changeAllowance(core, actorOf(request), request.body, request.body)
    },
  })

  operation('changeAllowances', 'POST /bulk-modify', {
    summary: 'The same for many students and exams',
    description: 'What cannot be changed is named in `errors`; the others are changed.',
    budget: 'none',
    timeoutMs: BULK_TIMEOUT_MS,
    body: BulkModifyBody,
    answer: BulkModified,
    run: async (request) => {
      const { body } = request
      const { processed, errors } = await service.changeAllowances(core, actorOf(request), body.items, body)
      return { processed, errors: errors.length > 0 ? errors : null }
    },
  })
}
