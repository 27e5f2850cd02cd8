import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  BlockParams,
  BlocksAnswer,
  PresenceAnswer,
  UsersAnswer,
  UsersQuery,
} from '../../../schemas/chat.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as service from './people.service.ts'

const tags = ['chat']
const success = true as const

/** The people of peer chat: search, presence and blocks. Part of `chatRoutes`. */
export const peopleRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/users',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'searchUsers',
        summary: 'Find people by a part of their names',
        tags,
        querystring: UsersQuery,
        response: { 200: UsersAnswer },
      },
    },
    async (request) => ({
      success,
      users: await service.searchUsers(core, request.caller.userId, request.query.q),
    }),
  )

  app.get(
    '/presence',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'getPresence',
        summary: 'Who is online, of the people with whom one shares a connection or a conversation',
        tags,
        response: { 200: PresenceAnswer },
      },
    },
    async (request) => ({ success, status: await service.statusOfPeers(core, request.caller.userId) }),
  )

  app.get(
    '/blocks',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listBlocks',
        summary: 'Whom one has blocked',
        tags,
        response: { 200: BlocksAnswer },
      },
    },
    async (request) => ({ success, users: await service.listBlocked(core, request.caller.userId) }),
  )

  app.put(
    '/blocks/:user_id',
    {
      schema: {
        operationId: 'blockUser',
        summary: 'Block somebody',
        description:
          'While the block lasts, neither can send direct messages to the other: it is as if they were not connected. If the blocked person asks to connect, the answer is as if you did not exist.',
        tags,
        params: BlockParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await service.block(core, request.caller.userId, request.params.user_id)
      return { success }
    },
  )

  app.delete(
    '/blocks/:user_id',
    {
      schema: {
        operationId: 'unblockUser',
        summary: 'End a block',
        tags,
        params: BlockParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await service.unblock(core, request.caller.userId, request.params.user_id)
      return { success }
    },
  )
}
