import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Core } from '../../core.ts'
import { readPageStyle } from './desk/building.ts'
import { deskRoutes } from './desk/routes.ts'
import { formRoutes } from './forms/routes.ts'

/** What browsers open, at the root. */
export const pageRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  await app.register(formRoutes, { core })
  await app.register(deskRoutes, { core })

  const style = await readPageStyle()
  app.get('/pages.css', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=300').send(style),
  )
}
