import type { FastifyPluginAsync } from 'fastify'
import {
  BlockParams,
  BlocksAnswer,
  PresenceAnswer,
  UsersAnswer,
  UsersQuery,
} from '../../../../schemas/chat.schemas.ts'
import { Success } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { operations } from '../../../http/operations.ts'
import * as service from './people.service.ts'

/** The people of peer chat: search, presence and blocks. Part of `chatRoutes`. */
export const peopleRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('searchUsers', 'GET /users', {
    summary: 'Find people by a part of their names',
    budget: 'heavy',
    query: UsersQuery,
    answer: UsersAnswer,
    run: async (request) => ({
      users: await service.searchUsers(core, request.caller.userId, request.query.q),
    }),
  })

  operation('getPresence', 'GET /presence', {
    summary: 'Who is online, of the people with whom one shares a connection or a conversation',
    budget: 'heavy',
    answer: PresenceAnswer,
    run: async (request) => ({ status: await service.statusOfPeers(core, request.caller.userId) }),
  })

  operation('listBlocks', 'GET /blocks', {
    summary: 'Whom one has blocked',
    budget: 'heavy',
    answer: BlocksAnswer,
    run: async (request) => ({ users: await service.listBlocked(core, request.caller.userId) }),
  })

  operation('blockUser', 'PUT /blocks/:user_id', {
    summary: 'Block somebody',
    description:
      'While the block lasts, neither can send direct messages to the other: it is as if they were not connected. If the blocked person asks to connect, the answer is as if you did not exist.',
    paced: true,
    params: BlockParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      await service.block(core, request.caller.userId, request.params.user_id)
    },
  })

  operation('unblockUser', 'DELETE /blocks/:user_id', {
    summary: 'End a block',
    paced: true,
    params: BlockParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      await service.unblock(core, request.caller.userId, request.params.user_id)
    },
  })
}
