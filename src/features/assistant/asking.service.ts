import type { FastifyBaseLogger } from 'fastify'
import type { Answer } from '../../../schemas/assistant.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import { requireAi, type Usage } from '../../adapters/ai.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { every } from '../../scheduling/periodic.ts'
import { estimateInput, reserveTokens } from '../ai-usage/ai-usage.service.ts'
import { helpLockedError, requireHelp } from '../help-lock/help-lock.service.ts'
import { helpWatchOf } from '../help-lock/help-lock-watch.ts'
import { getReviewed } from '../results/results.service.ts'
import * as store from './assistant.store.ts'
import { SYSTEM, titleOf, toMessages } from './tutor-prompts.ts'
import * as quota from './tutor-quota.store.ts'

/**
 * Questions of one person from midnight to midnight, and messages of one conversation
 * (docs/protocol/http.md#limits).
 */
export const LIMITS = { daily: 50, conversation: 100 }
/** Abandoned questions a day that don't count. */
const FREE_ABANDONED = 10

const LARGEST_ANSWER_TOKENS = 4_096
/** The longest that an answer may take. */
export const ANSWER_DEADLINE_MS = 120_000
/** How long a question stays reserved if its node dies; a living node renews the reservation in time. */
const RESERVED_SECONDS = 30
const RENEW_MS = 10_000
/** More messages than ever fit the token budget. */
const HISTORY_MESSAGES = 200

export interface TutorRequest {
  message: string
  /**
   * `new` begins a conversation; `study_chat` is the older generation's one chat per person, without a limit of its
   * own.
   */
  conversation: number | 'new' | 'study_chat'
  /** The question of a result that it is about. */
  about?: { attempt_id: number; question_id: number }
}

export interface AskOptions {
  signal: AbortSignal
  log: FastifyBaseLogger
}

export type AskEvent =
  | { event: 'start'; data: { conversation_id: number; title: string } }
  | { event: 'delta'; data: { text: string } }
  | { event: 'done'; data: Content<Answer> }

/**
 * Asks the model and yields an event for each thing that happens; the last one, `done`, is the stored answer. Refusals
 * come before the first event: 503 `not_configured`, 404 (also for a question that isn't of an own visible result), 400
 * `conversation_limit`, 429 `daily_limit` and `ai_budget_spent`, 403 `exam_in_progress`; the last one also ends an answer that is being
 * written. A question counts once its answer is stored; if the model can't be asked it does not count. If the reader
 * goes away, the model is stopped and what it has written so far is the answer. There is none before the first word,
 * once the conversation is deleted, or if the answer isn't complete; then the question counts if this has happened
 * often on that day. Otherwise people could read as much as they like by asking for more than fits into an answer.
 */
export async function* ask(
  core: Core,
  userId: number,
  question: TutorRequest,
  { signal, log }: AskOptions,
): AsyncGenerator<AskEvent, void> {
  const ai = requireAi(core)
  const about = question.about && (await getReviewed(core, userId, question.about))
  const tokens = await reserveTokens(
    core,
    { userId },
    { input: estimate(question), maxTokens: LARGEST_ANSWER_TOKENS, log },
  )
  const asked = await reserve(core, userId, question).catch(async (error: unknown) => {
    await tokens.end(undefined)
    throw error
  })
  const renewing = every(
    RENEW_MS,
    'renewing a question',
    () => quota.renewQuestion(core.db, asked.id, RESERVED_SECONDS),
    log,
  )
  /** Aborted with the refusal if help is locked while the answer is written. */
  const locked = new AbortController()
  const unfollow = helpWatchOf(core).follow(userId, ([lock]) => {
    if (lock) locked.abort(helpLockedError(lock))
  })
  let response = ''
  let taken: Usage | undefined
  let hasWorked = false
  let outcome: 'stored' | 'failed' | 'unanswered' | 'hung_up' = 'hung_up'
  try {
    yield { event: 'start', data: { conversation_id: asked.conversationId, title: asked.title } }
    const history = asked.isNew
      ? []
      : await store.listMessages(core.db, asked.conversationId, undefined, HISTORY_MESSAGES)
    const writing = ai.write({
      system: SYSTEM,
      messages: toMessages(history, question.message, about),
      maxTokens: LARGEST_ANSWER_TOKENS,
      deadlineMs: ANSWER_DEADLINE_MS,
      retries: 0,
      signal: AbortSignal.any([signal, locked.signal]),
      log,
      onUsage: (usage) => {
        taken = usage
      },
    })
    let usage: Usage = { input: 0, cached: 0, output: 0 }
    for await (const part of writing) {
      locked.signal.throwIfAborted()
      hasWorked = true
      if ('usage' in part) usage = part.usage
      else {
        response += part.text
        yield { event: 'delta', data: part }
      }
    }
    if (response.trim() === '') throw new AppError('model_failed', { message: 'The answer was empty' })
    const answer = await storeExchange(core, userId, question, asked, { response, usage, model: ai.model })
    outcome = 'stored'
    yield { event: 'done', data: answer }
  } catch (error) {
    if (!signal.aborted) outcome = hasWorked || isGone(error) ? 'unanswered' : 'failed'
    throw locked.signal.aborted ? locked.signal.reason : error
  } finally {
    unfollow()
    await renewing.close()
    await tokens.end(taken)
    // A node that shuts down and an exam that begins are not the reader's doing.
    const isCut = locked.signal.aborted || signal.reason instanceof AppError
    if (outcome === 'failed' || (outcome === 'hung_up' && isCut)) await giveBack(core, asked.id, log)
    else if (outcome === 'unanswered') await endUnanswered(core, userId, asked.id, log)
    else if (outcome === 'hung_up') await settleHangUp(core, userId, question, asked, response, log)
  }
}

