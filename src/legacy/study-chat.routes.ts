import type { FastifyPluginAsync } from 'fastify'
import { SuccessMessage } from '../../schemas/common.ts'
import { StudyChatAnswer, StudyChatBody, StudyChatHistory } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import { ANSWER_TIMEOUT_MS, askForCaller, readAnswer } from '../features/assistant/assistant.routes.ts'
import { operations } from '../http/operations.ts'
import { clearStudyChat, readStudyChat } from './study-chat.service.ts'

/** The older generation's one chat with the assistant, at `/api/study-chat`, for signed-in people. */
export const studyChatRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'older: study chat')

  const ask = askForCaller(core)

  operation('askStudyChat', 'POST', {
    summary: 'Ask the assistant',
    budget: 'none',
    timeoutMs: ANSWER_TIMEOUT_MS,
    decidesHelpLock: true,
    body: StudyChatBody,
    answer: StudyChatAnswer,
    refuses: ['daily_limit', 'ai_budget_spent', 'model_failed', 'not_configured'],
    run: async (request, reply) => {
      const question = { message: request.body.message, conversation: 'study_chat' as const }
      const { response, questions_remaining } = await readAnswer(ask(request, reply, question))
      return { response, questions_remaining }
    },
  })

  operation('getStudyChat', 'GET /history', {
    summary: 'The chat, oldest first, and how much of the day’s quota is used',
    description: 'The newest 1,000 messages: a study chat has no pages.',
    answer: StudyChatHistory,
    run: (request) => readStudyChat(core, request.caller.userId),
  })

  operation('clearStudyChat', 'DELETE /history', {
    summary: 'Clear the chat',
    description: 'What was used of the daily quota stays used.',
    answer: SuccessMessage,
    run: async (request) => {
      await clearStudyChat(core, request.caller.userId)
      return { message: 'The chat was cleared' }
    },
  })
}
