import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  GoogleAnswer,
  GoogleBody,
  LoginAnswer,
  LoginBody,
  LogoutBody,
  MeAnswer,
  RefreshAnswer,
  RefreshBody,
  RegisterBody,
  StatusMessage,
} from '../../../schemas/auth.ts'
import type { Core } from '../../core.ts'
import { deviceOf, guardUsers } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import type { LiveSessions } from './live-sessions.ts'
import * as service from './service.ts'
import { endSessionByRefreshToken, refresh } from './sessions.ts'

const config = { envelope: 'status' } as const

/** New accounts for clients (contract §2), at `/api/v01/auth`. */
export const registrationRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/register',
    {
      config,
      schema: {
        summary: 'Create an account and sign in',
        tags: ['auth'],
        body: RegisterBody,
        response: { 201: LoginAnswer, ...failures('username_taken', 'email_taken') },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await service.register(core, request.body, deviceOf(request))),
  )
}

/** Tokens for clients (contract §2), at `/api/v01/auth`. */
export const authRoutes: FastifyPluginAsyncTypebox<{ core: Core; sessions: LiveSessions }> = async (
  app,
  { core, sessions },
) => {
  app.post(
    '/login',
    {
      config,
      schema: {
        summary: 'Sign in with username or e-mail address',
        tags: ['auth'],
        body: LoginBody,
        response: { 200: LoginAnswer, ...failures('invalid_credentials', 'locked_out') },
      },
    },
    (request) => service.login(core, request.body, deviceOf(request)),
  )

  app.post(
    '/google',
    {
      config,
      schema: {
        summary: "Sign in with the identity provider's ID token",
        description: 'Creates an account where there is none, links the one with the same verified address.',
        tags: ['auth'],
        body: GoogleBody,
        response: {
          200: GoogleAnswer,
          ...failures('invalid_id_token', 'email_taken', 'not_configured', 'unavailable'),
        },
      },
    },
    (request) => service.loginWithGoogle(core, request.body.id_token, deviceOf(request)),
  )

  app.post(
    '/refresh',
    {
      config,
      schema: {
        summary: 'A new access token',
        description:
          'With `rotate` a new refresh token too. A spent one used again ends its session, save once within 30 seconds.',
        tags: ['auth'],
        body: RefreshBody,
        response: { 200: RefreshAnswer, ...failures('token_expired_or_invalid') },
      },
    },
    ({ body }) => refresh(core, body.refresh_token, body.rotate ?? false),
  )

  app.post(
    '/logout',
    {
      config,
      schema: {
        summary: 'End the session',
        description: 'Idempotent: an unknown or ended token is answered alike.',
        tags: ['auth'],
        body: LogoutBody,
        response: { 200: StatusMessage },
      },
    },
    async (request) => {
      await endSessionByRefreshToken(core, request.body.refresh_token)
      return { status: 'success' as const, message: 'Signed out' }
    },
  )

  app.register(async (own) => {
    guardUsers(own, sessions)
    own.get(
      '/me',
      { config, schema: { summary: 'The signed-in account', tags: ['auth'], response: { 200: MeAnswer } } },
      (request) => service.describeSelf(core, request.caller.userId),
    )
  })
}
