import type { FastifyPluginAsync } from 'fastify'
import { DryRun, IdParams, SuccessMessage } from '../../../schemas/common.ts'
import {
  AccountsImported,
  DeleteManagedBody,
  ImportAccountsForm,
  ManagedAccountAnswer,
  ManagedAccountChanges,
  NewAccountBody,
  PasswordLink,
} from '../../../schemas/managed-accounts.schemas.ts'
import type { Core } from '../../core.ts'
import { runInTurn } from '../../http/admission.ts'
import { actorOf, deviceOf } from '../../http/callers.ts'
import { readTriableImport, takesImport } from '../../http/import-body.ts'
import { operations } from '../../http/operations.ts'
import * as service from './managed-accounts.service.ts'

/** Accounts of other people (docs/protocol/http.md#people), at `/api/v01/admin/users`, for administrators. */
export const managedAccountAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: users')

  operation('createUser', 'POST', {
    summary: 'Create an account for somebody',
    body: NewAccountBody,
    created: ManagedAccountAnswer,
    refuses: ['username_taken', 'email_taken'],
    run: async (request) => {
      const { body } = request
      const device = deviceOf(request)
      const user = await service.createManaged(core, actorOf(request), body, device, app.listeningOrigin)
      return { user }
    },
  })

  operation('importUsers', 'POST /import', {
    summary: 'Create accounts from a CSV',
    description:
      'The column `email`, and optionally `username`, `full_name` and `role`. Rows that do not fit, or whose name or address is taken, are named; all others become accounts without a password, in one transaction.',
    ...takesImport,
    query: DryRun,
    body: ImportAccountsForm,
    answer: AccountsImported,
    refuses: ['missing_columns', 'invalid_csv', 'payload_too_large'],
    run: async (request) => {
      const imported = await runInTurn(core.gate.imports, request, async () => {
        const { content, isDryRun } = await readTriableImport(request, 'file', service.readManaged)
        return service.importManaged(core, actorOf(request), content, isDryRun)
      })
      return imported
    },
  })

  operation('changeUser', 'PATCH /:id', {
    summary: "Change the name of an account's owner, suspend it, or end its suspension",
    description:
      'Suspended people cannot sign in, and their sessions end at once. Nothing of theirs is deleted.',
    params: IdParams,
    body: ManagedAccountChanges,
    answer: ManagedAccountAnswer,
    refuses: ['not_found', 'last_admin'],
    run: async (request) => {
      const { params, body } = request
      const user = await service.changeManaged(core, actorOf(request), params.id, body)
      return { user }
    },
  })

  operation('freeUserAddress', 'POST /:id/free-address', {
    summary: "Free an account's e-mail address",
    description:
      'For somebody whose address it is now: the account keeps everything else under a placeholder, and its owner signs in by username.',
    params: IdParams,
    answer: ManagedAccountAnswer,
    refuses: ['not_found'],
    run: async (request) => {
      const user = await service.freeAddress(core, actorOf(request), request.params.id)
      return { user }
    },
  })

  operation('createPasswordLink', 'POST /:id/password-link', {
    summary: 'Make a link by which somebody can choose a new password',
    description:
      'For people who get no mail; it works once, for 24 hours, and takes the place of an earlier one. 403 `forbidden` for accounts of administrators.',
    params: IdParams,
    answer: PasswordLink,
    refuses: ['not_found', 'forbidden', 'oidc_only'],
    run: (request) =>
      service.createPasswordLink(core, actorOf(request), request.params.id, app.listeningOrigin),
  })

  operation('deleteUser', 'DELETE /:id', {
    summary: "Delete somebody's account",
    description:
      'The effect is the same as if its owner had deleted it. Administrators confirm it with their own password, or a fresh sign-in.',
    params: IdParams,
    body: DeleteManagedBody,
    answer: SuccessMessage,
    refuses: [
      'confirmation_required',
      'wrong_password',
      'fresh_sign_in_required',
      'locked_out',
      'not_found',
      'last_admin',
      'attempt_active',
    ],
    run: async (request) => {
      const { caller, params, body } = request
      await service.deleteManaged(core, actorOf(request), caller, params.id, body, deviceOf(request))
      return { message: 'The account was deleted' }
    },
  })
}
