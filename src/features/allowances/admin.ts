import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AllowancesAnswer,
  AllowancesQuery,
  BulkModified,
  BulkModifyBody,
  ModifyBody,
} from '../../../schemas/allowances.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as service from './service.ts'

const tags = ['admin: allowances']
const success = true as const
/** For thousands of items, a transaction each. */
const BULK_TIMEOUT_MS = 60_000

/** How often students may take exams (contract §8), at `/api/v01/admin/attempts`. */
export const allowanceAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/',
    {
      schema: {
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
        summary: 'Add, remove or reset attempts of a student',
        tags,
        body: ModifyBody,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async ({ body }) => {
      await service.changeAllowance(core, body, body)
      return { success }
    },
  )

  app.post(
    '/bulk-modify',
    {
      handlerTimeout: BULK_TIMEOUT_MS,
      schema: {
        summary: 'The same for many students and exams',
        description: 'What cannot be changed is named in `errors`; the others are changed.',
        tags,
        body: BulkModifyBody,
        response: { 200: BulkModified },
      },
    },
    async ({ body }) => {
      const { processed, errors } = await service.changeAllowances(core, body.items, body)
      return { success, processed, errors: errors.length > 0 ? errors : null }
    },
  )
}
