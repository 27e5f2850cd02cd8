import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ClassAnswer,
  ClassConversationAnswer,
  ClassesAnswer,
  ClassesQuery,
  ClassParams,
  ClassQuery,
  CodeAnswer,
  CodeBody,
  JoinBody,
  OwnClassAnswer,
} from '../../../schemas/classes.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import { openConversation } from './class-conversation.service.ts'
import * as joining from './class-joining.service.ts'
import * as service from './classes.service.ts'

const tags = ['classes']
const success = true as const

/** Classes (docs/protocol/classes.md), at `/api/v01/classes`, for signed-in people. */
export const classRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listClasses',
        summary: 'Your classes and your invitations',
        tags,
        querystring: ClassesQuery,
        response: { 200: ClassesAnswer },
      },
    },
    async ({ caller, query }) => ({
      success,
      ...(await service.listOwnClasses(core, caller.userId, query.archived ?? false)),
    }),
  )

  app.post(
    '/join',
    {
      schema: {
        operationId: 'joinClass',
        summary: 'Join a class by its code, or by that of a mailed link',
        description:
          'Joining twice is joining once. The code of a link is for the address that it was mailed to, and confirms that.',
        tags,
        body: JoinBody,
        response: { 200: OwnClassAnswer, ...failures('not_found', 'too_many', 'rate_limited') },
      },
    },
    async (request) => ({
      success,
      class: await joining.joinByCode(core, actorOf(request), request.caller.userId, request.body.code),
    }),
  )

  app.post(
    '/:id/accept',
    {
      schema: {
        operationId: 'acceptClassInvitation',
        summary: 'Accept an invitation to a class',
        tags,
        params: ClassParams,
        response: { 200: OwnClassAnswer, ...failures('not_found', 'too_many', 'class_archived') },
      },
    },
    async (request) => ({
      success,
      class: await joining.acceptInvitation(core, actorOf(request), request.caller.userId, request.params.id),
    }),
  )

  app.delete(
    '/:id/invitation',
    {
      schema: {
        operationId: 'declineClassInvitation',
        summary: 'Decline an invitation to a class',
        tags,
        params: ClassParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      const { id } = request.params
      await joining.declineInvitation(core, actorOf(request, id), request.caller.userId, id)
      return { success }
    },
  )

  app.delete(
    '/:id/membership',
    {
      schema: {
        operationId: 'leaveClass',
        summary: 'Leave a class',
        description: 'An attempt under way goes on; who left by themselves may join again.',
        tags,
        params: ClassParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      const { id } = request.params
      await joining.leaveClass(core, actorOf(request, id), request.caller.userId, id)
      return { success }
    },
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getClass',
        summary: 'A class with its members: its teachers and administrators',
        tags,
        params: ClassParams,
        querystring: ClassQuery,
        response: { 200: ClassAnswer, ...failures('forbidden', 'not_found') },
      },
    },
    async ({ caller, params, query }) => {
      const { total, ...described } = await service.describeClass(
        core,
        viewerOf(caller),
        params.id,
        query.page,
      )
      const longest = Math.max(total, described.invited_total)
      const { total_pages } = describePage(longest, query.page, service.MEMBERS_PER_PAGE)
      return {
        success,
        ...described,
        ...describePage(total, query.page, service.MEMBERS_PER_PAGE),
        total_pages,
      }
    },
  )

  app.post(
    '/:id/code',
    {
      schema: {
        operationId: 'makeClassCode',
        summary: 'Give a class a new code: its teachers and administrators',
        description: 'The one before ends.',
        tags,
        params: ClassParams,
        body: CodeBody,
        response: { 200: CodeAnswer, ...failures('forbidden', 'not_found', 'class_archived', 'changed') },
      },
    },
    async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      const viewer = viewerOf(request.caller)
      return { success, ...(await service.makeCode(core, actor, viewer, id, request.body)) }
    },
  )

  app.delete(
    '/:id/code',
    {
      schema: {
        operationId: 'endClassCode',
        summary: "End a class's code: its teachers and administrators",
        tags,
        params: ClassParams,
        response: { 200: CodeAnswer, ...failures('forbidden', 'not_found', 'class_archived') },
      },
    },
    async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      await service.endCode(core, actor, viewerOf(request.caller), id)
      return { success, code: null, ends_at: null }
    },
  )

  app.post(
    '/:id/conversation',
    {
      schema: {
        operationId: 'openClassConversation',
        summary: "The class's group, made if there is none yet: its teachers alone",
        description: 'Its members are those of the class from then on.',
        tags,
        params: ClassParams,
        response: {
          200: ClassConversationAnswer,
          201: ClassConversationAnswer,
          ...failures('forbidden', 'not_found', 'class_archived', 'too_many'),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      const opened = await openConversation(core, actor, viewerOf(request.caller), id)
      return reply.code(opened.isNew ? 201 : 200).send({ success, conv_id: opened.id })
    },
  )
}
