import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  Answer,
  AskBody,
  ConversationList,
  ConversationListQuery,
  FurtherConversations,
  MessagePage,
  MessagePageQuery,
  RenameAnswer,
  RenameConversationBody,
  TutorEvent,
} from '../../../schemas/assistant.schemas.ts'
import { type Content, IdParams, SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { whileAllowed } from '../../http/callers.ts'
import { sendEvents, streamable } from '../../http/event-stream.ts'
import { operations } from '../../http/operations.ts'
import { hangUpSignal } from '../../http/request-log.ts'
import { accepts } from '../../http/vary.ts'
import { perNode } from '../../per-node.ts'
import { ANSWER_DEADLINE_MS, type AskEvent, ask } from './asking.service.ts'
import * as service from './assistant.service.ts'
import type { TutorRequest } from './tutor-quota.service.ts'

/** Answers that are being written when the node closes have this long. */
const LAST_CALL_MS = 8_000
/** Longer than the model may take: the model's own limit ends the answer first. */
export const ANSWER_TIMEOUT_MS = ANSWER_DEADLINE_MS + 10_000

/** The study assistant (docs/protocol/http.md#tutor), at `/api/v01/assistant`, for signed-in people. */
export const assistantRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'assistant')

  const begin = askForCaller(core)

  operation('askTutor', 'POST /messages', {
    summary: 'Ask the assistant',
    description:
      'Of a class the model gets the passages of its materials that fit the question, and names them by marks `【n】`. ' +
      'With `Accept: text/event-stream` the answer comes while it is written: `start {conversation_id, ' +
      'title}`, `delta {text}`…, then `done` with the JSON answer or `error {code, message}`.',
    budget: 'none',
    timeoutMs: ANSWER_TIMEOUT_MS,
    decidesHelpLock: true,
    body: AskBody,
    answer: streamable(Answer, TutorEvent),
    refuses: [
      'conversation_limit',
      'not_found',
      'daily_limit',
      'ai_budget_spent',
      'model_failed',
      'not_configured',
    ],
    run: async (request, reply) => {
      const { message, conversation_id, class_id, context } = request.body
      const events = begin(request, reply, {
        message,
        conversation: conversation_id ?? 'new',
        classId: class_id,
        ...(context ? { about: context } : {}),
      })
      if (!accepts(request, 'text/event-stream')) return readAnswer(events)
      return sendAnswer(request, reply, events)
    },
  })

  operation('listTutorConversations', 'GET /conversations', {
    summary: 'Own conversations, latest change first',
    description: 'With `cursor` a further page: `{success, conversations, hasMore, nextCursor}`.',
    query: ConversationListQuery,
    answer: Type.Union([ConversationList, FurtherConversations]),
    run: (request) => service.listConversations(core, request.caller.userId, request.query),
  })

  operation('listTutorMessages', 'GET /conversations/:id/messages', {
    summary: 'A page of messages, oldest to newest',
    description: 'Without `cursor` the newest page.',
    params: IdParams,
    query: MessagePageQuery,
    answer: MessagePage,
    refuses: ['not_found'],
    run: (request) => service.listMessages(core, request.caller.userId, request.params.id, request.query),
  })

  operation('renameTutorConversation', 'PUT,PATCH /conversations/:id', {
    summary: 'Rename a conversation',
    params: IdParams,
    body: RenameConversationBody,
    answer: RenameAnswer,
    refuses: ['not_found'],
    run: async (request) => ({
      conversation: await service.renameConversation(
        core,
        request.caller.userId,
        request.params.id,
        request.body.title,
      ),
    }),
  })

  operation('deleteTutorConversation', 'DELETE /conversations/:id', {
    summary: 'Delete a conversation with its messages',
    description: 'What was used of the daily quota stays used.',
    params: IdParams,
    answer: SuccessMessage,
    refuses: ['not_found'],
    run: async (request) => {
      await service.deleteConversation(core, request.caller.userId, request.params.id)
      return { message: 'Conversation deleted' }
    },
  })
}

/** Asks until the client goes away, its session ends, or the node has been closing for a while. */
export const askForCaller = perNode((core) => {
  const lastCall = new AbortController()
  core.closing.addEventListener('abort', () => {
    setTimeout(() => lastCall.abort(new AppError('draining')), LAST_CALL_MS).unref()
  })
  return (request: FastifyRequest, reply: FastifyReply, question: TutorRequest) => {
    const signal = AbortSignal.any([hangUpSignal(reply), lastCall.signal])
    const events = ask(core, request.caller.userId, question, { signal, log: request.log })
    // Nobody may be reading any more.
    signal.addEventListener('abort', () => void events.return())
    return whileAllowed(request, events)
  }
})

/** Sends events while the answer is written. */
export async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  events: AsyncIterableIterator<AskEvent, void>,
) {
  // A refusal comes instead of the first event and is answered with its own status.
  const first = await events.next()
  return sendEvents(request, reply, writeEvents(first, events))
}

/** Waits for the stored answer. */
export async function readAnswer(events: AsyncIterable<AskEvent>): Promise<Content<Answer>> {
  for await (const event of events) if (event.event === 'done') return event.data
  throw new AppError('aborted')
}

async function* writeEvents(first: IteratorResult<AskEvent, void>, rest: AsyncIterable<AskEvent>) {
  if (first.done) return
  yield first.value
  for await (const event of rest)
    yield event.event === 'done' ? { ...event, data: { success: true, ...event.data } } : event
}
