import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ConversationAnswer,
  GroupAnswer,
  GroupBody,
  MemberParams,
  MembersBody,
  RenameBody,
} from '../../../schemas/chat.schemas.ts'
import { IdParams, Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures, failuresAt } from '../../http/failures.ts'
import { getConversation } from './conversations.service.ts'
import * as groups from './groups.service.ts'

const tags = ['chat']
const success = true as const

/** Groups: part of `chatRoutes`. */
export const groupRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/groups',
    {
      schema: {
        operationId: 'createGroup',
        summary: 'Create a group of accepted connections',
        description: '400 `not_connected` names the `ids` of people who are no connections.',
        tags,
        body: GroupBody,
        response: { 201: GroupAnswer, ...failures('too_many'), ...failuresAt(400, 'not_connected') },
      },
    },
    async (request, reply) => {
      const { userId } = request.caller
      const id = await groups.createGroup(core, userId, request.body.name, request.body.member_ids)
      const conversation = await getConversation(core, userId, id)
      return reply.code(201).send({ success, conversation, conv_id: id })
    },
  )

  app.patch(
    '/groups/:id',
    {
      schema: {
        operationId: 'renameGroup',
        summary: 'Rename a group: its owner only',
        tags,
        params: IdParams,
        body: RenameBody,
        response: { 200: ConversationAnswer, ...failures('owner_only', 'not_found') },
      },
    },
    async (request) => {
      const { userId } = request.caller
      await groups.renameGroup(core, userId, request.params.id, request.body.name)
      return { success, conversation: await getConversation(core, userId, request.params.id) }
    },
  )

  app.post(
    '/groups/:id/members',
    {
      schema: {
        operationId: 'addGroupMembers',
        summary: 'Add accepted connections to a group: its owner only',
        tags,
        params: IdParams,
        body: MembersBody,
        response: {
          200: ConversationAnswer,
          ...failures('owner_only', 'class_group', 'not_found', 'too_many'),
          ...failuresAt(400, 'not_connected'),
        },
      },
    },
    async (request) => {
      const { userId } = request.caller
      await groups.addMembers(core, userId, request.params.id, request.body.member_ids)
      return { success, conversation: await getConversation(core, userId, request.params.id) }
    },
  )

  app.delete(
    '/groups/:id/members/:user_id',
    {
      schema: {
        operationId: 'removeGroupMember',
        summary: 'Remove somebody from a group, or oneself',
        description: 'An owner who leaves hands the group on to its longest-standing member.',
        tags,
        params: MemberParams,
        response: { 200: Success, ...failures('owner_only', 'class_group', 'not_found') },
      },
    },
    async (request) => {
      const { id, user_id } = request.params
      await groups.removeMember(core, request.caller.userId, id, user_id)
      return { success }
    },
  )
}
