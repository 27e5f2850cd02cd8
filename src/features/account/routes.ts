import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AccountAnswer,
  ChangeAccountBody,
  ConfirmResetBody,
  DeleteAccountBody,
  RequestResetBody,
  SessionsAnswer,
} from '../../../schemas/account.ts'
import { IdParams, Success, SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { guardUsers } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import type { LiveSessions } from '../auth/live-sessions.ts'
import { endSession } from '../auth/sessions.ts'
import { confirmPasswordReset, type ResetMails } from './password-reset.ts'
import * as service from './service.ts'

const tags = ['account']
const success = true as const

interface AccountOptions {
  core: Core
  sessions: LiveSessions
  resetMails: ResetMails
}

/** One's own account (contract §3), at `/api/v01/account`. */
export const accountRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (
  app,
  { core, sessions, resetMails },
) => {
  app.post(
    '/password-reset',
    {
      schema: {
        summary: 'Mail a link that resets the password',
        description: 'Answers alike whether or not an account has this address.',
        tags,
        body: RequestResetBody,
        response: { 200: SuccessMessage },
      },
    },
    async (request) => {
      resetMails.request(request.body.email)
      return { success, message: 'If an account has this address, a mail with a link is on its way.' }
    },
  )

  app.post(
    '/password-reset/confirm',
    {
      schema: {
        summary: 'Set a new password by a mailed token',
        description: 'Works once, within an hour, and ends every session of the account.',
        tags,
        body: ConfirmResetBody,
        response: { 200: SuccessMessage, ...failures('invalid_token') },
      },
    },
    async (request) => {
      await confirmPasswordReset(core, request.body)
      return { success, message: 'The password was changed' }
    },
  )

  app.register(ownRoutes, { core, sessions })
}

const ownRoutes: FastifyPluginAsyncTypebox<Pick<AccountOptions, 'core' | 'sessions'>> = async (
  app,
  { core, sessions },
) => {
  guardUsers(app, sessions)

  app.patch(
    '',
    {
      schema: {
        summary: 'Change name, e-mail address or password',
        description: 'A new password ends every other session.',
        tags,
        body: ChangeAccountBody,
        response: {
          200: AccountAnswer,
          ...failures('nothing_to_update', 'wrong_password', 'email_taken'),
        },
      },
    },
    async (request) => ({ success, user: await service.changeAccount(core, request.caller, request.body) }),
  )

  app.delete(
    '',
    {
      schema: {
        summary: 'Delete the account',
        description: 'What it wrote in chats and discussions stays, under `Deleted Account`.',
        tags,
        body: DeleteAccountBody,
        response: {
          200: SuccessMessage,
          ...failures('confirmation_required', 'last_admin'),
        },
      },
    },
    async (request) => {
      await service.deleteAccount(core, request.caller.userId, request.body.confirm)
      return { success, message: 'The account was deleted' }
    },
  )

  app.get(
    '/sessions',
    { schema: { summary: 'Own sessions', tags, response: { 200: SessionsAnswer } } },
    async (request) => ({ success, sessions: await service.describeSessions(core, request.caller) }),
  )

  app.delete(
    '/sessions/:id',
    {
      schema: {
        summary: 'End a session',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await endSession(core, request.caller.userId, request.params.id)
      return { success }
    },
  )
}
