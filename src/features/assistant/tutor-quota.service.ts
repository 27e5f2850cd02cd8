import type { FastifyBaseLogger } from 'fastify'
import type { ReviewedQuestion } from '../../../schemas/attempts.schemas.ts'
import type { TutorMode } from '../../../schemas/classes.schemas.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError, invalidField } from '../../errors.ts'
import { every } from '../../scheduling/periodic.ts'
import { requireHelp } from '../help-lock/help-lock.service.ts'
import { decideClass } from './tutor-classes.store.ts'
import { titleOf } from './tutor-prompts.ts'
import * as quota from './tutor-quota.store.ts'

/**
 * Questions of one person from midnight to midnight, and messages of one conversation
 * (docs/protocol/http.md#limits).
 */
export const LIMITS = { daily: 50, conversation: 100 }
/** Abandoned questions a day that don't count. */
const FREE_ABANDONED = 10

/** How long a question stays reserved if its node dies; a living node renews the reservation in time. */
const RESERVED_SECONDS = 30
const RENEW_MS = 10_000

export interface TutorRequest {
  message: string
  /**
   * `new` begins a conversation; `study_chat` is the older generation's one chat per person, without a limit of its
   * own.
   */
  conversation: number | 'new' | 'study_chat'
  /** undefined: the class of the exam that it is about, or of the conversation; null: none. */
  classId?: number | null | undefined
  /** Whatever its class is, no passages are given: the client knows no marks. */
  withoutPassages?: true
  /** The question of a result that it is about. */
  about?: { attempt_id: number; question_id: number }
}

export interface Reservation {
  /** The reservation's id. */
  id: number
  conversationId: number
  title: string
  isNew: boolean
  /** Whose passages it may lean on; null: of none. */
  classId: number | null
  mode: TutorMode
  askedAt: Date
}

/** Reserves a place in both quotas. Decisions about one person are made one after another. */
export async function reserve(
  core: Core,
  userId: number,
  question: TutorRequest,
  about: ReviewedQuestion | undefined,
): Promise<Reservation> {
  const askedAt = new Date(core.clock())
  const { message, conversation, classId } = question
  const asked = { userId, conversation, askedAt, timezone: core.config.timezone, seconds: RESERVED_SECONDS }
  const { reserved, decided } = await core.db.transaction(async (tx) => {
    // Sent together: PostgreSQL runs them one after another, so the last ones see what the first has waited for.
    const [, , reserved, decided] = await Promise.all([
      lockPerson(tx, userId),
      quota.commitAsynchronously(tx),
      quota.reserveQuestion(tx, asked, LIMITS),
      decideClass(tx, {
        userId,
        conversationId: typeof conversation === 'number' ? conversation : undefined,
        classId,
        examId: about?.exam_id,
      }),
    ])
    // Nothing is reserved then.
    if (reserved.refusal === null && decided.refusal !== null) throw refusalOf(decided.refusal)
    return { reserved, decided }
  })
  switch (reserved.refusal) {
    case null: {
      const { id, conversationId, title } = reserved
      const { classId, mode } = decided
      const isNew = title === null
      return { id, conversationId, title: title ?? titleOf(message), isNew, askedAt, classId, mode }
    }
    case 'exam_in_progress':
      await requireHelp(core, userId)
      // The attempt was overdue and is closed now.
      return reserve(core, userId, question, about)
    case 'conversation_limit':
      throw new AppError('conversation_limit', { details: { limit_reached: 'conversation' } })
    case 'daily_limit':
      throw dailyLimit(new Date(reserved.resetsAt), askedAt)
    default:
      throw new AppError(reserved.refusal)
  }
}

function refusalOf(refusal: 'not_found' | 'another_class'): AppError {
  if (refusal === 'not_found') return new AppError('not_found')
  return invalidField('/class_id', 'is not the class of the conversation')
}

function dailyLimit(resetsAt: Date, now: Date): AppError {
  return new AppError('daily_limit', {
    retryAfter: (resetsAt.getTime() - now.getTime()) / 1_000,
    details: { limit_reached: true, resets_at: resetsAt.toISOString() },
  })
}

/** Keeps a question reserved as long as its node lives. */
export function keepReserved(core: Core, id: number, log: FastifyBaseLogger) {
  return every(RENEW_MS, 'renewing a question', () => quota.renewQuestion(core.db, id, RESERVED_SECONDS), log)
}

/**
 * Ends a question of which nothing is stored. A bad connection, or a model that breaks off, should cost nobody a
 * question, so it does not count; but only a few times a day, since the model has worked for each.
 */
export async function endUnanswered(
  core: Core,
  userId: number,
  id: number,
  log: FastifyBaseLogger,
): Promise<void> {
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
export async function giveBack(core: Core, id: number, log: FastifyBaseLogger): Promise<void> {
  await quota
    .giveQuestionBack(core.db, id)
    .catch((error: unknown) => log.warn({ err: error }, 'a question could not be given back'))
}

export function countToday(core: Core, userId: number) {
  return quota.countQuestionsToday(core.db, userId, new Date(core.clock()), core.config.timezone)
}
