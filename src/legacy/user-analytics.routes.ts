import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { UserAnalyticsQuery } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import { sendFailure, toAppError } from '../http/failures.ts'
import { Page, sendPage } from '../http/page-body.ts'
import { readUserResults } from './user-analytics.service.ts'
import { renderUserAnalytics, renderUserTable } from './user-analytics-table.ts'

const Redirect = Type.Object({}, { description: 'a browser without a session goes to /admin/login' })

/** The older generation's table of everybody's results, a page for browsers, at `/admin/users/analytics`. */
export const userAnalyticsRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.setErrorHandler((error, request, reply) => {
    const failure = toAppError(error)
    // A page that polls must not put a login page into its table.
    const isFragment = (request.query as UserAnalyticsQuery).partial === '1'
    if (failure.isAuthFailure && !isFragment && isBrowser(request)) return reply.redirect('/admin/login', 303)
    return sendFailure(failure, request, reply)
  })

  app.get(
    '',
    {
      schema: {
        operationId: 'showUserAnalytics',
        summary: 'Users and their results',
        description: 'A page; with `partial=1` its table alone.',
        tags: ['older: admin'],
        querystring: UserAnalyticsQuery,
        response: { 200: Page, 303: Redirect },
      },
    },
    async ({ query }, reply) => {
      const { timezone } = core.config
      const results = await readUserResults(core, query)
      return sendPage(
        reply,
        query.partial === '1'
          ? renderUserTable(results, timezone).text
          : renderUserAnalytics(results, query.q ?? '', timezone),
      )
    },
  )
}

/** Accepts HTML and has no token. */
function isBrowser({ headers }: FastifyRequest): boolean {
  return headers.authorization === undefined && /text\/html|\*\/\*/.test(headers.accept ?? '*/*')
}
