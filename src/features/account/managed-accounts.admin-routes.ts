import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DryRun, IdParams, SuccessMessage } from '../../../schemas/common.ts'
import {
  AccountsImported,
  DeleteManagedBody,
  ImportAccountsForm,
  ManagedAccountAnswer,
  NewAccountBody,
  SuspensionBody,
} from '../../../schemas/managed-accounts.schemas.ts'
import { runInTurn } from '../../admission/admission.ts'
import type { Core } from '../../core.ts'
import { actorOf, deviceOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { readTriableImport, takesImport } from '../../http/import-body.ts'
import * as service from './managed-accounts.service.ts'

const tags = ['admin: users']
const success = true as const

/** Accounts of other people (docs/protocol/http.md#people), at `/api/v01/admin/users`, for administrators. */
export const managedAccountAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '',
    {
      schema: {
        operationId: 'createUser',
        summary: 'Create an account for somebody',
        tags,
        body: NewAccountBody,
        response: { 201: ManagedAccountAnswer, ...failures('username_taken', 'email_taken') },
      },
    },
    async (request, reply) => {
      const { body } = request
      const device = deviceOf(request)
      const user = await service.createManaged(core, actorOf(request), body, device, app.listeningOrigin)
      return reply.code(201).send({ success, user })
    },
  )

  app.post(
    '/import',
    {
      ...takesImport,
      schema: {
        operationId: 'importUsers',
        summary: 'Create accounts from a CSV',
        description:
          'The column `email`, and optionally `username`, `full_name` and `role`. Rows that do not fit, or whose name or address is taken, are named; all others become accounts without a password, in one transaction.',
        tags,
        consumes: ['multipart/form-data'],
        querystring: DryRun,
        body: ImportAccountsForm,
        response: {
          200: AccountsImported,
          ...failures('missing_columns', 'invalid_csv', 'payload_too_large'),
        },
      },
    },
    async (request) => {
      const imported = await runInTurn(core.gate.imports, request, async () => {
        const { content, isTry } = await readTriableImport(request, 'file', service.readManaged)
        return service.importManaged(core, actorOf(request), content, isTry)
      })
      return { success, ...imported }
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'suspendUser',
        summary: 'Suspend an account, or end its suspension',
        description:
          'Suspended people cannot sign in, and their sessions end at once. Nothing of theirs is deleted.',
        tags,
        params: IdParams,
        body: SuspensionBody,
        response: { 200: ManagedAccountAnswer, ...failures('not_found', 'last_admin') },
      },
    },
    async (request) => {
      const { params, body } = request
      const user = await service.setSuspended(core, actorOf(request), params.id, body.suspended)
      return { success, user }
    },
  )

  app.post(
    '/:id/free-address',
    {
      schema: {
        operationId: 'freeUserAddress',
        summary: "Free an account's e-mail address",
        description:
          'For somebody who has it by now: the account keeps everything else under a placeholder, and its owner signs in by username.',
        tags,
        params: IdParams,
        response: { 200: ManagedAccountAnswer, ...failures('not_found') },
      },
    },
    async (request) => {
      const user = await service.freeAddress(core, actorOf(request), request.params.id)
      return { success, user }
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteUser',
        summary: "Delete somebody's account",
        description:
          'The effect is the same as if its owner had deleted it. Administrators confirm it with their own password, or a fresh sign-in.',
        tags,
        params: IdParams,
        body: DeleteManagedBody,
        response: {
          200: SuccessMessage,
          ...failures(
            'confirmation_required',
            'wrong_password',
            'fresh_sign_in_required',
            'locked_out',
            'not_found',
            'last_admin',
            'attempt_active',
          ),
        },
      },
    },
    async (request) => {
      const { caller, params, body } = request
      await service.deleteManaged(core, actorOf(request), caller, params.id, body, deviceOf(request))
      return { success, message: 'The account was deleted' }
    },
  )
}
