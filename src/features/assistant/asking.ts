import type { FastifyBaseLogger } from 'fastify'
import type { Answer } from '../../../schemas/assistant.ts'
import { requireAi, type Usage } from '../../adapters/ai.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { every } from '../../periodic.ts'
import { SYSTEM, titleOf, toMessages } from './prompts.ts'
import * as store from './store.ts'

/** Questions of one person from midnight to midnight (specification: Limits). */
export const DAILY_LIMIT = 50
/** Messages of one conversation, answers included (contract §5). */
const CONVERSATION_LIMIT = 100
/** What an answer adds to its conversation. */
const EXCHANGE = 2

const LARGEST_ANSWER_TOKENS = 4_096
/** Longest that an answer may take, in milliseconds. */
export const ANSWER_DEADLINE = 120_000
/** Seconds for which a question stays reserved when its node dies; while it lives it renews in time. */
const RESERVED = 30
const RENEW_MS = 10_000
/** More messages than the token budget ever lets through. */
const HISTORY_MESSAGES = 200

export interface Question {
  message: string
  /** `new` begins a conversation; `study_chat` is the older generation's one chat per person, without a limit of its own. */
  conversation: number | 'new' | 'study_chat'
}

export interface AskOptions {
  signal: AbortSignal
  log: FastifyBaseLogger
}

export type AskEvent =
  | { event: 'start'; data: { conversation_id: number; title: string } }
  | { event: 'delta'; data: { text: string } }
  | { event: 'done'; data: Answer }

/**
 * Asks the model and tells what happens as it happens; `done`, the last event, is the stored answer.
 * Refusals come before the first event: 503 `not_configured`, 404, 400 `conversation_limit`, 429
 * `daily_limit`. A question counts if, and only if, its answer is stored: whatever ends this early gives it
 * back, and so does a reader who stops.
 */
export async function* ask(
  core: Core,
  userId: number,
  question: Question,
  { signal, log }: AskOptions,
): AsyncGenerator<AskEvent, void> {
  const ai = requireAi(core)
  const asked = await reserve(core, userId, question)
  const renewing = every(
    RENEW_MS,
    'renewing a question',
    () => store.renewQuestion(core.db, asked.id, RESERVED),
    log,
  )
  let kept = false
  try {
    yield { event: 'start', data: { conversation_id: asked.conversationId, title: asked.title } }
    const history = asked.isNew
      ? []
      : await store.listMessages(core.db, asked.conversationId, undefined, HISTORY_MESSAGES)
    const writing = ai.write({
      system: SYSTEM,
      messages: toMessages(history, question.message),
      maxTokens: LARGEST_ANSWER_TOKENS,
      deadline: ANSWER_DEADLINE,
      retries: 0,
      signal,
      log,
    })
    let response = ''
    let usage: Usage = { input: 0, cached: 0, output: 0 }
    for await (const part of writing) {
      if ('usage' in part) usage = part.usage
      else {
        response += part.text
        yield { event: 'delta', data: part }
      }
    }
    if (response.trim() === '') throw new AppError('model_failed', { message: 'The answer was empty' })
    const answer = await keep(core, userId, question, asked, { response, usage, model: ai.model })
    kept = true
    yield { event: 'done', data: answer }
  } finally {
    await renewing.close()
    if (!kept) await giveBack(core, asked.id, log)
  }
}

interface Asked {
  /** Of the reservation. */
  id: number
  conversationId: number
  title: string
  isNew: boolean
  askedAt: Date
}

/** Takes a place in both quotas, the conversation's first: one decision at a time for each person. */
function reserve(core: Core, userId: number, { message, conversation }: Question): Promise<Asked> {
  return core.db.transaction(async (tx) => {
    const askedAt = new Date(core.clock())
    // Sent together; PostgreSQL runs them in this order, the later ones once the lock is held.
    const [, , existing, today] = await Promise.all([
      store.lockPerson(tx, userId),
      store.deleteExpiredQuestions(tx, userId),
      findAsked(tx, userId, conversation),
      store.countQuestionsToday(tx, userId, askedAt, core.config.timezone),
    ])
    if (today.answered + today.reserved >= DAILY_LIMIT) throw dailyLimit(today.resetsAt, askedAt)
    const question = { userId, askedAt, conversationId: existing?.id }
    return {
      ...(await store.reserveQuestion(tx, question, RESERVED)),
      title: existing?.title ?? titleOf(message),
      isNew: existing === undefined,
      askedAt,
    }
  })
}

/** What the question goes on with; undefined where it begins something. */
async function findAsked(tx: Executor, userId: number, conversation: Question['conversation']) {
  if (conversation === 'new') return undefined
  if (conversation === 'study_chat') return store.findStudyChat(tx, userId)
  const found = await store.findConversationLoad(tx, userId, conversation)
  if (!found) throw new AppError('not_found')
  if (found.messageCount + (found.waiting + 1) * EXCHANGE > CONVERSATION_LIMIT)
    throw new AppError('conversation_limit', { details: { limit_reached: 'conversation' } })
  return found
}

function dailyLimit(resetsAt: string, now: Date): AppError {
  return new AppError('daily_limit', {
    retryAfter: (Date.parse(resetsAt) - now.getTime()) / 1_000,
    details: { limit_reached: true, resets_at: resetsAt },
  })
}

/** Stores question and answer and counts them, all or nothing; what the caller is told. */
function keep(
  core: Core,
  userId: number,
  { message, conversation }: Question,
  asked: Asked,
  { response, usage, model }: { response: string; usage: Usage; model: string },
): Promise<Answer> {
  const { id, title, askedAt } = asked
  const now = new Date(core.clock())
  const begun = { userId, title, messageCount: EXCHANGE, createdAt: askedAt, updatedAt: now }
  return core.db.transaction(async (tx) => {
    const [isKept, conversationId] = await Promise.all([
      store.keepQuestion(tx, id, model, usage),
      conversation === 'study_chat'
        ? store.extendStudyChat(tx, { ...begun, kind: 'study_chat' })
        : asked.isNew
          ? store.insertConversation(tx, { ...begun, id: asked.conversationId })
          : store.extendConversation(tx, asked.conversationId, EXCHANGE, now),
    ])
    if (!isKept) throw new AppError('model_failed', { message: 'The answer came too late; ask again' })
    if (conversationId === undefined) throw new AppError('not_found')
    const [{ answered }] = await Promise.all([
      store.countQuestionsToday(tx, userId, now, core.config.timezone),
      store.insertMessages(tx, [
        { conversationId, userId, isUser: true, text: message, createdAt: askedAt },
        { conversationId, userId, isUser: false, text: response, createdAt: now },
      ]),
    ])
    return {
      success: true,
      response,
      conversation_id: conversationId,
      title,
      questions_remaining: Math.max(0, DAILY_LIMIT - answered),
    }
  })
}

/** Where this fails as well, the reservation's expiry mends it. */
async function giveBack(core: Core, id: number, log: FastifyBaseLogger): Promise<void> {
  await store
    .giveQuestionBack(core.db, id)
    .catch((error: unknown) => log.warn({ err: error }, 'a question could not be given back'))
}

export function countToday(core: Core, userId: number) {
  return store.countQuestionsToday(core.db, userId, new Date(core.clock()), core.config.timezone)
}
