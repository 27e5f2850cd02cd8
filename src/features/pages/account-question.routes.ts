import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { OfferedPassword } from '../../../schemas/auth.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { sayIn } from '../../formats/translations.ts'
import { deviceOf } from '../../http/callers.ts'
import { cookieOptions } from '../../http/cookies.ts'
import { toAppError } from '../../http/failures.ts'
import { Page, redirects, sendPage } from '../../http/page-body.ts'
import { pageLanguageOf } from '../../http/request-language.ts'
import type { OwnerAnswer } from '../auth/account-owner.ts'
import { addressMails } from '../auth/address-mails.ts'
import { loginByProviderOnWeb } from '../auth/auth.service.ts'
import { QUESTION_PATH, renderQuestion } from './account-question-html.ts'
import { IDENTITY_COOKIE, type IdentifiedVisitor, openIdentity } from './sealed-identities.ts'
import { isJson, setSession } from './sign-in.routes.ts'
import { explain } from './sign-in-html.ts'

const tags = ['pages']
/** Failures after which the question is asked again. */
const ASKED_AGAIN = new Set(['account_exists', 'invalid_credentials', 'locked_out'])
const refusals = [
  'account_exists',
  'email_taken',
  'oidc_state',
  'oidc_failed',
  'account_suspended',
  'not_configured',
] as const

const AnswerForm = Type.Object({
  answer: Type.Enum(['password', 'mail', 'anew'], {
    description: 'the password of the account, a link to its address, or a new account',
  }),
  password: Type.Optional(OfferedPassword),
})

/**
 * Asks somebody whom the OpenID Connect provider has identified whose account it is that has their address
 * (docs/protocol/sign-in.md#who-it-is). What the provider said is in a sealed cookie.
 */
export const accountQuestionRoutes: FastifyPluginAsyncTypebox<{ core: Core; path: string }> = async (
  app,
  { core, path },
) => {
  const cookies = { ...cookieOptions(core), path }

  app.get(
    QUESTION_PATH,
    {
      config: { budget: 'none', refuses: refusals },
      schema: {
        operationId: 'showAccountQuestion',
        summary: 'Ask whose account it is that has the address of the person who signs in',
        description: 'Signs in once the account is known to be theirs: a mailed link may have proved it.',
        tags,
        produces: ['text/html', 'application/json'],
        response: { ...redirects, 200: Page },
      },
    },
    async (request, reply) => {
      const arrival = await findArrival(request)
      return signIn(request, reply, arrival, {})
    },
  )

  app.post(
    QUESTION_PATH,
    {
      config: { budget: 'none', refuses: ['invalid_credentials', 'locked_out', ...refusals] },
      schema: {
        operationId: 'answerAccountQuestion',
        summary: 'Say whose account it is: sets the session cookie',
        tags,
        consumes: ['application/x-www-form-urlencoded'],
        produces: ['text/html', 'application/json'],
        body: AnswerForm,
        response: { ...redirects, 200: Page },
      },
    },
    async (request, reply) => {
      const arrival = await findArrival(request)
      const { answer, password } = request.body
      if (answer !== 'mail')
        return signIn(request, reply, arrival, answer === 'anew' ? { anew: true } : { password })
      addressMails(core).proof(arrival.identity.email ?? '', deviceOf(request), app.listeningOrigin)
      const t = sayIn(pageLanguageOf(request))
      return ask(request, reply, arrival, {
        status: t('A mail with a link is on its way. Open it, then come back here.'),
      })
    },
  )

  async function findArrival(request: FastifyRequest): Promise<IdentifiedVisitor> {
    const arrival = await openIdentity(core, request.cookies)
    if (!core.oidc) throw new AppError('not_configured')
    if (!arrival) throw new AppError('oidc_state')
    return arrival
  }

  async function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    arrival: IdentifiedVisitor,
    answer: OwnerAnswer,
  ) {
    try {
      const login = await loginByProviderOnWeb(core, arrival.identity, deviceOf(request), answer)
      reply.clearCookie(IDENTITY_COOKIE, cookies)
      await setSession(app, core, request, reply, login)
      return reply.redirect(arrival.next === '/' ? login.redirectUrl : arrival.next, 303)
    } catch (error) {
      const failure = toAppError(error)
      if (!ASKED_AGAIN.has(failure.code) || isJson(request)) throw failure
      if (failure.code === 'account_exists') return ask(request, reply, arrival, {})
      if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter)
      const alert = explain(sayIn(pageLanguageOf(request)), '/login', failure)
      return ask(request, reply.code(failure.status), arrival, { alert })
    }
  }

  function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    { identity }: IdentifiedVisitor,
    state: { alert?: string; status?: string },
  ) {
    const provider = core.config.oidc?.name ?? ''
    const question = { email: identity.email ?? '', provider, ...state }
    return sendPage(reply, renderQuestion(sayIn(pageLanguageOf(request)), question))
  }
}