/** Tokens of earlier messages that the model gets, on average. */
const HISTORY_TOKENS = 2_000

/** The tokens of what the model will be sent, roughly. */
function estimate({ message, conversation }: TutorRequest): number {
  const input = estimateInput({ system: SYSTEM, messages: [{ role: 'user', parts: [message] }] })
  return conversation === 'new' ? input : input + HISTORY_TOKENS
}

interface Reservation {
  /** The reservation's id. */
  id: number
  conversationId: number
  title: string
  isNew: boolean
  askedAt: Date
}

/** Reserves a place in both quotas. Decisions about one person are made one after another. */
async function reserve(core: Core, userId: number, question: TutorRequest): Promise<Reservation> {
  const askedAt = new Date(core.clock())
  const { message, conversation } = question
  const asked = { userId, conversation, askedAt, timezone: core.config.timezone, seconds: RESERVED_SECONDS }
  const reserved = await core.db.transaction(async (tx) => {
    // Sent together: PostgreSQL runs them one after another, so the last one sees what the first has waited for.
    const [, , answer] = await Promise.all([
      lockPerson(tx, userId),
      quota.commitAsynchronously(tx),
      quota.reserveQuestion(tx, asked, LIMITS),
    ])
    return answer
  })
  switch (reserved.refusal) {
    case null: {
      const { id, conversationId, title } = reserved
      return { id, conversationId, title: title ?? titleOf(message), isNew: title === null, askedAt }
    }
    case 'exam_in_progress':
      await requireHelp(core, userId)
      // The attempt was overdue and is closed now.
      return reserve(core, userId, question)
    case 'conversation_limit':
      throw new AppError('conversation_limit', { details: { limit_reached: 'conversation' } })
    case 'daily_limit':
      throw dailyLimit(new Date(reserved.resetsAt), askedAt)
    default:
      throw new AppError(reserved.refusal)
  }
}

function dailyLimit(resetsAt: Date, now: Date): AppError {
  return new AppError('daily_limit', {
    retryAfter: (resetsAt.getTime() - now.getTime()) / 1_000,
    details: { limit_reached: true, resets_at: resetsAt.toISOString() },
  })
}

/** Stores the question and the answer and counts them, all or nothing. Answers what the caller is told. */
async function storeExchange(
  core: Core,
  userId: number,
  question: TutorRequest,
  asked: Reservation,
  written: { response: string; usage: Usage | undefined; model: string },
): Promise<Content<Answer>> {
  const { id, conversationId, title, askedAt, isNew } = asked
  const { message, conversation } = question
  const { response, usage, model } = written
  const exchange = {
    userId,
    questionId: id,
    conversationId,
    begins: conversation === 'study_chat' ? conversation : isNew ? ('conversation' as const) : null,
    title,
    question: message,
    askedAt,
    answer: response,
    answeredAt: new Date(core.clock()),
    timezone: core.config.timezone,
    model,
    usage,
  }
  const stored = await core.db.transaction(async (tx) => {
    const [, answer] = await Promise.all([lockPerson(tx, userId), store.insertExchange(tx, exchange)])
    return answer
  })
  switch (stored.refusal) {
    case null:
      return {
        response,
        conversation_id: stored.conversationId,
        title,
        questions_remaining: Math.max(0, LIMITS.daily - stored.answered),
      }
    case 'exam_in_progress':
      await requireHelp(core, userId)
      // The attempt was overdue and is closed now.
      return storeExchange(core, userId, question, asked, written)
    case 'not_reserved':
      throw new AppError('model_failed', { message: 'The answer came too late; ask again' })
    default:
      throw new AppError(stored.refusal)
  }
}

/** Stores what had been written when the reader went away. */
async function settleHangUp(
  core: Core,
  userId: number,
  question: TutorRequest,
  asked: Reservation,
  response: string,
  log: FastifyBaseLogger,
): Promise<void> {
  if (response.trim() === '') return await endUnanswered(core, userId, asked.id, log)
  try {
    await storeExchange(core, userId, question, asked, {
      response,
      usage: undefined,
      model: requireAi(core).model,
    })
  } catch (error) {
    if (isGone(error)) return await endUnanswered(core, userId, asked.id, log)
    log.info({ err: error }, 'what a reader hung up on could not be stored')
    await giveBack(core, asked.id, log)
  }
}

/** The asker deleted the conversation while the answer was written. */
function isGone(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found'
}

/**
 * Ends a question of which nothing is stored. A bad connection, or a model that breaks off, should cost nobody a
 * question, so it does not count; but only a few times a day, since the model has worked for each.
 */
async function endUnanswered(core: Core, userId: number, id: number, log: FastifyBaseLogger): Promise<void> {
  try {
    await core.db.transaction(async (tx) => {
      await lockPerson(tx, userId)
      const now = new Date(core.clock())
      const { hungUp } = await quota.countQuestionsToday(tx, userId, now, core.config.timezone)
      await quota.endQuestion(tx, id, { hungUp: hungUp < FREE_ABANDONED })
    })
  } catch (error) {
    log.warn({ err: error }, 'a question could not be ended')
    await giveBack(core, id, log)
  }
}

/** If this fails too, the reservation expires. */
async function giveBack(core: Core, id: number, log: FastifyBaseLogger): Promise<void> {
  await quota
    .giveQuestionBack(core.db, id)
    .catch((error: unknown) => log.warn({ err: error }, 'a question could not be given back'))
}

export function countToday(core: Core, userId: number) {
  return quota.countQuestionsToday(core.db, userId, new Date(core.clock()), core.config.timezone)
}
