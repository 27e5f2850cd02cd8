import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Core } from '../../core.ts'
import { sayIn, text } from '../../formats/translations.ts'
import { identifyByCookie, isAdmin } from '../../http/callers.ts'
import { cookieOptions, DESK_COOKIE, NEXT_COOKIE } from '../../http/cookies.ts'
import { Page, redirects, sendPage } from '../../http/page-body.ts'
import { pageLanguageOf } from '../../http/request-language.ts'
import { accepts } from '../../http/vary.ts'
import * as auth from '../auth/auth.service.ts'
import { DIST, getDeskState, readDesk } from './desk-build.ts'
import { renderUnbuilt } from './waiting-page.ts'

const tags = ['pages']

const UNBUILT = {
  waiting: text('The desk is being built for the first time; this page looks again by itself.'),
  failed: text('The desk could not be built; the log says why. `npm run build -w desk` tries again by hand.'),
}

/** Long enough to create an account; later nobody remembers where they wanted to go. */
const NEXT_SECONDS = 15 * 60

/** The desk's one page and its files, and the addresses that lead there. */
export const deskRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const cookies = cookieOptions(core)
  await app.register(fastifyStatic, { root: path.dirname(DIST), serve: false, preCompressed: true })
  for (const url of ['/desk', '/desk/*'])
    app.get<{ Params: { '*'?: string } }>(url, { schema: { hide: true } }, async (request, reply) => {
      const desk = await getDeskState(core)
      if (desk !== 'ready') {
        if (desk === 'waiting') reply.header('refresh', '2')
        const t = sayIn(pageLanguageOf(request))
        return sendPage(reply.code(503), renderUnbuilt(t, undefined, t(UNBUILT[desk])))
      }
      const { '*': file = '' } = request.params
      // A file's name changes with its content.
      if (file.startsWith('assets/')) return reply.sendFile(file, DIST, { maxAge: '1y', immutable: true })
      if (/^(icon[a-z-]*\.svg|app\.webmanifest)$/.test(file))
        return reply.sendFile(file, DIST, { maxAge: '1d' })
      // It also opens the pages that lie outside of its own folder.
      if (file === 'worker.js')
        return reply.header('service-worker-allowed', '/').sendFile(file, DIST, { cacheControl: false })
      return reply
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(await readDesk(pageLanguageOf(request)))
    })

  for (const [url, inDesk] of [
    ['/', '/desk'],
    ['/exam/:exam_id', '/desk/exams/'],
  ] as const)
    app.get<{ Params: { exam_id?: string } }>(
      url,
      {
        schema: {
          operationId: url === '/' ? 'showDesk' : 'showExam',
          summary: 'A page for somebody who is signed in',
          tags,
          response: { ...redirects, 200: Page },
        },
      },
      async (request, reply) => {
        const caller = identifyByCookie(request, core)
        if (caller) return sendDesk(core, reply, caller.userId)
        const { exam_id: examId = '' } = request.params
        // The desk's own tokens live longer than a web session; if they have ended too, the desk asks for a sign-in.
        if (request.cookies[DESK_COOKIE]) return reply.redirect(`${inDesk}${encodeURIComponent(examId)}`, 303)
        if (examId) reply.setCookie(NEXT_COOKIE, `/exam/${examId}`, { ...cookies, maxAge: NEXT_SECONDS })
        return reply.redirect('/login', 303)
      },
    )

  // Where the service worker leads with what was shared. A form of another site, which may hide its `Origin` from the
  // worker, gets nowhere: only here browsers say who sent it. Those that don't say it share nothing.
  app.get<{ Params: { id: string } }>('/desk/share/:id', { schema: { hide: true } }, (request, reply) => {
    const site = request.headers['sec-fetch-site'] ?? 'none'
    const isOurs = site === 'none' || site === 'same-origin'
    return reply.redirect(
      isOurs ? `/desk/chat?${new URLSearchParams({ shared: request.params.id })}` : '/desk/chat',
      303,
    )
  })

  // What invitations and teachers hand out.
  app.get(
    '/classes/join',
    {
      schema: {
        operationId: 'showJoinClass',
        summary: 'Where links to classes lead: joining one in the desk',
        tags,
        querystring: Type.Object({ code: Type.Optional(Type.String({ maxLength: 100 })) }),
        response: redirects,
      },
    },
    async ({ query: { code } }, reply) =>
      reply.redirect(`/desk/classes/join${code ? `?${new URLSearchParams({ code })}` : ''}`, 303),
  )

  for (const url of ['/admin', '/admin/*'])
    app.get(
      url,
      {
        config: { refuses: ['not_found'] },
        schema: {
          operationId: 'showAdminDesk',
          summary: 'A page for administrators',
          tags,
          hide: url !== '/admin',
          response: { ...redirects, 200: Page },
        },
      },
      async (request, reply) => {
        const isPage = url === '/admin'
        const caller = identifyByCookie(request, core)
        if (caller && isAdmin(caller))
          return isPage ? sendDesk(core, reply, caller.userId) : reply.callNotFound()
        // Programs get the usual answer for an address that there isn't.
        const goesOn = isPage || accepts(request, 'text/html')
        return goesOn ? reply.redirect('/admin/login', 303) : reply.callNotFound()
      },
    )
}

async function sendDesk(core: Core, reply: FastifyReply, userId: number) {
  const self = await auth.describeSelf(core, userId)
  const desk = await getDeskState(core)
  const language = pageLanguageOf(reply.request)
  if (desk === 'ready') return sendPage(reply, await readDesk(language, self))
  if (desk === 'waiting') reply.header('refresh', '2')
  const t = sayIn(language)
  return sendPage(reply, renderUnbuilt(t, self.username, t(UNBUILT[desk])))
}
