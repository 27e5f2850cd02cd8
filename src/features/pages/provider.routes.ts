import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Success, Text } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { sayIn } from '../../formats/translations.ts'
import { deviceOf } from '../../http/callers.ts'
import { cookieOptions } from '../../http/cookies.ts'
import { logFailure, sendFailure, toAppError } from '../../http/failures.ts'
import { pageLanguageOf } from '../../http/request-language.ts'
import { registerUrlencoded } from '../../http/urlencoded-body.ts'
import { loginByProviderOnWeb } from '../auth/auth.service.ts'
import { logOutByProvider } from '../auth/provider-logout.service.ts'
import { accountQuestionRoutes } from './account-question.routes.ts'
import { QUESTION_PATH } from './account-question-html.ts'
import { IDENTITY_COOKIE, IDENTITY_SECONDS, sealIdentity } from './sealed-identities.ts'
import { isJson, sendForm, setSession } from './sign-in.routes.ts'
import { describeDoors, explain } from './sign-in-html.ts'
import { cookieOf, readNext, STATE_SECONDS, signInStates, surplusStates } from './sign-in-states.ts'

const tags = ['pages']
/** Failures are a page, or JSON for programs. */
const produces = ['text/html', 'application/json']
/** Where the cookies of sign-ins under way are sent. */
const PATH = '/auth/oidc'
/** What the provider calls by itself. */
const LOGOUT = `${PATH}/logout`
/** A sign-in waits for its turn, and asks the provider up to four times. */
const TIMEOUT_MS = 55_000
const LARGEST_FORM = 64 * 1024
/** Whatever stands there: what is wrong is answered by a page. */
const Anything = Type.Optional(Type.Unknown())

/** Signing in by the OpenID Connect provider (docs/protocol/sign-in.md), for browsers. */
export const providerRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const cookies = { ...cookieOptions(core), path: PATH }
  const states = signInStates(core)
  registerUrlencoded(app, LARGEST_FORM)
  app.setErrorHandler((error, request, reply) => {
    const failure = toAppError(error)
    const isProgram = isJson(request) || request.routeOptions.url === LOGOUT
    if (isProgram) return sendFailure(failure, request, reply)
    logFailure(failure, request.log, 'request')
    if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter)
    const t = sayIn(pageLanguageOf(request))
    const alert =
      failure.code === 'email_taken'
        ? t('Another account has your e-mail address. Ask whoever runs this service to free it.')
        : explain(t, '/login', failure)
    return sendForm(reply.code(failure.status), '/login', {
      alert,
      code: failure.code,
      ...describeDoors(core),
    })
  })

  await app.register(accountQuestionRoutes, { core, path: PATH })

  /** The address that the operator registers at the provider. */
  function callbackAddress(): string {
    return new URL(`${PATH}/callback`, core.config.publicUrl ?? app.listeningOrigin).href
  }

  app.get(
    `${PATH}/start`,
    {
      config: {
        timeoutMs: TIMEOUT_MS,
        budget: 'none',
        refuses: ['not_configured', 'identity_provider_down'],
      },
      schema: {
        operationId: 'startProviderSignIn',
        summary: 'Sign in by the OpenID Connect provider',
        description: '`next` is the path of this service to go on to.',
        tags,
        produces,
        querystring: Type.Object({ next: Anything }),
        response: { 302: Type.Null({ description: 'the browser goes on to the provider' }) },
      },
    },
    async (request, reply) => {
      const { oidc } = core
      if (!oidc) throw new AppError('not_configured')
      const begun = await states.begin(readNext(request.query.next))
      const address = await core.gate.providers.run(deviceOf(request), () =>
        oidc.startSignIn(callbackAddress(), begun),
      )
      for (const name of surplusStates(request.cookies)) reply.clearCookie(name, cookies)
      reply.setCookie(begun.cookie, begun.value, { ...cookies, maxAge: STATE_SECONDS })
      return reply.redirect(address.href, 302)
    },
  )

  app.get(
    `${PATH}/callback`,
    {
      config: {
        timeoutMs: TIMEOUT_MS,
        budget: 'none',
        refuses: [
          'oidc_state',
          'oidc_failed',
          'oidc_denied',
          'email_unverified',
          'account_exists',
          'email_taken',
          'account_suspended',
          'not_configured',
          'identity_provider_down',
        ],
      },
      schema: {
        operationId: 'finishProviderSignIn',
        summary: 'Where the OpenID Connect provider sends browsers back to: sets the session cookie',
        tags,
        produces,
        querystring: Type.Object({ state: Anything, code: Anything, error: Anything }),
        response: {
          302: Type.Null({
            description:
              'signed in: the browser goes on to the page that it wanted, or to say whose the account is',
          }),
        },
      },
    },
    async (request, reply) => {
      const { oidc } = core
      if (!oidc) throw new AppError('not_configured')
      const answered = new URL(callbackAddress())
      answered.search = new URL(request.url, answered).search
      const state = answered.searchParams.get('state') ?? ''
      const begun = await states.read(state, request.cookies)
      if (!begun) throw new AppError('oidc_state')
      // It is over, however it ends.
      reply.clearCookie(cookieOf(state), cookies)
      const device = deviceOf(request)
      const identity = await core.gate.providers.run(device, () => oidc.finishSignIn(answered, begun))
      try {
        const login = await loginByProviderOnWeb(core, identity, device, {})
        await setSession(app, core, request, reply, login)
        return reply.redirect(begun.next === '/' ? login.redirectUrl : begun.next, 302)
      } catch (error) {
        if (toAppError(error).code !== 'account_exists' || isJson(request)) throw error
        const sealed = await sealIdentity(core, { identity, next: begun.next })
        reply.setCookie(IDENTITY_COOKIE, sealed, { ...cookies, maxAge: IDENTITY_SECONDS })
        return reply.redirect(QUESTION_PATH, 302)
      }
    },
  )

  app.post(
    LOGOUT,
    {
      config: {
        timeoutMs: TIMEOUT_MS,
        refuses: ['invalid_request', 'not_configured', 'identity_provider_down'],
      },
      schema: {
        operationId: 'logOutByProvider',
        summary: 'Back-channel logout, called by the OpenID Connect provider',
        description: 'With a `sub` all sessions of that person end, with a `sid` alone those that it opened.',
        tags,
        consumes: ['application/x-www-form-urlencoded'],
        body: Type.Object({ logout_token: Text(1, 32_768) }),
        response: { 200: Success },
      },
    },
    async (request) => {
      await logOutByProvider(core, request.body.logout_token)
      return { success: true as const }
    },
  )
}
