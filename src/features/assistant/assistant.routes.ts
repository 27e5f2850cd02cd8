import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
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
import { IdParams, SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { whileAllowed } from '../../http/callers.ts'
import { sendEvents, streamable } from '../../http/event-stream.ts'
import { failures } from '../../http/failures.ts'
import { hangUpSignal } from '../../http/request-log.ts'
import { accepts } from '../../http/vary.ts'
import { ANSWER_DEADLINE_MS, type AskEvent, ask, type Question } from './asking.service.ts'
import * as service from './assistant.service.ts'

const tags = ['assistant']
const success = true as const

/** Answers that are being written when the node closes have this long. */
const LAST_CALL_MS = 8_000
/** Longer than the model may take: the model's own limit ends the answer first. */
export const ANSWER_TIMEOUT_MS = ANSWER_DEADLINE_MS + 10_000

/** The study assistant (docs/protocol/http.md#tutor), at `/api/v01/assistant`, for signed-in people. */
export const assistantRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const begin = askForCaller(core)

  app.post(
    '/messages',
    {
      config: { budget: 'none', timeoutMs: ANSWER_TIMEOUT_MS, decidesHelpLock: true },
      schema: {
        operationId: 'askTutor',
        summary: 'Ask the assistant',
        description:
          'With `Accept: text/event-stream` the answer comes while it is written: `start {conversation_id, ' +
          'title}`, `delta {text}`…, then `done` with the JSON answer or `error {code, message}`.',
        tags,
        body: AskBody,
        response: {
          200: streamable(Answer, TutorEvent),
          ...failures('conversation_limit', 'not_found', 'daily_limit', 'model_failed', 'not_configured'),
        },
      },
    },
    async (request, reply) => {
      const { message, conversation_id, context } = request.body
      const events = begin(request, reply, {
        message,
        conversation: conversation_id ?? 'new',
        ...(context ? { about: context } : {}),
      })
      if (!accepts(request, 'text/event-stream')) return readAnswer(events)
      // A refusal comes instead of the first event and is answered with its own status.
      const first = await events.next()
      return sendEvents(request, reply, writeEvents(first, events))
    },
  )

  app.get(
    '/conversations',
    {
      schema: {
        operationId: 'listTutorConversations',
        summary: 'Own conversations, latest change first',
        description: 'With `cursor` a further page: `{success, conversations, hasMore, nextCursor}`.',
        tags,
        querystring: ConversationListQuery,
        response: { 200: Type.Union([ConversationList, FurtherConversations]) },
      },
    },
    async (request) => ({
      success,
      ...(await service.listConversations(core, request.caller.userId, request.query)),
    }),
  )

  app.get(
    '/conversations/:id/messages',
    {
      schema: {
        operationId: 'listTutorMessages',
        summary: 'A page of messages, oldest to newest',
        description: 'Without `cursor` the newest page.',
        tags,
        params: IdParams,
        querystring: MessagePageQuery,
        response: { 200: MessagePage, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      ...(await service.listMessages(core, request.caller.userId, request.params.id, request.query)),
    }),
  )

  app.route({
    method: ['PATCH', 'PUT'],
    url: '/conversations/:id',
    schema: {
      operationId: 'renameTutorConversation',
      summary: 'Rename a conversation',
      tags,
      params: IdParams,
      body: RenameConversationBody,
      response: { 200: RenameAnswer, ...failures('not_found') },
    },
    handler: async (request) => ({
      success,
      conversation: await service.renameConversation(
        core,
        request.caller.userId,
        request.params.id,
        request.body.title,
      ),
    }),
  })

  app.delete(
    '/conversations/:id',
    {
      schema: {
        operationId: 'deleteTutorConversation',
        summary: 'Delete a conversation with its messages',
        description: 'What was used of the daily quota stays used.',
        tags,
        params: IdParams,
        response: { 200: SuccessMessage, ...failures('not_found') },
      },
    },
    async (request) => {
      await service.deleteConversation(core, request.caller.userId, request.params.id)
      return { success, message: 'Conversation deleted' }
    },
  )
}

/** Asks until the client goes away, its session ends, or the node has been closing for a while. */
export function askForCaller(core: Core) {
  const lastCall = new AbortController()
  core.closing.addEventListener('abort', () => {
    setTimeout(() => lastCall.abort(new AppError('draining')), LAST_CALL_MS).unref()
  })
  return (request: FastifyRequest, reply: FastifyReply, question: Question) => {
    const signal = AbortSignal.any([hangUpSignal(reply), lastCall.signal])
    const events = ask(core, request.caller.userId, question, { signal, log: request.log })
    // Nobody may be reading any more.
    signal.addEventListener('abort', () => void events.return())
    return whileAllowed(request, events)
  }
}

/** Waits for the stored answer. */
export async function readAnswer(events: AsyncIterable<AskEvent>): Promise<Answer> {
  for await (const event of events) if (event.event === 'done') return { success, ...event.data }
  throw new AppError('aborted')
}

async function* writeEvents(first: IteratorResult<AskEvent, void>, rest: AsyncIterable<AskEvent>) {
  if (first.done) return
  yield first.value
  for await (const event of rest)
    yield event.event === 'done' ? { ...event, data: { success, ...event.data } } : event
}
