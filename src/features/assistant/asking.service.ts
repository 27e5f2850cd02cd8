import type { FastifyBaseLogger } from 'fastify'
import type { Answer } from '../../../schemas/assistant.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import { type Ai, requireAi, type Usage } from '../../adapters/ai.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { estimateInput, reserveTokens } from '../ai-usage/ai-usage.service.ts'
import { helpLockedError, requireHelp } from '../help-lock/help-lock.service.ts'
import { helpWatchOf } from '../help-lock/help-lock-watch.ts'
import { type PassageRow, passagesFor } from '../materials/passages.service.ts'
import { getReviewed } from '../results/results.service.ts'
import * as store from './assistant.store.ts'
import { NOTHING_HELD, takeMarks } from './marks.ts'
import { fitting, PASSAGES_TOKENS, systemOf, toMessages, wordsOfReviewed } from './tutor-prompts.ts'
import {
  endUnanswered,
  giveBack,
  keepReserved,
  LIMITS,
  type Reservation,
  reserve,
  type TutorRequest,
} from './tutor-quota.service.ts'
import { sourcesOf } from './tutor-sources.ts'

const LARGEST_ANSWER_TOKENS = 4_096
/** The longest that an answer may take. */
export const ANSWER_DEADLINE_MS = 120_000
/** More messages than ever fit the token budget. */
const HISTORY_MESSAGES = 200

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
 * come before the first event: 503 `not_configured`, 404 (also for a question that isn't of an own visible result, and
 * for a class that isn't one's own), 400 `conversation_limit` and for another class than that of the conversation, 429
 * `daily_limit` and `ai_budget_spent`, 403 `exam_in_progress`; the last one also ends an answer that is being written. A question counts once its answer is stored; if the model can't be asked it does not count. If the reader
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
  const asked = await reserve(core, userId, question, about).catch(async (error: unknown) => {
    await tokens.end(undefined)
    throw error
  })
  const renewing = keepReserved(core, asked.id, log)
  /** Aborted with the refusal if help is locked while the answer is written. */
  const locked = new AbortController()
  const unfollow = helpWatchOf(core).follow(userId, ([lock]) => {
    if (lock) locked.abort(helpLockedError(lock))
  })
  const written: Written = { response: '', passages: [], usage: undefined, model: ai.model }
  let taken: Usage | undefined
  let hasWorked = false
  let outcome: 'stored' | 'failed' | 'unanswered' | 'hung_up' = 'hung_up'
  try {
    yield { event: 'start', data: { conversation_id: asked.conversationId, title: asked.title } }
    const [history, passages] = await Promise.all([
      asked.isNew ? [] : store.listMessages(core.db, asked.conversationId, undefined, HISTORY_MESSAGES),
      asked.classId === null || question.withoutPassages
        ? []
        : passagesFor(core, userId, asked.classId, [
            question.message,
            ...(about ? [wordsOfReviewed(about)] : []),
          ]),
    ])
    written.passages = fitting(passages)
    const writing = ai.write({
      system: systemOf({ mode: asked.mode, hasPassages: written.passages.length > 0 }),
      messages: toMessages(history, question.message, about, written.passages),
      maxTokens: LARGEST_ANSWER_TOKENS,
      deadlineMs: ANSWER_DEADLINE_MS,
      retries: 0,
      signal: AbortSignal.any([signal, locked.signal]),
      log,
      onUsage: (usage) => {
        taken = usage
      },
    })
    for await (const part of withoutFalseMarks(writing, written.passages.length)) {
      locked.signal.throwIfAborted()
      hasWorked = true
      if ('usage' in part) written.usage = part.usage
      else if (part.text !== '') {
        written.response += part.text
        yield { event: 'delta', data: part }
      }
    }
    if (written.response.trim() === '')
      throw new AppError('model_failed', { message: 'The answer was empty' })
    const answer = await storeExchange(core, userId, question, asked, written)
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
    else if (outcome === 'hung_up') await settleHangUp(core, userId, question, asked, written, log)
  }
}

/** What the model writes, with the marks alone that name a passage that it was given. */
async function* withoutFalseMarks(writing: ReturnType<Ai['write']>, given: number): ReturnType<Ai['write']> {
  if (given === 0) return yield* writing
  let held = NOTHING_HELD
  for await (const part of writing) {
    if ('usage' in part) {
      // The last part: what was left open is no mark.
      yield { text: held }
      yield part
      continue
    }
    const taken = takeMarks(held, part.text, given)
    held = taken.held
    yield { text: taken.shown }
  }
}

/** Tokens of earlier messages that the model gets, on average. */
const HISTORY_TOKENS = 2_000

/** The tokens of what the model will be sent, roughly. */
function estimate({ message, conversation, classId, about }: TutorRequest): number {
  const system = systemOf({ mode: 'explain', hasPassages: false })
  const input = estimateInput({ system, messages: [{ role: 'user', parts: [message] }] })
  const history = conversation === 'new' ? 0 : HISTORY_TOKENS
  return input + history + (classId || about ? PASSAGES_TOKENS : 0)
}

/** What the model has written so far. */
interface Written {
  response: string
  /** Those that it was given. */
  passages: PassageRow[]
  /** undefined: it was cut off before the model said it. */
  usage: Usage | undefined
  model: string
}

/** Stores the question and the answer and counts them, all or nothing. Answers what the caller is told. */
async function storeExchange(
  core: Core,
  userId: number,
  question: TutorRequest,
  asked: Reservation,
  written: Written,
): Promise<Content<Answer>> {
  const { id, conversationId, title, askedAt, isNew, classId, mode } = asked
  const { message, conversation } = question
  const { response, usage, model } = written
  const sources = sourcesOf(response, written.passages)
  const exchange = {
    userId,
    questionId: id,
    conversationId,
    begins: conversation === 'study_chat' ? conversation : isNew ? ('conversation' as const) : null,
    title,
    classId,
    question: message,
    askedAt,
    answer: response,
    sources,
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
        sources,
        conversation_id: stored.conversationId,
        title,
        class_id: classId,
        mode,
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
  written: Written,
  log: FastifyBaseLogger,
): Promise<void> {
  if (written.response.trim() === '') return await endUnanswered(core, userId, asked.id, log)
  try {
    await storeExchange(core, userId, question, asked, written)
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
