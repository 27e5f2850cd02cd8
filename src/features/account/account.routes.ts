import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AccountAnswer,
  ChangeAccountBody,
  ConfirmResetBody,
  DeleteAccountBody,
  RequestResetBody,
  SessionsAnswer,
} from '../../../schemas/account.schemas.ts'
import { IdParams, Success, SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf, deviceOf, guardUsers } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { addressMails } from '../auth/address-mails.ts'
import { confirmPasswordReset } from '../auth/password-reset.service.ts'
import { endSession } from '../auth/sessions.service.ts'
import * as service from './account.service.ts'

const tags = ['account']
const success = true as const

/** One's own account (docs/protocol/http.md#accounts), at `/api/v01/account`. */
export const accountRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/password-reset',
    {
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Mail a link that resets the password',
        description: 'The answer is the same whether or not an account has this address.',
        tags,
        body: RequestResetBody,
        response: { 200: SuccessMessage, ...failures('oidc_only') },
      },
    },
    async (request) => {
      addressMails(core).reset(request.body.email, deviceOf(request), app.listeningOrigin)
      return { success, message: 'If an account has this address, a mail with a link is on its way.' }
    },
  )

  app.post(
    '/password-reset/confirm',
    {
      schema: {
        operationId: 'confirmPasswordReset',
        summary: 'Set a new password by a mailed token',
        description: 'Works once, within an hour, and ends every session of the account.',
        tags,
        body: ConfirmResetBody,
        response: { 200: SuccessMessage, ...failures('invalid_token', 'oidc_only') },
      },
    },
    async (request) => {
      await confirmPasswordReset(core, request.body, deviceOf(request))
      return { success, message: 'The password was changed' }
    },
  )

  app.register(ownRoutes, { core })
}

const ownRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  guardUsers(app, core)

  app.patch(
    '',
    {
      schema: {
        operationId: 'changeAccount',
        summary: 'Change name, e-mail address or password',
        description: 'A new password ends every other session.',
        tags,
        body: ChangeAccountBody,
        response: {
          200: AccountAnswer,
          ...failures(
            'nothing_to_update',
            'wrong_password',
            'oidc_only',
            'fresh_sign_in_required',
            'email_taken',
            'locked_out',
          ),
        },
      },
    },
    async (request) => ({
      success,
      user: await service.changeAccount(core, request.caller, request.body, deviceOf(request)),
    }),
  )

  app.delete(
    '',
    {
      schema: {
        operationId: 'deleteAccount',
        summary: 'Delete the account',
        description:
          'What it wrote in chats and discussions stays, under `Deleted Account`. Administrators give their password too. ' +
          '409 during an attempt that has an end.',
        tags,
        body: DeleteAccountBody,
        response: {
          200: SuccessMessage,
          ...failures(
            'confirmation_required',
            'wrong_password',
            'fresh_sign_in_required',
            'locked_out',
            'last_admin',
            'attempt_active',
          ),
        },
      },
    },
    async (request) => {
      const { caller, body } = request
      await service.deleteAccount(core, caller, body, actorOf(request), deviceOf(request))
      return { success, message: 'The account was deleted' }
    },
  )

  app.get(
    '/sessions',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listSessions',
        summary: 'Own sessions',
        tags,
        response: { 200: SessionsAnswer },
      },
    },
    async (request) => ({ success, sessions: await service.describeSessions(core, request.caller) }),
  )

  app.delete(
    '/sessions/:id',
    {
      schema: {
        operationId: 'endSession',
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
