import { and, count, desc, eq, inArray, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { only } from '../../db/query.ts'
import { contains, isIndexed } from '../../db/search.ts'
import { assistantConversations, assistantMessages, assistantQuestions } from '../../db/tables/assistant.ts'

export type ConversationRow = typeof assistantConversations.$inferSelect
export type MessageRow = typeof assistantMessages.$inferSelect
export type ConversationKind = ConversationRow['kind']

/** A conversation of this person. */
export async function findConversation(
  db: Executor,
  userId: number,
  id: number,
): Promise<ConversationRow | undefined> {
  const [row] = await db.select().from(assistantConversations).where(ownConversation(userId, id))
  return row
}

/**
 * How many messages a conversation has, and how many of its questions wait for an answer; undefined if this person
 * has no such conversation. It is one statement, so that an answer that is being stored counts as exactly one of the
 * two.
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

/** A search first reads this many of the latest conversations; only the index finds texts in older ones. */
const READ_THROUGH = 50

/** Latest change first; with `search` only those with it in their title or a message. */
export async function listConversations(
  db: Executor,
  userId: number,
  { search, after, limit }: { search: string; after: ConversationCursor | undefined; limit: number },
): Promise<ConversationRow[]> {
  const { updatedAt, id, title } = assistantConversations
  const listed = and(
    eq(assistantConversations.userId, userId),
    eq(assistantConversations.kind, 'conversation'),
    after && or(lt(updatedAt, after.updatedAt), and(eq(updatedAt, after.updatedAt), lt(id, after.id))),
  )
  const list = (condition?: SQL) =>
    db
      .select()
      .from(assistantConversations)
      .where(and(listed, condition))
      .orderBy(desc(updatedAt), desc(id))
      .limit(limit)
  if (search === '') return list()

  // The LIMIT keeps PostgreSQL from reading everybody's messages at once instead.
  const holds = sql`(${contains(title, search)} or (
    select true from assistant_messages message
     where message.conversation_id = ${id} and ${contains(sql`message.text`, search)} limit 1))`
  // Words that many messages contain are found among the latest ones; rare words are found by the index.
  const latest = db
    .select({ id })
    .from(assistantConversations)
    .where(listed)
    .orderBy(desc(updatedAt), desc(id))
    .limit(READ_THROUGH)
  const found = await list(and(inArray(id, latest), holds))
  if (found.length === limit || !isIndexed(search)) return found
  return list(sql`(${contains(title, search)} or ${id} in (
    select conversation_id from assistant_messages message
     where message.user_id = ${userId} and ${contains(sql`message.text`, search)}))`)
}

export async function insertConversation(
  db: Executor,
  conversation: typeof assistantConversations.$inferInsert,
): Promise<number> {
  return only(
    await db.insert(assistantConversations).values(conversation).returning({ id: assistantConversations.id }),
  ).id
}

/** Creates the person's study chat or adds to it; answers its id. */
export async function extendStudyChat(
  db: Executor,
  chat: typeof assistantConversations.$inferInsert,
): Promise<number> {
  return only(
    await db
      .insert(assistantConversations)
      .values(chat)
      .onConflictDoUpdate({
        target: assistantConversations.userId,
        targetWhere: sql`kind = 'study_chat'`,
        set: grownBy(chat.messageCount, chat.updatedAt as Date),
      })
      .returning({ id: assistantConversations.id }),
  ).id
}

/** Adds to a conversation; answers its id, undefined if it was deleted. */
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

function ownConversation(userId: number, id: number): SQL | undefined {
  return and(
    eq(assistantConversations.id, id),
    eq(assistantConversations.userId, userId),
    eq(assistantConversations.kind, 'conversation'),
  )
}

// --- messages

/** Stores a question and its answer in a person's conversation; nothing if that was deleted. */
export async function insertExchange(
  db: Executor,
  userId: number,
  conversation: number | 'study_chat',
  {
    question,
    askedAt,
    answer,
    answeredAt,
  }: { question: string; askedAt: Date; answer: string; answeredAt: Date },
): Promise<void> {
  const isMeant = conversation === 'study_chat' ? sql`kind = 'study_chat'` : sql`id = ${conversation}`
  await db.execute(sql`
    insert into assistant_messages (conversation_id, user_id, is_user, text, created_at)
    select conversation.id, conversation.user_id, message.*
      from (select id, user_id from assistant_conversations where user_id = ${userId} and ${isMeant}) conversation,
           (values (true, ${question}, ${askedAt.toISOString()}::timestamptz),
                   (false, ${answer}, ${answeredAt.toISOString()}::timestamptz)) message(is_user, text, created_at)
     order by is_user desc`)
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
