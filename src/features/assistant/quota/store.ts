import { and, eq, gte, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import type { Usage } from '../../../adapters/ai.ts'
import type { Executor } from '../../../db/client.ts'
import { only } from '../../../db/query.ts'
import { assistantQuestions } from '../../../db/tables/assistant.ts'

/** Doesn't wait for the disk: a reservation that PostgreSQL loses at its end is one that expired. */
export async function commitBeforeDisk(tx: Executor): Promise<void> {
  await tx.execute(sql`set local synchronous_commit = off`)
}

/** Removes the reservations of nodes that have died. A node that still lives can no longer keep such a question. */
export async function deleteExpiredQuestions(db: Executor, userId: number): Promise<void> {
  await db
    .delete(assistantQuestions)
    .where(and(eq(assistantQuestions.userId, userId), lte(assistantQuestions.expiresAt, sql`now()`)))
}

/** The person's questions since the last midnight, and the time of the next one, by `now` and `timezone`. */
export async function countQuestionsToday(db: Executor, userId: number, now: Date, timezone: string) {
  const midnight = (days: number) =>
    sql`((date_trunc('day', ${now.toISOString()}::timestamptz at time zone ${timezone}) + make_interval(days => ${days})) at time zone ${timezone})`
  const [row] = await db
    .select({
      reserved: sql<number>`(count(*) filter (where ${isNotNull(assistantQuestions.expiresAt)}))::int`,
      answered: sql<number>`(count(*) filter (where ${isNull(assistantQuestions.expiresAt)} and not ${assistantQuestions.hungUp}))::int`,
      hungUp: sql<number>`(count(*) filter (where ${assistantQuestions.hungUp}))::int`,
      resetsAt: sql<string>`to_char(${midnight(1)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    })
    .from(assistantQuestions)
    .where(and(eq(assistantQuestions.userId, userId), gte(assistantQuestions.askedAt, midnight(0))))
  return row ?? { reserved: 0, answered: 0, hungUp: 0, resetsAt: '' }
}

/** If the question begins a conversation, it gets the id that the conversation will have. */
export async function reserveQuestion(
  db: Executor,
  question: { userId: number; conversation: number | 'new' | 'study_chat'; askedAt: Date },
  seconds: number,
): Promise<{ id: number; conversationId: number }> {
  const { userId, conversation, askedAt } = question
  const nextId = sql`nextval(pg_get_serial_sequence('assistant_conversations', 'id'))::int`
  const studyChat = sql`(select id from assistant_conversations where user_id = ${userId} and kind = 'study_chat')`
  const conversationId = { new: nextId, study_chat: sql`coalesce(${studyChat}, ${nextId})` }
  return only(
    await db
      .insert(assistantQuestions)
      .values({
        userId,
        askedAt,
        conversationId: typeof conversation === 'number' ? conversation : conversationId[conversation],
        expiresAt: ahead(seconds),
      })
      .returning({ id: assistantQuestions.id, conversationId: assistantQuestions.conversationId }),
  )
}

export async function renewQuestion(db: Executor, id: number, seconds: number): Promise<void> {
  await db
    .update(assistantQuestions)
    .set({ expiresAt: ahead(seconds) })
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
}

/** Makes the reservation count. False if it had expired and its place was given to another question. */
export async function keepQuestion(
  db: Executor,
  id: number,
  model: string,
  usage: Usage | undefined,
): Promise<boolean> {
  const kept = await db
    .update(assistantQuestions)
    .set({
      expiresAt: null,
      model,
      inputTokens: usage?.input,
      cachedTokens: usage?.cached,
      outputTokens: usage?.output,
    })
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
    .returning({ id: assistantQuestions.id })
  return kept.length > 0
}

/** Ends a reservation without an answer. It counts, unless it is marked as hung up on. */
export async function endQuestion(db: Executor, id: number, hungUp: boolean): Promise<void> {
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

function ahead(seconds: number) {
  return sql`now() + make_interval(secs => ${seconds})`
}
