import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ConfirmResetBody, RequestResetBody } from '../../../schemas/account.schemas.ts'
import { LoginBody, LogoutAnswer, RegisterBody, WebLoginAnswer } from '../../../schemas/auth.schemas.ts'
import { Text } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { sayIn } from '../../formats/translations.ts'
import { signToken } from '../../http/caller-tokens.ts'
import { deviceOf, identifyByCookie } from '../../http/callers.ts'
import { BY_PROVIDER, cookieOptions, DESK_COOKIE, NEXT_COOKIE, SESSION_COOKIE } from '../../http/cookies.ts'
import { sendFailure, toAppError } from '../../http/failures.ts'
import { Page, redirects, sendPage } from '../../http/page-body.ts'
import { pageLanguageOf, setLanguageCookie } from '../../http/request-language.ts'
import { mediaTypeOf } from '../../http/request-log.ts'
import { registerUrlencoded } from '../../http/urlencoded-body.ts'
import { accepts } from '../../http/vary.ts'
import { TOKEN_LIFETIME_SECONDS } from '../../tokens/tokens.ts'
import { addressMails } from '../auth/address-mails.ts'
import * as auth from '../auth/auth.service.ts'
import { confirmAddressByLink, confirmPasswordReset } from '../auth/password-reset.service.ts'
import { endSession, isByProvider } from '../auth/sessions.service.ts'
import { findLanguage } from '../push/push.service.ts'
import {
  describeDoors,
  explain,
  FORMS,
  type FormPath,
  type FormState,
  isOwnPage,
  renderForm,
  renderLogout,
} from './sign-in-html.ts'

const tags = ['pages']
const consumes = ['application/json', 'application/x-www-form-urlencoded']

/** `next` is the page of the desk that somebody wanted to open. */
const next = Type.Optional(Text(0, 200))
const WebLoginBody = Type.Object({ ...LoginBody.properties, next })
const WebRegisterBody = Type.Object({ ...RegisterBody.properties, next })

/** Where the desk's own sign-out is. */
const DESK_SIGN_OUT = '/desk/account'

/** Bytes of a form: more than any page here has. */
const LARGEST_FORM = 16 * 1024

/**
 * Signing in, up and out, and new passwords (docs/protocol/http.md#signing-in), at the root: forms for browsers, the
 * same as JSON for programs.
 */
