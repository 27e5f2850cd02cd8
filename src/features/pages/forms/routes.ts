import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ConfirmResetBody, RequestResetBody } from '../../../../schemas/accounts/account.ts'
import { LoginBody, RegisterBody, WebLoginAnswer } from '../../../../schemas/accounts/auth.ts'
import { SuccessMessage, Text } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import type { AppError } from '../../../errors.ts'
import { accepts, Page, redirects, sendPage } from '../../../http/bodies/pages.ts'
import { deviceOf, identifyByCookie } from '../../../http/callers/callers.ts'
import { cookieOptions, DESK_COOKIE, NEXT_COOKIE, SESSION_COOKIE } from '../../../http/callers/cookies.ts'
import { networkOf } from '../../../http/callers/networks.ts'
import { signToken } from '../../../http/callers/tokens.ts'
import { failures, sendFailure, toAppError } from '../../../http/failures.ts'
import { mediaTypeOf } from '../../../http/requests.ts'
import { TOKEN_LIFETIME_SECONDS } from '../../../tokens/tokens.ts'
import { confirmPasswordReset, resetMails } from '../../account/password-reset.ts'
import * as auth from '../../auth/service.ts'
import { endSession } from '../../auth/sessions.ts'
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../demo/seed.ts'
import { FORMS, type FormPath, type FormState, isOwnPage, renderForm } from './html.ts'

const tags = ['pages']
const consumes = ['application/json', 'application/x-www-form-urlencoded']

/** `next` is the page of the desk that somebody wanted to open. */
const next = Type.Optional(Text(0, 200))
const WebLoginBody = Type.Object({ ...LoginBody.properties, next })
const WebRegisterBody = Type.Object({ ...RegisterBody.properties, next })

/** Bytes and fields of a form: more than any page here has. */
const LARGEST_FORM = 16 * 1024
const MOST_FIELDS = 50

/** An empty field of a form is one that was left out. */
function readForm(text: string): Record<string, string> {
  const fields = new URLSearchParams(text).entries().take(MOST_FIELDS)
  return Object.fromEntries(fields.filter(([, value]) => value !== ''))
}

/**
 * Signing in, up and out, and new passwords (docs/protocol/http.md#signing-in), at the root: forms for browsers, the
 * same as JSON for programs.
 */
