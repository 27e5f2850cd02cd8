import type { FastifyPluginAsync } from 'fastify'
import {
  ConversationAnswer,
  GroupAnswer,
  GroupBody,
  MemberParams,
  MembersBody,
  RenameBody,
} from '../../../../schemas/chat.schemas.ts'
import { IdParams, Success } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { operations } from '../../../http/operations.ts'
import { getConversation } from './conversations.service.ts'
import * as groups from './groups.service.ts'

/** Groups: part of `chatRoutes`. */
export const groupRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('createGroup', 'POST /groups', {
    summary: 'Create a group of accepted connections',
    description: '400 `not_connected` names the `ids` of people who are not connections.',
    body: GroupBody,
    created: GroupAnswer,
    refuses: ['too_many', ['not_connected', 400]],
    run: async (request) => {
      const { userId } = request.caller
      const id = await groups.createGroup(core, userId, request.body.name, request.body.member_ids)
      const conversation = await getConversation(core, userId, id)
      return { conversation, conv_id: id }
    },
  })

  operation('renameGroup', 'PATCH /groups/:id', {
    summary: 'Rename a group: its owner only',
    paced: true,
    params: IdParams,
    body: RenameBody,
    answer: ConversationAnswer,
    refuses: ['owner_only', 'not_found'],
    run: async (request) => {
      const { userId } = request.caller
      await groups.renameGroup(core, userId, request.params.id, request.body.name)
      return { conversation: await getConversation(core, userId, request.params.id) }
    },
  })

  operation('addGroupMembers', 'POST /groups/:id/members', {
    summary: 'Add accepted connections to a group: its owner only',
    paced: true,
    params: IdParams,
    body: MembersBody,
    answer: ConversationAnswer,
    refuses: ['owner_only', 'class_group', 'not_found', 'too_many', ['not_connected', 400]],
    run: async (request) => {
      const { userId } = request.caller
      await groups.addMembers(core, userId, request.params.id, request.body.member_ids)
      return { conversation: await getConversation(core, userId, request.params.id) }
    },
  })

  operation('removeGroupMember', 'DELETE /groups/:id/members/:user_id', {
    summary: 'Remove somebody from a group, or oneself',
    description: 'An owner who leaves hands the group on to its longest-standing member.',
    paced: true,
    params: MemberParams,
    answer: Success,
    refuses: ['owner_only', 'class_group', 'not_found'],
    run: async (request) => {
      const { id, user_id } = request.params
      await groups.removeMember(core, request.caller.userId, id, user_id)
    },
  })
}