export const formRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const cookies = cookieOptions(core)
  const doors = describeDoors(core)
  registerUrlencoded(app, LARGEST_FORM)
  app.setErrorHandler((error, request, reply) => {
    const failure = toAppError(error)
    const t = sayIn(pageLanguageOf(request))
    const path = request.routeOptions.url
    // A form that is off leads to the ways in that there are.
    if (request.method === 'GET' && isForm(path) && doors.closed.has(path)) {
      const { code, status } = failure
      return sendForm(reply.code(status), '/login', { alert: explain(t, '/login', failure), code, ...doors })
    }
    if (!isFormPost(request) || !isForm(path)) return sendFailure(failure, request, reply)
    if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter)
    const values = typeof request.body === 'object' && request.body !== null ? request.body : {}
    return sendForm(reply.code(failure.status), path, {
      alert: explain(t, path, failure),
      values: { ...values },
      ...doors,
    })
  })

  for (const form of Object.keys(FORMS).filter(isForm))
    app.get(
      form,
      {
        config: { refuses: ['oidc_only', 'registration_closed'] },
        schema: {
          operationId: nameOf('show', form),
          summary: FORMS[form].title,
          description: 'Fields of the query fill the form in, as the token of a mailed link does.',
          tags,
          produces: ['text/html'],
          response: { 200: Page },
        },
      },
      async (request, reply) => {
        const values = { next: request.cookies[NEXT_COOKIE], ...(request.query as object) }
        const closed = doors.closed.get(form)
        if (closed !== undefined) throw new AppError(closed)
        return sendForm(reply, form, { values, ...doors })
      },
    )

  for (const [path, portal] of [
    ['/login', 'user'],
    ['/admin/login', 'admin'],
  ] as const)
    app.post(
      path,
      {
        // Logins have a queue of their own.
        config: {
          budget: 'none',
          refuses: [
            'invalid_credentials',
            'oidc_only',
            'account_suspended',
            'locked_out',
            ...(portal === 'admin' ? (['admin_required'] as const) : []),
          ],
        },
        schema: {
          operationId: nameOf('submit', path),
          summary: `${FORMS[path].title}: sets the session cookie`,
          tags,
          consumes,
          body: WebLoginBody,
          response: { ...redirects, 200: WebLoginAnswer },
        },
      },
      async (request, reply) =>
        signIn(request, reply, await auth.loginOnWeb(core, request.body, deviceOf(request), portal)),
    )

  app.post(
    '/create_account',
    {
      config: { refuses: ['username_taken', 'email_taken', 'oidc_only', 'registration_closed'] },
      schema: {
        operationId: nameOf('submit', '/create_account'),
        summary: 'Create an account: sets the session cookie',
        tags,
        consumes,
        body: WebRegisterBody,
        response: { ...redirects, 201: WebLoginAnswer },
      },
    },
    async (request, reply) =>
      signIn(request, reply.code(201), await auth.registerOnWeb(core, request.body, deviceOf(request))),
  )

  app.get(
    '/logout',
    {
      schema: {
        operationId: 'showLogout',
        summary: 'Ask whether to sign out',
        description:
          'Ends nothing by itself, so that no link or image on another page can. Where the web session has ended and ' +
          'the desk goes on, it leads to where the desk signs out.',
        tags,
        response: { ...redirects, 200: Page },
      },
    },
    async (request, reply) =>
      identifyByCookie(request, core)
        ? sendPage(reply, renderLogout(sayIn(pageLanguageOf(request))))
        : reply.redirect(request.cookies[DESK_COOKIE] ? DESK_SIGN_OUT : '/login', 303),
  )

  app.post(
    '/logout',
    {
      schema: {
        operationId: 'logoutOnWeb',
        summary: 'End the web session',
        description:
          'The session that the page was given for it ends too. `redirect_url` is where somebody signs out at the ' +
          'OpenID Connect provider that they came by, if it has such a page.',
        tags,
        response: { ...redirects, 200: LogoutAnswer },
      },
    },
    async (request, reply) => {
      const caller = identifyByCookie(request, core)
      // The desk's own session may outlive the cookie's.
      const cameByProvider =
        request.cookies[DESK_COOKIE] === BY_PROVIDER || (caller && (await isByProvider(core, caller)))
      // Only the desk can end a session of its own that has outlived the cookie's.
      if (!caller && request.cookies[DESK_COOKIE] && !isJson(request))
        return reply.redirect(DESK_SIGN_OUT, 303)
      // Somebody else may have ended it at the same moment.
      if (caller) await endSession(core, caller.userId, caller.sessionId).catch(ignoreMissing)
      reply.clearCookie(SESSION_COOKIE, cookies).clearCookie(DESK_COOKIE, cookies)
      setLanguageCookie(reply, core, null)
      if (!isJson(request)) return reply.redirect('/login', 303)
      const here = new URL('/login', core.config.publicUrl ?? app.listeningOrigin).href
      const redirectUrl = cameByProvider ? await core.oidc?.endSessionUrl(here) : undefined
      return {
        success: true as const,
        message: 'Signed out',
        ...(redirectUrl === undefined ? {} : { redirect_url: redirectUrl }),
      }
    },
  )

  app.post(
    '/forgot_password',
    {
      config: { refuses: ['oidc_only'] },
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
      addressMails(core).reset(request.body.email, deviceOf(request), app.listeningOrigin)
      const t = sayIn(pageLanguageOf(request))
      const status = t('If an account has this address, a mail with a link is on its way.')
      return sendForm(reply, '/forgot_password', { status })
    },
  )

  app.post(
    '/reset_password',
    {
      config: { refuses: ['invalid_token', 'oidc_only'] },
      schema: {
        operationId: nameOf('submit', '/reset_password'),
        summary: 'Set a new password by a mailed link, as a form',
        tags,
        consumes,
        body: ConfirmResetBody,
        response: { ...redirects },
      },
    },
    async (request, reply) => {
      await confirmPasswordReset(core, request.body, deviceOf(request))
      return reply.redirect('/login', 303)
    },
  )

  app.post(
    '/confirm_address',
    {
      config: { refuses: ['invalid_token'] },
      schema: {
        operationId: nameOf('submit', '/confirm_address'),
        summary: 'Confirm by a mailed link that an account is one’s own, as a form',
        description:
          'Its password and sessions end; who signs in with its address by a provider comes into it.',
        tags,
        consumes,
        body: Type.Object({ token: Text(1, 200) }),
        response: { 200: Page },
      },
    },
    async (request, reply) => {
      await confirmAddressByLink(core, request.body.token)
      const t = sayIn(pageLanguageOf(request))
      const status = t('Thank you: the account is yours. Go on where you were signing in.')
      return sendForm(reply, '/login', { status, ...doors })
    },
  )

  async function signIn(request: FastifyRequest, reply: FastifyReply, login: auth.WebLogin) {
    const { user, portals, redirectUrl } = login
    await setSession(app, core, request, reply, login)
    if (isFormPost(request)) {
      const { next } = request.body as { next?: unknown }
      return reply.redirect(isOwnPage(next) ? next : redirectUrl, 303)
    }
    return reply.send({ success: true, user, available_portals: portals, redirect_url: redirectUrl })
  }
}

/** Sets the session's cookie, and that of the person's language; where somebody wanted to go before it is over. */
export async function setSession(
  app: FastifyInstance,
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  { claims }: auth.WebLogin,
): Promise<void> {
  const cookies = cookieOptions(core)
  const cookie = signToken(app, 'web', claims, core)
  reply.setCookie(SESSION_COOKIE, cookie, { ...cookies, maxAge: TOKEN_LIFETIME_SECONDS.web })
  setLanguageCookie(reply, core, await findLanguage(core.db, claims.userId))
  if (request.cookies[NEXT_COOKIE]) reply.clearCookie(NEXT_COOKIE, cookies)
}

export function sendForm(reply: FastifyReply, path: FormPath, state: FormState) {
  return sendPage(reply, renderForm(sayIn(pageLanguageOf(reply.request)), path, state))
}

function isForm(path: string | undefined): path is FormPath {
  return path !== undefined && Object.hasOwn(FORMS, path)
}

/** A browser's own form, rather than a program that speaks JSON. */
function isFormPost(request: FastifyRequest): boolean {
  return mediaTypeOf(request) === 'application/x-www-form-urlencoded' && !isJson(request)
}

export function isJson(request: FastifyRequest): boolean {
  return (
    mediaTypeOf(request) === 'application/json' ||
    (accepts(request, 'application/json') && !accepts(request, 'text/html'))
  )
}

function ignoreMissing(error: unknown): void {
  if (toAppError(error).code !== 'not_found') throw error
}

/** `showAdminLogin`, `submitResetPassword` */
function nameOf(verb: 'show' | 'submit', form: FormPath): string {
  return verb + form.replace(/[/_]([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