export const formRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const cookies = cookieOptions(core)
  const demo = core.config.demo ? { people: DEMO_PEOPLE, password: DEMO_PASSWORD } : undefined
  await app.register(formbody, { bodyLimit: LARGEST_FORM, parser: readForm })
  app.setErrorHandler((error, request, reply) => {
    const failure = toAppError(error)
    const path = request.routeOptions.url
    if (!isFormPost(request) || !isForm(path)) return sendFailure(failure, request, reply)
    if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter)
    const values = typeof request.body === 'object' && request.body !== null ? request.body : {}
    return sendForm(reply.code(failure.status), path, {
      alert: explain(failure),
      values: { ...values },
      demo,
    })
  })

  for (const form of Object.keys(FORMS).filter(isForm))
    app.get(
      form,
      {
        schema: {
          operationId: nameOf('show', form),
          summary: FORMS[form].title,
          description: 'Fields of the query fill the form in, as the token of a mailed link does.',
          tags,
          response: { 200: Page },
        },
      },
      async (request, reply) =>
        sendForm(reply, form, {
          values: { next: request.cookies[NEXT_COOKIE], ...(request.query as object) },
          demo,
        }),
    )

  for (const [path, portal] of [
    ['/login', 'user'],
    ['/admin/login', 'admin'],
  ] as const)
    app.post(
      path,
      {
        // Logins have a queue of their own.
        config: { turns: 'none' },
        schema: {
          operationId: nameOf('submit', path),
          summary: `${FORMS[path].title}: sets the session cookie`,
          tags,
          consumes,
          body: WebLoginBody,
          response: {
            ...redirects,
            200: WebLoginAnswer,
            ...failures(
              'invalid_credentials',
              'locked_out',
              ...(portal === 'admin' ? (['admin_required'] as const) : []),
            ),
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
        operationId: nameOf('submit', '/create_account'),
        summary: 'Create an account: sets the session cookie',
        tags,
        consumes,
        body: WebRegisterBody,
        response: {
          ...redirects,
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
      schema: {
        operationId: method === 'GET' ? 'leave' : 'logoutOnWeb',
        summary: 'End the web session',
        tags,
        response: { ...redirects, 200: SuccessMessage },
      },
      async handler(request, reply) {
        const caller = identifyByCookie(request, core)
        // Somebody else may have ended it at the same moment.
        if (caller) await endSession(core, caller.userId, caller.sessionId).catch(ignoreMissing)
        reply.clearCookie(SESSION_COOKIE, cookies).clearCookie(DESK_COOKIE, cookies)
        if (isJson(request)) return { success: true as const, message: 'Signed out' }
        return reply.redirect('/login', 303)
      },
    })

  app.post(
    '/forgot_password',
    {
      schema: {
        operationId: nameOf('submit', '/forgot_password'),
        summary: 'Mail a link that resets the password, as a form',
        tags,
        consumes,
        body: RequestResetBody,
        response: { 200: Page },
      },
    },
    async (request, reply) => {
      resetMails(core).request(request.body.email, networkOf(request.ip), app.listeningOrigin)
      return sendForm(reply, '/forgot_password', {
        status: 'If an account has this address, a mail with a link is on its way.',
      })
    },
  )

  app.post(
    '/reset_password',
    {
      schema: {
        operationId: nameOf('submit', '/reset_password'),
        summary: 'Set a new password by a mailed link, as a form',
        tags,
        consumes,
        body: ConfirmResetBody,
        response: { ...redirects, ...failures('invalid_token') },
      },
    },
    async (request, reply) => {
      await confirmPasswordReset(core, request.body, deviceOf(request))
      return reply.redirect('/login', 303)
    },
  )

  function signIn(request: FastifyRequest, reply: FastifyReply, login: auth.WebLogin) {
    const { claims, user, portals, redirectUrl } = login
    const cookie = signToken(app, 'web', claims, core)
    reply.setCookie(SESSION_COOKIE, cookie, { ...cookies, maxAge: TOKEN_LIFETIME_SECONDS.web })
    if (request.cookies[NEXT_COOKIE]) reply.clearCookie(NEXT_COOKIE, cookies)
    if (isFormPost(request)) {
      const { next } = request.body as { next?: unknown }
      return reply.redirect(isOwnPage(next) ? next : redirectUrl, 303)
    }
    return reply.send({ success: true, user, available_portals: portals, redirect_url: redirectUrl })
  }
}

function sendForm(reply: FastifyReply, path: FormPath, state: FormState) {
  return sendPage(reply, renderForm(path, state))
}

function isForm(path: string | undefined): path is FormPath {
  return path !== undefined && Object.hasOwn(FORMS, path)
}

/** A browser's own form, rather than a program that speaks JSON. */
function isFormPost(request: FastifyRequest): boolean {
  return mediaTypeOf(request) === 'application/x-www-form-urlencoded' && !isJson(request)
}

function isJson(request: FastifyRequest): boolean {
  return (
    mediaTypeOf(request) === 'application/json' ||
    (accepts(request, 'application/json') && !accepts(request, 'text/html'))
  )
}

/** A failure in words for the person at the form. */
function explain({ message, details }: AppError): string {
  const fields = details.errors as { path: string; message: string }[] | undefined
  return fields ? fields.map(({ path, message }) => `${path.slice(1)}: ${message}`).join('; ') : message
}

function ignoreMissing(error: unknown): void {
  if (toAppError(error).code !== 'not_found') throw error
}

/** `showAdminLogin`, `submitResetPassword` */
function nameOf(verb: 'show' | 'submit', form: FormPath): string {
  return verb + form.replace(/[/_]([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
