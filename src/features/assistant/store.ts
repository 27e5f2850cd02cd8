import { and, count, desc, eq, gte, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Usage } from '../../adapters/ai.ts'
import type { Executor } from '../../db/client.ts'
import { assistantConversations, assistantMessages, assistantQuestions } from '../../db/tables/assistant.ts'
import { users } from '../../db/tables/users.ts'

export type ConversationRow = typeof assistantConversations.$inferSelect
export type MessageRow = typeof assistantMessages.$inferSelect
export type ConversationKind = ConversationRow['kind']

// --- questions: what the quotas count

/** Makes the decisions about one person's questions take turns, until the transaction ends. */
export async function lockPerson(db: Executor, userId: number): Promise<void> {
  await db.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
}

/** Frees what nodes that died had reserved. One that still lives can't keep such a question any more. */
export async function deleteExpiredQuestions(db: Executor, userId: number): Promise<void> {
  await db
    .delete(assistantQuestions)
    .where(and(eq(assistantQuestions.userId, userId), lte(assistantQuestions.expiresAt, sql`now()`)))
}

/** The person's questions since the last midnight, and the next one. `now` and `timezone` say where that is. */
export async function countQuestionsToday(db: Executor, userId: number, now: Date, timezone: string) {
  const midnight = (days: number) =>
    sql`((date_trunc('day', ${now.toISOString()}::timestamptz at time zone ${timezone}) + make_interval(days => ${days})) at time zone ${timezone})`
  const [row] = await db
    .select({
      reserved: sql<number>`(count(*) filter (where ${isNotNull(assistantQuestions.expiresAt)}))::int`,
      answered: sql<number>`(count(*) filter (where ${isNull(assistantQuestions.expiresAt)}))::int`,
      resetsAt: sql<string>`to_char(${midnight(1)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    })
    .from(assistantQuestions)
    .where(and(eq(assistantQuestions.userId, userId), gte(assistantQuestions.askedAt, midnight(0))))
  return row ?? { reserved: 0, answered: 0, resetsAt: '' }
}

/** Without a conversation the question gets the id of the one that its answer will begin. */
export async function reserveQuestion(
  db: Executor,
  question: { userId: number; conversationId: number | undefined; askedAt: Date },
  seconds: number,
): Promise<{ id: number; conversationId: number }> {
  const { userId, conversationId, askedAt } = question
  const [row] = await db
    .insert(assistantQuestions)
    .values({
      userId,
      askedAt,
      conversationId:
        conversationId ?? sql`nextval(pg_get_serial_sequence('assistant_conversations', 'id'))::int`,
      expiresAt: ahead(seconds),
    })
    .returning({ id: assistantQuestions.id, conversationId: assistantQuestions.conversationId })
  return row as { id: number; conversationId: number }
}

export async function renewQuestion(db: Executor, id: number, seconds: number): Promise<void> {
  await db
    .update(assistantQuestions)
    .set({ expiresAt: ahead(seconds) })
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
}

/** Counts it for good. False where the reservation had expired and its place was given to another question. */
export async function keepQuestion(db: Executor, id: number, model: string, usage: Usage): Promise<boolean> {
  const kept = await db
    .update(assistantQuestions)
    .set({
      expiresAt: null,
      model,
      inputTokens: usage.input,
      cachedTokens: usage.cached,
      outputTokens: usage.output,
    })
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
    .returning({ id: assistantQuestions.id })
  return kept.length > 0
}

export async function giveQuestionBack(db: Executor, id: number): Promise<void> {
  await db
    .delete(assistantQuestions)
    .where(and(eq(assistantQuestions.id, id), isNotNull(assistantQuestions.expiresAt)))
}

function ahead(seconds: number) {
  return sql`now() + make_interval(secs => ${seconds})`
}

// --- conversations

/** undefined where this person has no such conversation. */
export async function findConversation(
  db: Executor,
  userId: number,
  id: number,
): Promise<ConversationRow | undefined> {
  const [row] = await db.select().from(assistantConversations).where(ownConversation(userId, id))
  return row
}

/**
 * A conversation's stored messages and its questions that wait for an answer; undefined where this person
 * has no such conversation. One statement, so that an answer just being stored counts as one of the two.
 */
export async function findConversationLoad(db: Executor, userId: number, id: number) {
  const waiting = db
    .select({ count: count() })
    .from(assistantQuestions)
    .where(
      and(
        eq(assistantQuestions.userId, userId),
        eq(assistantQuestions.conversationId, id),
        isNotNull(assistantQuestions.expiresAt),
      ),
    )
  const { title, messageCount } = assistantConversations
  const [row] = await db
    .select({ id: assistantConversations.id, title, messageCount, waiting: sql<number>`(${waiting})::int` })
    .from(assistantConversations)
    .where(ownConversation(userId, id))
  return row
}

export async function findStudyChat(db: Executor, userId: number): Promise<ConversationRow | undefined> {
  const [row] = await db
    .select()
    .from(assistantConversations)
    .where(and(eq(assistantConversations.userId, userId), eq(assistantConversations.kind, 'study_chat')))
  return row
}

/** Where a page ends: the last conversation on it. */
export interface ConversationCursor {
  updatedAt: Date
  id: number
}

/** Latest change first; those that hold `search` in their title or a message, if it is given. */
export async function listConversations(
  db: Executor,
  userId: number,
  { search, after, limit }: { search: string; after: ConversationCursor | undefined; limit: number },
): Promise<ConversationRow[]> {
  const { updatedAt, id, title } = assistantConversations
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  const found = sql`(${title} ilike ${pattern} or ${id} in (
    select conversation_id from assistant_messages message
     where message.user_id = ${userId} and message.text ilike ${pattern}))`
  return db
    .select()
    .from(assistantConversations)
    .where(
      and(
        eq(assistantConversations.userId, userId),
        eq(assistantConversations.kind, 'conversation'),
        search === '' ? undefined : found,
        after && or(lt(updatedAt, after.updatedAt), and(eq(updatedAt, after.updatedAt), lt(id, after.id))),
      ),
    )
    .orderBy(desc(updatedAt), desc(id))
    .limit(limit)
}

export async function insertConversation(
  db: Executor,
  conversation: typeof assistantConversations.$inferInsert,
): Promise<number> {
  const [row] = await db
    .insert(assistantConversations)
    .values(conversation)
    .returning({ id: assistantConversations.id })
  return (row as { id: number }).id
}

/** Begins the person's study chat or adds to it; its id. */
export async function extendStudyChat(
  db: Executor,
  chat: typeof assistantConversations.$inferInsert,
): Promise<number> {
  const [row] = await db
    .insert(assistantConversations)
    .values(chat)
    .onConflictDoUpdate({
      target: assistantConversations.userId,
      targetWhere: sql`kind = 'study_chat'`,
      set: grownBy(chat.messageCount, chat.updatedAt as Date),
    })
    .returning({ id: assistantConversations.id })
  return (row as { id: number }).id
}

/** Its id; undefined where it is gone. */
export async function extendConversation(
  db: Executor,
  id: number,
  messages: number,
  now: Date,
): Promise<number | undefined> {
  const [row] = await db
    .update(assistantConversations)
    .set(grownBy(messages, now))
    .where(eq(assistantConversations.id, id))
    .returning({ id: assistantConversations.id })
  return row?.id
}

function grownBy(messages: number, now: Date) {
  return {
    messageCount: sql`${assistantConversations.messageCount} + ${messages}`,
    updatedAt: sql`greatest(${assistantConversations.updatedAt}, ${now.toISOString()}::timestamptz)`,
  }
}

export async function renameConversation(
  db: Executor,
  userId: number,
  id: number,
  change: { title: string; updatedAt: Date },
): Promise<ConversationRow | undefined> {
  const [row] = await db
    .update(assistantConversations)
    .set(change)
    .where(ownConversation(userId, id))
    .returning()
  return row
}

export async function deleteConversation(db: Executor, userId: number, id: number): Promise<boolean> {
  const rows = await db
    .delete(assistantConversations)
    .where(ownConversation(userId, id))
    .returning({ id: assistantConversations.id })
  return rows.length > 0
}

export async function deleteStudyChat(db: Executor, userId: number): Promise<void> {
  await db
    .delete(assistantConversations)
    .where(and(eq(assistantConversations.userId, userId), eq(assistantConversations.kind, 'study_chat')))
}

function ownConversation(userId: number, id: number): SQL | undefined {
  return and(
    eq(assistantConversations.id, id),
    eq(assistantConversations.userId, userId),
    eq(assistantConversations.kind, 'conversation'),
  )
}

// --- messages

/** In this order. */
export async function insertMessages(
  db: Executor,
  messages: (typeof assistantMessages.$inferInsert)[],
): Promise<void> {
  await db.insert(assistantMessages).values(messages)
}

/** The newest messages, or the newest of those before a message; oldest first. */
export async function listMessages(
  db: Executor,
  conversationId: number,
  before: number | undefined,
  limit: number,
): Promise<MessageRow[]> {
  const rows = await db
    .select()
    .from(assistantMessages)
    .where(
      and(
        eq(assistantMessages.conversationId, conversationId),
        before === undefined ? undefined : lt(assistantMessages.id, before),
      ),
    )
    .orderBy(desc(assistantMessages.id))
    .limit(limit)
  return rows.reverse()
}
