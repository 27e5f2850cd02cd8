import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { midnight } from '../../db/midnights.ts'
import { only, query } from '../../db/query.ts'
import { assistantQuestions } from '../../db/tables/assistant.tables.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'

/**
 * Commits without waiting for the disk: a reservation that PostgreSQL loses in a crash is like one that has expired.
 */
export async function commitAsynchronously(tx: Executor): Promise<void> {
  await tx.execute(sql`set local synchronous_commit = off`)
}

/** The person's questions since the last midnight, by `now` and `timezone`. */
export async function countQuestionsToday(db: Executor, userId: number, now: Date, timezone: string) {
  const rows = await query<{ answered: number; hungUp: number }>(
    db,
    { answered: 'integer', hungUp: 'integer' },
    sql`
    select (count(*) filter (where expires_at is null and not hung_up))::int as answered,
           (count(*) filter (where hung_up))::int as "hungUp"
      from assistant_questions
     where user_id = ${userId} and asked_at >= ${midnight(now, timezone, 0)}`,
  )
  return only(rows)
}

export interface NewQuestion {
  userId: number
  conversation: number | 'new' | 'study_chat'
  askedAt: Date
  timezone: string
  /** How long it stays reserved. */
  seconds: number
}

export interface QuestionLimits {
  /** Questions from midnight to midnight. */
  daily: number
  /** Messages of one conversation. */
  conversation: number
}

type ReservationOutcome =
  | { refusal: 'token_expired_or_invalid' | 'exam_in_progress' | 'not_found' | 'conversation_limit' }
  /** `resetsAt`: milliseconds since the epoch. */
  | { refusal: 'daily_limit'; resetsAt: number }
  /** `title`: null if the question begins a conversation; the id is the one that this will have. */
  | { refusal: null; id: number; conversationId: number; title: string | null }

/**
 * Reserves a place for a question, or says why it is refused. What counts are the day's answered questions and
 * reservations, and the messages of the conversation and of its questions that wait. Needs the person's lock.
 *
 * Expired reservations, which nodes that died have left, don't count and are deleted. A node that still lives can no
 * longer keep such a question.
 */
export async function reserveQuestion(
  db: Executor,
  { userId, conversation, askedAt, timezone, seconds }: NewQuestion,
  limits: QuestionLimits,
): Promise<ReservationOutcome> {
  const isNumbered = typeof conversation === 'number'
  const isMeant = isNumbered
    ? sql`kind = 'conversation' and id = ${conversation}`
    : sql`kind = ${conversation}`
  return only(
    await query<ReservationOutcome>(
      db,
      { refusal: 'text', title: 'text', resetsAt: 'float8', id: 'integer', conversationId: 'integer' },
      sql`
    with expired as (
      delete from assistant_questions where user_id = ${userId} and expires_at <= now()
    ), known as (
      select id, title, message_count from assistant_conversations where user_id = ${userId} and ${isMeant}
    ), decided as (
      select case when not exists (select from users where id = ${userId} and deleted_at is null)
                  then 'token_expired_or_invalid'
                  when ${isHelpLocked(userId)} then 'exam_in_progress'
                  when ${isNumbered} and not exists (select from known) then 'not_found'
                  when ${isNumbered} and ${limits.conversation} < (select message_count from known) + 2 + 2 * (
                    select count(*) from assistant_questions
                     where user_id = ${userId} and conversation_id = (select id from known)
                       and expires_at > now()) then 'conversation_limit'
                  when ${limits.daily} <= (
                    select count(*) from assistant_questions
                     where user_id = ${userId} and asked_at >= ${midnight(askedAt, timezone, 0)}
                       and not hung_up and (expires_at is null or expires_at > now())) then 'daily_limit' end as refusal
    ), reserved as (
      insert into assistant_questions (user_id, asked_at, conversation_id, expires_at)
      select ${userId}::int, ${askedAt.toISOString()}::timestamptz,
             coalesce((select id from known), nextval(pg_get_serial_sequence('assistant_conversations', 'id'))),
             ${secondsFromNow(seconds)}
        from decided where refusal is null
      returning id, conversation_id
    )
    select refusal, (select title from known) as title,
           (extract(epoch from ${midnight(askedAt, timezone, 1)}) * 1000)::float8 as "resetsAt",
           reserved.id, reserved.conversation_id as "conversationId"
      from decided left join reserved on true`,
    ),
  )
}

export async function renewQuestion(db: Executor, id: number, seconds: number): Promise<void> {
  await db
    .update(assistantQuestions)
    .set({ expiresAt: secondsFromNow(seconds) })
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
}

/** Ends a reservation without an answer. It counts, unless it is kept as abandoned. */
export async function endQuestion(db: Executor, id: number, { hungUp }: { hungUp: boolean }): Promise<void> {
  await db
    .update(assistantQuestions)
    .set({ expiresAt: null, hungUp })
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
}

export async function giveQuestionBack(db: Executor, id: number): Promise<void> {
  await db
    .delete(assistantQuestions)
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
}

function secondsFromNow(seconds: number) {
  return sql`now() + make_interval(secs => ${seconds})`
}
