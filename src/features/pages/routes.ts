import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ConfirmResetBody, RequestResetBody } from '../../../schemas/account.ts'
import { LoginBody, RegisterBody, WebLoginAnswer } from '../../../schemas/auth.ts'
import { SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import type { AppError } from '../../errors.ts'
import { deviceOf, identifyByCookie, isAdmin } from '../../http/callers.ts'
import { failures, sendFailure, toAppError } from '../../http/failures.ts'
import { SESSION_COOKIE } from '../../http/same-site.ts'
import { TOKEN_LIFETIME } from '../../tokens.ts'
import { confirmPasswordReset, type ResetMails } from '../account/password-reset.ts'
import type { LiveSessions } from '../auth/live-sessions.ts'
import * as auth from '../auth/service.ts'
import { endSession } from '../auth/sessions.ts'
import { FORMS, type FormPath, type FormState, renderForm, renderHome } from './html.ts'

const tags = ['pages']
const consumes = ['application/json', 'application/x-www-form-urlencoded']
const Page = { content: { 'text/html': { schema: Type.String() } } }
const Redirect = Type.Null({ description: 'a browser goes on to `location`' })
const response = { 303: Redirect }

interface PageOptions {
  core: Core
  sessions: LiveSessions
  resetMails: ResetMails
}

/** Web sessions and their pages, at the root (contract §2): forms for browsers, the same as JSON for programs. */
export const pageRoutes: FastifyPluginAsyncTypebox<PageOptions> = async (
  app,
  { core, sessions, resetMails },
) => {
  // An empty field of a form is one that was left out.
  await app.register(formbody, {
    parser: (text) => Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== '')),
  })
  app.setErrorHandler((error, request, reply) => {
    const failure = toAppError(error)
    const path = request.routeOptions.url
    if (!isFormPost(request) || !isForm(path)) return sendFailure(failure, request, reply)
    if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter)
    const values = typeof request.body === 'object' && request.body !== null ? request.body : {}
    return sendForm(reply.code(failure.status), path, { alert: explain(failure), values: { ...values } })
  })

  for (const path of Object.keys(FORMS).filter(isForm))
    app.get(
      path,
      {
        schema: {
          summary: FORMS[path].title,
          description: 'Fields of the query fill the form in, as the token of a mailed link does.',
          tags,
          response: { 200: Page },
        },
      },
      async (request, reply) => sendForm(reply, path, { values: { ...(request.query as object) } }),
    )

  for (const [path, portal] of [
    ['/login', 'user'],
    ['/admin/login', 'admin'],
  ] as const)
    app.post(
      path,
      {
        schema: {
          summary: `${FORMS[path].title}: sets the session cookie`,
          tags,
          consumes,
          body: LoginBody,
          response: {
            ...response,
            200: WebLoginAnswer,
            ...failures('invalid_credentials', 'locked_out'),
          },
        },
      },
      async (request, reply) =>
        signIn(request, reply, await auth.loginOnWeb(core, request.body, deviceOf(request), portal)),
    )

  app.post(
    '/create_account',
    {
      schema: {
        summary: 'Create an account: sets the session cookie',
        tags,
        consumes,
        body: RegisterBody,
        response: {
          ...response,
          201: WebLoginAnswer,
          ...failures('username_taken', 'email_taken'),
        },
      },
    },
    async (request, reply) =>
      signIn(request, reply.code(201), await auth.registerOnWeb(core, request.body, deviceOf(request))),
  )

  for (const method of ['GET', 'POST'] as const)
    app.route({
      method,
      url: '/logout',
      schema: { summary: 'End the web session', tags, response: { ...response, 200: SuccessMessage } },
      async handler(request, reply) {
        const caller = identifyByCookie(request, sessions)
        // Somebody else may have ended it at this moment: it has ended all the same.
        if (caller) await endSession(core, caller.userId, caller.sessionId).catch(ignoreMissing)
        reply.clearCookie(SESSION_COOKIE, cookieOptions)
        if (isJson(request)) return { success: true as const, message: 'Signed out' }
        return reply.redirect('/login', 303)
      },
    })

  app.post(
    '/forgot_password',
    {
      schema: {
        summary: 'Mail a link that resets the password, as a form',
        tags,
        consumes,
        body: RequestResetBody,
        response: { 200: Page },
      },
    },
    async (request, reply) => {
      resetMails.request(request.body.email)
      return sendForm(reply, '/forgot_password', {
        status: 'If an account has this address, a mail with a link is on its way.',
      })
    },
  )

  app.post(
    '/reset_password',
    {
      schema: {
        summary: 'Set a new password by a mailed link, as a form',
        tags,
        consumes,
        body: ConfirmResetBody,
        response: { ...response, ...failures('invalid_token') },
      },
    },
    async (request, reply) => {
      await confirmPasswordReset(core, request.body)
      return reply.redirect('/login', 303)
    },
  )

  for (const url of ['/', '/exam/:exam_id'])
    app.get(
      url,
      {
        schema: {
          summary: 'A page for somebody who is signed in',
          tags,
          response: { ...response, 200: Page },
        },
      },
      async (request, reply) => {
        const caller = identifyByCookie(request, sessions)
        if (!caller) return reply.redirect('/login', 303)
        return sendHome(core, reply, caller.userId, url === '/' ? '/api/v01' : '/api/v01/exams')
      },
    )

  for (const url of ['/admin', '/admin/*'])
    app.get(
      url,
      {
        schema: {
          summary: 'A page for administrators',
          tags,
          hide: url !== '/admin',
          response: { ...response, 200: Page, ...failures('not_found') },
        },
      },
      async (request, reply) => {
        const caller = identifyByCookie(request, sessions)
        const admitted = caller !== undefined && isAdmin(caller)
        if (!admitted && accepts(request, 'text/html')) return reply.redirect('/admin/login', 303)
        if (!admitted || url !== '/admin') return reply.callNotFound()
        return sendHome(core, reply, caller.userId, '/api/v01/admin')
      },
    )

  const cookieOptions = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: core.config.production,
  } as const

  function signIn(request: FastifyRequest, reply: FastifyReply, { answer, cookie }: auth.WebLogin) {
    reply.setCookie(SESSION_COOKIE, cookie, { ...cookieOptions, maxAge: TOKEN_LIFETIME.web })
    return isFormPost(request) ? reply.redirect(answer.redirect_url, 303) : reply.send(answer)
  }
}

