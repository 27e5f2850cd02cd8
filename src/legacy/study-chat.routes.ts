import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SuccessMessage } from '../../schemas/common.ts'
import { StudyChatAnswer, StudyChatBody, StudyChatHistory } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import { ANSWER_TIMEOUT_MS, askForCaller, readAnswer } from '../features/assistant/assistant.routes.ts'
import { failures } from '../http/failures.ts'
import { clearStudyChat, readStudyChat } from './study-chat.service.ts'

const tags = ['older: study chat']
const success = true as const

/** The older generation's one chat with the assistant, at `/api/study-chat`, for signed-in people. */
export const studyChatRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const ask = askForCaller(core)

  app.post(
    '',
    {
      config: { budget: 'none', timeoutMs: ANSWER_TIMEOUT_MS, decidesHelpLock: true },
      schema: {
        operationId: 'askStudyChat',
        summary: 'Ask the assistant',
        tags,
        body: StudyChatBody,
        response: { 200: StudyChatAnswer, ...failures('daily_limit', 'model_failed', 'not_configured') },
      },
    },
    async (request, reply) => {
      const question = { message: request.body.message, conversation: 'study_chat' as const }
      const { response, questions_remaining } = await readAnswer(ask(request, reply, question))
      return { success, response, questions_remaining }
    },
  )

  app.get(
    '/history',
    {
      schema: {
        operationId: 'getStudyChat',
        summary: 'The chat, oldest first, and how much of the day’s quota is used',
        description: 'The newest 1,000 messages: a study chat has no pages.',
        tags,
        response: { 200: StudyChatHistory },
      },
    },
    async (request) => ({ success, ...(await readStudyChat(core, request.caller.userId)) }),
  )

  app.delete(
    '/history',
    {
      schema: {
        operationId: 'clearStudyChat',
        summary: 'Clear the chat',
        description: 'What was used of the daily quota stays used.',
        tags,
        response: { 200: SuccessMessage },
      },
    },
    async (request) => {
      await clearStudyChat(core, request.caller.userId)
      return { success, message: 'The chat was cleared' }
    },
  )
}
