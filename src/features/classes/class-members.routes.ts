import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ClassInvitationParams,
  ClassMemberParams,
  ClassParams,
  MembersAdded,
  NewMembers,
  RosterForm,
} from '../../../schemas/classes.schemas.ts'
import { DryRun, Success } from '../../../schemas/common.ts'
import { runInTurn } from '../../admission/admission.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { readTriableImport, takesImport } from '../../http/import-body.ts'
import { ownLanguageOf } from '../../http/request-language.ts'
import { requireOpenClass } from './class-access.service.ts'
import * as service from './class-members.service.ts'
import { readRoster } from './class-roster.ts'

const tags = ['classes']
const success = true as const

/** Who is in a class, at `/api/v01/classes`, for its teachers and administrators. */
export const classMemberRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/:id/members',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'addClassMembers',
        summary: 'Invite e-mail addresses to a class, or add people',
        description:
          'Teachers invite addresses: the answer is the same whether or not an account has the address. Administrators add people by id, and at once those who have confirmed such an address.',
        tags,
        params: ClassParams,
        body: NewMembers,
        response: { 200: MembersAdded, ...failures('forbidden', 'not_found', 'class_archived') },
      },
    },
    async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      const viewer = viewerOf(request.caller)
      const language = ownLanguageOf(request)
      return { success, ...(await service.addMembers(core, actor, viewer, id, request.body, language)) }
    },
  )

  app.delete(
    '/:id/members/:user_id',
    {
      schema: {
        operationId: 'removeClassMember',
        summary: 'Remove a student from a class; administrators remove teachers too',
        description:
          'An attempt under way goes on. The class has to add them again before they can come back.',
        tags,
        params: ClassMemberParams,
        response: { 200: Success, ...failures('forbidden', 'not_found', 'class_archived') },
      },
    },
    async (request) => {
      const { id, user_id } = request.params
      const actor = actorOf(request, id)
      await service.removeMember(core, actor, viewerOf(request.caller), id, user_id)
      return { success }
    },
  )

  app.delete(
    '/:id/invitations/:invitation_id',
    {
      schema: {
        operationId: 'withdrawClassInvitation',
        summary: 'Withdraw an invitation; its link ends',
        tags,
        params: ClassInvitationParams,
        response: { 200: Success, ...failures('forbidden', 'not_found', 'class_archived') },
      },
    },
    async (request) => {
      const { id, invitation_id } = request.params
      const actor = actorOf(request, id)
      await service.withdrawInvitation(core, actor, viewerOf(request.caller), id, invitation_id)
      return { success }
    },
  )
}

/** Rosters: the part of it that takes files. */
export const classRosterRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/:id/roster',
    {
      ...takesImport,
      schema: {
        operationId: 'importRoster',
        summary: 'Invite the e-mail addresses in a CSV to a class',
        description:
          'Columns `email`, `full_name` and `role`, of which only the first is needed. Only administrators add teachers. Rows that do not fit are named; the others are invited or added.',
        tags,
        consumes: ['multipart/form-data'],
        params: ClassParams,
        querystring: DryRun,
        body: RosterForm,
        response: {
          200: MembersAdded,
          ...failures(
            'forbidden',
            'not_found',
            'class_archived',
            'missing_columns',
            'invalid_csv',
            'payload_too_large',
          ),
        },
      },
    },
    async (request) => {
      const { id } = request.params
      const viewer = viewerOf(request.caller)
      await requireOpenClass(core.db, viewer, id)
      const { content: rows, isTry } = await runInTurn(core.gate.imports, request, () =>
        readTriableImport(request, 'file', readRoster),
      )
      const actor = actorOf(request, id)
      const how = { language: ownLanguageOf(request), isTry }
      return { success, ...(await service.addRoster(core, actor, viewer, id, rows, how)) }
    },
  )
}
