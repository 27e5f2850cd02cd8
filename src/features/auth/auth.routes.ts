import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import {
  GoogleAnswer,
  GoogleBody,
  LoginAnswer,
  LoginBody,
  LogoutBody,
  MeAnswer,
  OidcBody,
  RefreshAnswer,
  RefreshBody,
  RegisterBody,
  StatusMessage,
} from '../../../schemas/auth.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { issueAccessToken } from '../../http/caller-tokens.ts'
import { deviceOf, guardUsers, identifyByCookie } from '../../http/callers.ts'
import { BY_PROVIDER, cookieOptions, DESK_COOKIE } from '../../http/cookies.ts'
import { operations } from '../../http/operations.ts'
import * as service from './auth.service.ts'
import { endSessionByRefreshToken, refresh } from './sessions.service.ts'

const config = { envelope: 'status' } as const
/** The longest time that browsers keep a cookie. If the desk's tokens end before, that costs one redirect. */
const DESK_COOKIE_SECONDS = 400 * 24 * 3_600

/** An app's sign-in waits for its turn, and asks the provider up to four times. */
const PROVIDER_TIMEOUT_MS = 55_000

/**
 * More routes at `/api/v01/auth`: new accounts, tokens for the desk's page, a
 * provider's codes.
 */
export const newerAuthRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'auth', config)

  operation('register', 'POST /register', {
    summary: 'Create an account and sign in',
    body: RegisterBody,
    created: LoginAnswer,
    refuses: ['username_taken', 'email_taken', 'oidc_only', 'registration_closed'],
    run: async (request) => ({
      data: toTokenSet(app, core, await service.register(core, request.body, deviceOf(request))),
    }),
  })

  operation('exchangeSession', 'POST /exchange', {
    summary: 'Tokens for the person of the session cookie',
    description:
      'What a page needs that is served after a sign-in by form. The web session goes on beside it; asked again, ' +
      'it answers with the same client session while that lives.',
    answer: LoginAnswer,
    refuses: ['authentication_required', 'token_expired_or_invalid'],
    security: [{ session: [] }],
    run: async (request, reply) => {
      const caller = identifyByCookie(request, core)
      if (!caller) throw new AppError('authentication_required')
      const login = await service.loginByWebSession(core, caller, deviceOf(request))
      // Only what comes by the provider has an end of its own.
      const origin = login.claims.endsAt === null ? '1' : BY_PROVIDER
      reply.setCookie(DESK_COOKIE, origin, { ...cookieOptions(core), maxAge: DESK_COOKIE_SECONDS })
      return { data: toTokenSet(app, core, login) }
    },
  })

  operation('loginWithOidc', 'POST /oidc', {
    summary: 'Sign in with a code of the OpenID Connect provider',
    description:
      'For apps that ask the provider themselves, with PKCE and a nonce. Creates an account if there is none, and ' +
      'links the one that has the same verified address. After `account_exists` come again with a new code, and ' +
      '`password` or `anew`.',
    // As with Google, the provider is asked before it takes its turn.
    budget: 'none',
    timeoutMs: PROVIDER_TIMEOUT_MS,
    body: OidcBody,
    answer: LoginAnswer,
    refuses: [
      'oidc_failed',
      'invalid_credentials',
      'locked_out',
      'email_unverified',
      'account_exists',
      'email_taken',
      'account_suspended',
      'not_configured',
      'identity_provider_down',
    ],
    run: async (request) => ({
      data: toTokenSet(app, core, await service.loginWithOidc(core, request.body, deviceOf(request))),
    }),
  })
}

/** Tokens for clients (docs/protocol/http.md#signing-in), at `/api/v01/auth`. */
export const authRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'auth', config)

  operation('login', 'POST /login', {
    summary: 'Sign in with username or e-mail address',
    // Logins have a queue of their own.
    budget: 'none',
    body: LoginBody,
    answer: LoginAnswer,
    refuses: ['invalid_credentials', 'locked_out', 'oidc_only', 'account_suspended'],
    run: async (request) => ({
      data: toTokenSet(app, core, await service.login(core, request.body, deviceOf(request))),
    }),
  })

  operation('loginWithGoogle', 'POST /google', {
    summary: "Sign in with the identity provider's ID token",
    description:
      'Creates an account if there is none, and links the one that has the same verified address. With ' +
      '`account_exists` a mail with a link is on its way (`mailed: true`): after it the next call links. So does ' +
      '`password`; `anew` makes a new account.',
    // Like a login, but the provider is asked before it takes its turn: a slow one keeps nobody else waiting.
    budget: 'none',
    body: GoogleBody,
    answer: GoogleAnswer,
    refuses: [
      'invalid_id_token',
      'invalid_credentials',
      'locked_out',
      'account_exists',
      'email_taken',
      'oidc_only',
      'registration_closed',
      'account_suspended',
      'not_configured',
      'unavailable',
    ],
    run: async (request) => {
      const device = deviceOf(request)
      const login = await service.loginWithGoogle(core, request.body, device, app.listeningOrigin)
      return { data: { ...toTokenSet(app, core, login), is_new_user: login.isNew } }
    },
  })

  operation('refreshToken', 'POST /refresh', {
    summary: 'A new access token',
    description:
      'With `rotate` a new refresh token too. For 30 seconds a spent one answers the same again, while nobody ' +
      'has used its successor; any later use ends the session.',
    body: RefreshBody,
    answer: RefreshAnswer,
    refuses: ['token_expired_or_invalid'],
    run: async ({ body }) => {
      const { claims, refreshToken } = await refresh(core, body.refresh_token, body.rotate ?? false)
      return {
        data: {
          ...issueAccessToken(app, core, claims),
          ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
        },
      }
    },
  })

  operation('logout', 'POST /logout', {
    summary: 'End the session',
    description: 'Idempotent: the answer is the same for a token that is unknown or has ended.',
    body: LogoutBody,
    answer: StatusMessage,
    run: async (request) => {
      await endSessionByRefreshToken(core, request.body.refresh_token)
      return { message: 'Signed out' }
    },
  })

  app.register(async (own) => {
    guardUsers(own, core)
    operations(own, 'auth', config)('getMe', 'GET /me', {
      summary: 'The signed-in account',
      answer: MeAnswer,
      run: async (request) => ({ data: await service.describeSelf(core, request.caller.userId) }),
    })
  })
}

function toTokenSet(
  app: FastifyInstance,
  core: Core,
  { claims, refreshToken, portals, user }: service.ClientLogin,
) {
  return {
    ...issueAccessToken(app, core, claims),
    refresh_token: refreshToken,
    available_portals: portals,
    user,
  }
}
