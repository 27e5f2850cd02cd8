import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Core } from '../../core.ts'
import { sayIn } from '../../formats/translations.ts'
import { Page, redirects, sendPage } from '../../http/page-body.ts'
import { pageLanguageOf } from '../../http/request-language.ts'
import { deskRoutes } from './desk.routes.ts'
import { readPageStyle } from './desk-build.ts'
import { mailsOffRoutes } from './mails-off.routes.ts'
import { renderPrivacy } from './privacy-html.ts'
import { providerRoutes } from './provider.routes.ts'
import { formRoutes } from './sign-in.routes.ts'

/** What browsers open, at the root. */
export const pageRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  await app.register(formRoutes, { core })
  await app.register(providerRoutes, { core })
  await app.register(deskRoutes, { core })
  await app.register(mailsOffRoutes, { core })

  const { privacyUrl } = core.config
  app.get(
    '/privacy',
    {
      schema: {
        operationId: 'showPrivacy',
        summary: 'What is stored about people, for how long, and who sees it',
        description:
          'A page made from the settings of the service, or a redirect to the one that its operator has set.',
        tags: ['pages'],
        produces: ['text/html'],
        response: { ...redirects, 200: Page },
      },
    },
    async (request, reply) =>
      privacyUrl === undefined
        ? sendPage(reply, renderPrivacy(sayIn(pageLanguageOf(request)), core.config))
        : reply.redirect(privacyUrl, 303),
  )

  const style = await readPageStyle()
  app.get('/pages.css', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=300').send(style),
  )
}
