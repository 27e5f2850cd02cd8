import type { FastifyPluginAsync } from 'fastify'
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
import { operations } from '../../http/operations.ts'
import { addressMails } from '../auth/address-mails.ts'
import { confirmPasswordReset } from '../auth/password-reset.service.ts'
import { endSession } from '../auth/sessions.service.ts'
import * as service from './account.service.ts'

/** One's own account (docs/protocol/http.md#accounts), at `/api/v01/account`. */
export const accountRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'account')

  operation('requestPasswordReset', 'POST /password-reset', {
    summary: 'Mail a link that resets the password',
    description: 'The answer is the same whether or not an account has this address.',
    body: RequestResetBody,
    answer: SuccessMessage,
    refuses: ['oidc_only'],
    run: async (request) => {
      addressMails(core).reset(request.body.email, deviceOf(request), app.listeningOrigin)
      return { message: 'If an account has this address, a mail with a link is on its way.' }
    },
  })

  operation('confirmPasswordReset', 'POST /password-reset/confirm', {
    summary: 'Set a new password by a mailed token',
    description: 'Works once, within an hour, and ends every session of the account.',
    body: ConfirmResetBody,
    answer: SuccessMessage,
    refuses: ['invalid_token', 'oidc_only'],
    run: async (request) => {
      await confirmPasswordReset(core, request.body, deviceOf(request))
      return { message: 'The password was changed' }
    },
  })

  app.register(ownRoutes, { core })
}

const ownRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'account')

  guardUsers(app, core)

  operation('changeAccount', 'PATCH', {
    summary: 'Change name, e-mail address or password',
    description: 'A new password ends every other session.',
    body: ChangeAccountBody,
    answer: AccountAnswer,
    refuses: [
      'nothing_to_update',
      'wrong_password',
      'oidc_only',
      'fresh_sign_in_required',
      'email_taken',
      'locked_out',
    ],
    run: async (request) => ({
      user: await service.changeAccount(core, request.caller, request.body, deviceOf(request)),
    }),
  })

  operation('deleteAccount', 'DELETE', {
    summary: 'Delete the account',
    description:
      'What it wrote in chats and discussions stays, under `Deleted Account`. Administrators give their password too. ' +
      '409 during an attempt that has an end.',
    body: DeleteAccountBody,
    answer: SuccessMessage,
    refuses: [
      'confirmation_required',
      'wrong_password',
      'fresh_sign_in_required',
      'locked_out',
      'last_admin',
      'attempt_active',
    ],
    run: async (request) => {
      const { caller, body } = request
      await service.deleteAccount(core, caller, body, actorOf(request), deviceOf(request))
      return { message: 'The account was deleted' }
    },
  })

  operation('listSessions', 'GET /sessions', {
    summary: 'Own sessions',
    budget: 'heavy',
    answer: SessionsAnswer,
    run: async (request) => ({ sessions: await service.describeSessions(core, request.caller) }),
  })

  operation('endSession', 'DELETE /sessions/:id', {
    summary: 'End a session',
    params: IdParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      await endSession(core, request.caller.userId, request.params.id)
    },
  })
}
