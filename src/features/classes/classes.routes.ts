import type { FastifyPluginAsync } from 'fastify'
import {
  AgendaAnswer,
  ClassAnswer,
  ClassConversationAnswer,
  ClassDetailsAnswer,
  ClassesAnswer,
  ClassesQuery,
  ClassMessage,
  ClassParams,
  ClassQuery,
  ClassSettings,
  CodeAnswer,
  CodeBody,
  CodeParams,
  FoundClassAnswer,
  JoinBody,
  OwnClassAnswer,
} from '../../../schemas/classes.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import { listAgenda } from './class-agenda.service.ts'
import { openConversation } from './class-conversation.service.ts'
import * as joining from './class-joining.service.ts'
import { messageStudents } from './class-news.service.ts'
import * as service from './classes.service.ts'

/** Classes (docs/protocol/classes.md), at `/api/v01/classes`, for signed-in people. */
export const classRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')

  operation('listClasses', 'GET', {
    summary: 'Your classes and your invitations',
    query: ClassesQuery,
    answer: ClassesAnswer,
    run: ({ caller, query }) => service.listOwnClasses(core, caller.userId, query.archived ?? false),
  })

  operation('joinClass', 'POST /join', {
    summary: 'Join a class by its code, or by that of a mailed link',
    description:
      'Joining twice is joining once. The code of a link is for the address that it was mailed to, and confirms that.',
    paced: true,
    body: JoinBody,
    answer: OwnClassAnswer,
    refuses: ['wrong_code', 'too_many', 'rate_limited'],
    run: async (request) => ({
      class: await joining.joinByCode(core, actorOf(request), request.caller.userId, request.body.code),
    }),
  })

  operation('findClassByCode', 'GET /by-code/:code', {
    summary: 'The class that a code would let you join',
    description: 'Wrong codes share the ten an hour with those of joining.',
    paced: true,
    params: CodeParams,
    answer: FoundClassAnswer,
    refuses: ['wrong_code', 'rate_limited'],
    run: async ({ caller, params }) => ({
      class: await joining.findClassOfCode(core, caller.userId, params.code),
    }),
  })

  operation('acceptClassInvitation', 'POST /:id/accept', {
    summary: 'Accept an invitation to a class',
    params: ClassParams,
    answer: OwnClassAnswer,
    refuses: ['not_found', 'too_many', 'class_archived'],
    run: async (request) => ({
      class: await joining.acceptInvitation(core, actorOf(request), request.caller.userId, request.params.id),
    }),
  })

  operation('declineClassInvitation', 'DELETE /:id/invitation', {
    summary: 'Decline an invitation to a class',
    params: ClassParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      const { id } = request.params
      await joining.declineInvitation(core, actorOf(request, id), request.caller.userId, id)
    },
  })

  operation('leaveClass', 'DELETE /:id/membership', {
    summary: 'Leave a class',
    description: 'An attempt under way goes on; people who left by themselves may join again.',
    paced: true,
    params: ClassParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      const { id } = request.params
      await joining.leaveClass(core, actorOf(request, id), request.caller.userId, id)
    },
  })

  operation('getClass', 'GET /:id', {
    summary: 'A class with its members, as far as you may know them',
    params: ClassParams,
    query: ClassQuery,
    answer: ClassAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params, query }) => {
      const { total, ...described } = await service.describeClass(
        core,
        viewerOf(caller),
        params.id,
        query.page,
      )
      const longest = Math.max(total, described.invited_total ?? 0)
      const { total_pages } = describePage(longest, query.page, service.MEMBERS_PER_PAGE)
      return { ...described, ...describePage(total, query.page, service.MEMBERS_PER_PAGE), total_pages }
    },
  })

  operation('changeClassSettings', 'PATCH /:id', {
    summary: "Change a class's settings: its teachers and administrators",
    description:
      '`shows_members`: whether its students see each other, here and in its conversation. `tutor_mode`: whether the tutor explains or gives one hint at a time. `weights` and `counts`: how the gradebook makes totals; `{}` has all exams count alike.',
    params: ClassParams,
    body: ClassSettings,
    answer: ClassDetailsAnswer,
    refuses: ['nothing_to_update', 'forbidden', 'not_found', 'class_archived', 'nodes_differ'],
    run: async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      const viewer = viewerOf(request.caller)
      return { class: await service.changeSettings(core, actor, viewer, id, request.body) }
    },
  })

  operation('getClassAgenda', 'GET /:id/agenda', {
    summary: "A class's exams as they hold for you",
    description:
      'What closes soonest comes first, what never closes behind it, then the newest 100 that you are done with or missed. Teachers and administrators see the times of the exams themselves.',
    params: ClassParams,
    answer: AgendaAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params }) => ({
      exams: await listAgenda(core, viewerOf(caller), params.id),
    }),
  })

  operation('makeClassCode', 'POST /:id/code', {
    summary: 'Give a class a new code: its teachers and administrators',
    description: 'The one before ends.',
    params: ClassParams,
    body: CodeBody,
    answer: CodeAnswer,
    refuses: ['forbidden', 'not_found', 'class_archived', 'changed'],
    run: async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      const viewer = viewerOf(request.caller)
      return service.makeCode(core, actor, viewer, id, request.body)
    },
  })

  operation('endClassCode', 'DELETE /:id/code', {
    summary: "End a class's code: its teachers and administrators",
    params: ClassParams,
    answer: CodeAnswer,
    refuses: ['forbidden', 'not_found', 'class_archived'],
    run: async (request) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      await service.endCode(core, actor, viewerOf(request.caller), id)
      return { code: null, ends_at: null }
    },
  })

  operation('messageClassStudents', 'POST /:id/message', {
    summary: 'Tell some students of a class something: its teachers only',
    description:
      'A notice of the kind `class_news` to them alone, a minute later. At most 5 a day and class (429 `daily_limit`).',
    params: ClassParams,
    body: ClassMessage,
    answer: Success,
    refuses: ['forbidden', 'not_found', 'class_archived', 'daily_limit'],
    run: async (request) => {
      const { id } = request.params
      await messageStudents(core, actorOf(request, id), viewerOf(request.caller), id, request.body)
    },
  })

  operation('openClassConversation', 'POST /:id/conversation', {
    summary: "The class's group, made if there is none yet: its teachers only",
    description: 'Its members are those of the class from then on.',
    params: ClassParams,
    answer: ClassConversationAnswer,
    created: ClassConversationAnswer,
    refuses: ['forbidden', 'not_found', 'class_archived', 'too_many'],
    run: async (request, reply) => {
      const { id } = request.params
      const actor = actorOf(request, id)
      const opened = await openConversation(core, actor, viewerOf(request.caller), id)
      reply.code(opened.isNew ? 201 : 200)
      return { conv_id: opened.id }
    },
  })
}
