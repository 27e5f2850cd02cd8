import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
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
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as service from './allowances.service.ts'

const tags = ['admin: allowances']
const success = true as const
/** For thousands of items, a transaction each. */
const BULK_TIMEOUT_MS = 60_000

/** How often students may take exams (docs/protocol/http.md#people), at `/api/v01/admin/attempts`. */
export const allowanceAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listAllowances',
        summary: 'Attempts used and left, by student and exam',
        description: 'A row for each student and each exam that is capped or that they have attempted.',
        tags,
        querystring: AllowancesQuery,
        response: { 200: AllowancesAnswer },
      },
    },
    async ({ query }) => {
      const { rows, total } = await service.listAllowances(core, query)
      return { success, rows, ...describePage(total, query.page, service.ALLOWANCES_PER_PAGE) }
    },
  )

  app.post(
    '/modify',
    {
      schema: {
        operationId: 'changeAllowance',
        summary: 'Add, remove or reset attempts of a student',
        tags,
        body: ModifyBody,
        response: { 200: Success, ...failures('not_found', 'too_many') },
      },
    },
    async (request) => {
      await service.changeAllowance(core, actorOf(request), request.body, request.body)
      return { success }
    },
  )

  app.post(
    '/bulk-modify',
    {
      config: { budget: 'none', timeoutMs: BULK_TIMEOUT_MS },
      schema: {
        operationId: 'changeAllowances',
        summary: 'The same for many students and exams',
        description: 'What cannot be changed is named in `errors`; the others are changed.',
        tags,
        body: BulkModifyBody,
        response: { 200: BulkModified },
      },
    },
    async (request) => {
      const { body } = request
      const { processed, errors } = await service.changeAllowances(core, actorOf(request), body.items, body)
      return { success, processed, errors: errors.length > 0 ? errors : null }
    },
  )
}
