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
  RenameBody,
} from '../../../schemas/assistant.ts'
import { IdParams, SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { sendEvents, wantsEvents } from '../../http/event-stream.ts'
import { failures } from '../../http/failures.ts'
import { hangUpSignal } from '../../http/requests.ts'
import { ANSWER_DEADLINE, type AskEvent, ask, type Question } from './asking.ts'
import * as service from './service.ts'

const tags = ['assistant']
const success = true as const

/** Once the node is draining, answers in the making have this long, in milliseconds. */
const LAST_CALL = 8_000
/** Longer than the model may take; it ends the answer itself before that. */
export const ANSWER_TIMEOUT_MS = ANSWER_DEADLINE + 10_000

/** The study assistant (contract §5), at `/api/v01/assistant`, for signed-in people. */
export const assistantRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const begin = askForCaller(core)

  app.post(
    '/messages',
    {
      handlerTimeout: ANSWER_TIMEOUT_MS,
      schema: {
        summary: 'Ask the assistant',
        description:
          'With `Accept: text/event-stream` the answer comes while it is written: `start {conversation_id, ' +
          'title}`, `delta {text}`…, then `done` with the JSON answer or `error {code, message}`.',
        tags,
        body: AskBody,
        response: {
          200: Answer,
          ...failures('conversation_limit', 'not_found', 'daily_limit', 'model_failed', 'not_configured'),
        },
      },
    },
    async (request, reply) => {
      const { message, conversation_id } = request.body
      const events = begin(request, reply, { message, conversation: conversation_id ?? 'new' })
      if (!wantsEvents(request)) return readAnswer(events)
      // A refusal comes instead of the first event, and has a status of its own.
      const first = await events.next()
      return sendEvents(request, reply, resume(first, events))
    },
  )

  app.get(
    '/conversations',
    {
      schema: {
        summary: 'Own conversations, latest change first',
        description: 'With `cursor` a further page: `{success, conversations, hasMore, nextCursor}`.',
        tags,
        querystring: ConversationListQuery,
        response: { 200: Type.Union([ConversationList, FurtherConversations]) },
      },
    },
    (request) => service.listConversations(core, request.caller.userId, request.query),
  )

  app.get(
    '/conversations/:id/messages',
    {
      schema: {
        summary: 'A page of messages, oldest to newest',
        description: 'Without `cursor` the newest page.',
        tags,
        params: IdParams,
        querystring: MessagePageQuery,
        response: { 200: MessagePage, ...failures('not_found') },
      },
    },
    (request) => service.listMessages(core, request.caller.userId, request.params.id, request.query),
  )

  app.route({
    method: ['PATCH', 'PUT'],
    url: '/conversations/:id',
    schema: {
      summary: 'Rename a conversation',
      tags,
      params: IdParams,
      body: RenameBody,
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

/** Asks for as long as somebody waits: until the client goes away, or the node has been draining for a while. */
export function askForCaller(core: Core) {
  const lastCall = new AbortController()
  core.draining.addEventListener('abort', () => {
    setTimeout(() => lastCall.abort(new AppError('draining')), LAST_CALL).unref()
  })
  return (request: FastifyRequest, reply: FastifyReply, question: Question) => {
    const signal = AbortSignal.any([hangUpSignal(reply), lastCall.signal])
    const events = ask(core, request.caller.userId, question, { signal, log: request.log })
    // Nobody may be reading any more.
    signal.addEventListener('abort', () => void events.return())
    return events
  }
}

/** The stored answer, once it is there. */
export async function readAnswer(events: AsyncIterable<AskEvent>): Promise<Answer> {
  for await (const event of events) if (event.event === 'done') return event.data
  throw new AppError('aborted')
}

async function* resume<T>(first: IteratorResult<T, void>, rest: AsyncIterable<T>) {
  if (first.done) return
  yield first.value
  yield* rest
}
