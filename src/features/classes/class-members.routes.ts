import type { FastifyPluginAsync } from 'fastify'
import {
  ClassInvitationParams,
  ClassMemberParams,
  ClassParams,
  MembersAdded,
  NewMembers,
  RosterForm,
} from '../../../schemas/classes.schemas.ts'
import { DryRun, Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { runInTurn } from '../../http/admission.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { readTriableImport, takesImport } from '../../http/import-body.ts'
import { operations } from '../../http/operations.ts'
import { ownLanguageOf } from '../../http/request-language.ts'
import { requireOpenClass } from './class-access.service.ts'
import * as service from './class-members.service.ts'
import { readRoster } from './class-roster.ts'

/** Who is in a class, at `/api/v01/classes`, for its teachers and administrators. */
export const classMemberRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')

  operation('addClassMembers', 'POST /:id/members', {
    summary: 'Invite e-mail addresses to a class, or add people',
    description:
      'Teachers invite addresses: the answer is the same whether or not an account has the address. Administrators add people by id, and at once those who have confirmed such an address.',
    budget: 'heavy',
    params: ClassParams,
    body: NewMembers,
    answer: MembersAdded,
    refuses: ['forbidden', 'not_found', 'class_archived'],
    run: async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      const viewer = viewerOf(request.caller)
      const language = ownLanguageOf(request)
      return service.addMembers(core, actor, viewer, id, request.body, language)
    },
  })

  operation('removeClassMember', 'DELETE /:id/members/:user_id', {
    summary: 'Remove a student from a class; administrators remove teachers too',
    description: 'An attempt under way goes on. The class has to add them again before they can come back.',
    params: ClassMemberParams,
    answer: Success,
    refuses: ['forbidden', 'not_found', 'class_archived'],
    run: async (request) => {
      const { id, user_id } = request.params
      const actor = actorOf(request, id)
      await service.removeMember(core, actor, viewerOf(request.caller), id, user_id)
    },
  })

  operation('withdrawClassInvitation', 'DELETE /:id/invitations/:invitation_id', {
    summary: 'Withdraw an invitation; its link ends',
    params: ClassInvitationParams,
    answer: Success,
    refuses: ['forbidden', 'not_found', 'class_archived'],
    run: async (request) => {
      const { id, invitation_id } = request.params
      const actor = actorOf(request, id)
      await service.withdrawInvitation(core, actor, viewerOf(request.caller), id, invitation_id)
    },
  })
}

/** Rosters: the part of it that takes files. */
export const classRosterRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')

  operation('importRoster', 'POST /:id/roster', {
    summary: 'Invite the e-mail addresses in a CSV to a class',
    description:
      'Columns `email`, `full_name` and `role`, of which only the first is needed. Only administrators add teachers. Rows that do not fit are named; the others are invited or added.',
    ...takesImport,
    params: ClassParams,
    query: DryRun,
    body: RosterForm,
    answer: MembersAdded,
    refuses: [
      'forbidden',
      'not_found',
      'class_archived',
      'missing_columns',
      'invalid_csv',
      'payload_too_large',
    ],
    run: async (request) => {
      const { id } = request.params
      const viewer = viewerOf(request.caller)
      await requireOpenClass(core.db, viewer, id)
      const { content: rows, isDryRun } = await runInTurn(core.gate.imports, request, () =>
        readTriableImport(request, 'file', readRoster),
      )
      const actor = actorOf(request, id)
      const how = { language: ownLanguageOf(request), isDryRun }
      return service.addRoster(core, actor, viewer, id, rows, how)
    },
  })
}