async function sendHome(core: Core, reply: FastifyReply, userId: number, use: string) {
  const { data } = await auth.describeSelf(core, userId)
  return sendPage(reply, renderHome(data.username, use))
}

function sendForm(reply: FastifyReply, path: FormPath, state: FormState) {
  return sendPage(reply, renderForm(path, state))
}

function sendPage(reply: FastifyReply, page: string) {
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page)
}

function isForm(path: string | undefined): path is FormPath {
  return path !== undefined && Object.hasOwn(FORMS, path)
}

/** A browser's own form, rather than a program that speaks JSON. */
function isFormPost(request: FastifyRequest): boolean {
  const type = request.headers['content-type'] ?? ''
  return type.startsWith('application/x-www-form-urlencoded') && !isJson(request)
}

function isJson(request: FastifyRequest): boolean {
  const type = request.headers['content-type'] ?? ''
  return (
    type.startsWith('application/json') ||
    (accepts(request, 'application/json') && !accepts(request, 'text/html'))
  )
}

function accepts(request: FastifyRequest, type: string): boolean {
  return request.headers.accept?.includes(type) ?? false
}

/** A failure in words for the person at the form. */
function explain({ message, details }: AppError): string {
  const fields = details.errors as { path: string; message: string }[] | undefined
  return fields ? fields.map(({ path, message }) => `${path.slice(1)}: ${message}`).join('; ') : message
}

function ignoreMissing(error: unknown): void {
  if (toAppError(error).code !== 'not_found') throw error
}
