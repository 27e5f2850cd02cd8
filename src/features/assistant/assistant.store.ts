import { and, desc, eq, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Usage } from '../../adapters/ai.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { isHelpLocked } from '../../db/help-lock-sql.ts'
import { only, query } from '../../db/query.ts'
import { assistantConversations, assistantMessages } from '../../db/tables/assistant.tables.ts'
import { contains, isIndexed, plannedFor } from '../../db/text-search.ts'
import { midnight } from './tutor-quota.store.ts'

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

/** Where a page ends: the last conversation on it. */
export interface ConversationCursor {
  updatedAt: Date
  id: number
}

/** How many of the latest conversations a search reads before it uses the index. */
const READ_THROUGH = 50

/**
 * Latest change first; with `search` only those with it in their title or a message. What is too short for the index is
 * looked for in all that the person has, which is little, from the latest on.
 */
export async function listConversations(
  db: Db,
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
    plannedFor(search, db)
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
  if (!isIndexed(search)) return list(holds)
  // Words that many messages contain are found among the latest ones; rare words are found by the index.
  const latest = db
    .select({ id })
    .from(assistantConversations)
    .where(listed)
    .orderBy(desc(updatedAt), desc(id))
    .limit(READ_THROUGH)
  const found = await list(and(inArray(id, latest), holds))
  if (found.length === limit) return found
  return list(sql`(${contains(title, search)} or ${id} in (
    select conversation_id from assistant_messages message
     where message.user_id = ${userId} and ${contains(sql`message.text`, search)}))`)
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

// --- answers

/** An answered question. */
export interface Exchange {
  userId: number
  /** The id of its reservation. */
  questionId: number
  conversationId: number
  /** What the conversation is if it doesn't exist yet; null if it has to exist. */
  begins: ConversationKind | null
  title: string
  question: string
  askedAt: Date
  answer: string
  answeredAt: Date
  timezone: string
  model: string
  /** undefined: the answer was cut off before the model said it. */
  usage: Usage | undefined
}

type Stored =
  | { refusal: 'token_expired_or_invalid' | 'exam_in_progress' | 'not_reserved' | 'not_found' }
  /** `answered`: how many questions of the day now are, this one included. */
  | { refusal: null; conversationId: number; answered: number }

/**
 * Stores a question and its answer in their conversation and makes the reservation count, or says why it does none of
 * this: the account was deleted, help is locked, the reservation had expired and its place was given to another
 * question, or the conversation was deleted. Needs the person's lock.
 */
export async function insertExchange(db: Executor, exchange: Exchange): Promise<Stored> {
  const { userId, questionId, conversationId, begins, usage } = exchange
  const askedAt = sql`${exchange.askedAt.toISOString()}::timestamptz`
  const answeredAt = sql`${exchange.answeredAt.toISOString()}::timestamptz`
  const hasAccount = sql`exists (select from users where id = ${userId} and deleted_at is null)`
  const grown = sql`
               message_count = conversation.message_count + 2,
               updated_at = greatest(conversation.updated_at, ${answeredAt})`
  return only(
    await query<Stored>(
      db,
      { refusal: 'text', conversationId: 'integer', answered: 'integer' },
      sql`
      with reserved as materialized (
        select id from assistant_questions
         where id = ${questionId} and expires_at is not null and ${hasAccount} and not ${isHelpLocked(userId)}
           for no key update
      ), grown as (${
        begins
          ? sql`
        insert into assistant_conversations as conversation
               (id, user_id, kind, title, message_count, created_at, updated_at)
        select ${conversationId}::int, ${userId}::int, ${begins}, ${exchange.title}, 2, ${askedAt}, ${answeredAt}
          from reserved
            on conflict (user_id) where kind = 'study_chat' do update set ${grown}`
          : sql`
        update assistant_conversations conversation set ${grown}
          from reserved where conversation.id = ${conversationId}`
      }
        returning conversation.id
      ), kept as (
        update assistant_questions
           set expires_at = null, model = ${exchange.model}, input_tokens = ${usage?.input ?? null},
               cached_tokens = ${usage?.cached ?? null}, output_tokens = ${usage?.output ?? null}
          from reserved, grown where assistant_questions.id = reserved.id
      ), stored as (
        insert into assistant_messages (conversation_id, user_id, is_user, text, created_at)
        select grown.id, ${userId}::int, message.*
          from grown, (values (true, ${exchange.question}, ${askedAt}), (false, ${exchange.answer}, ${answeredAt}))
               message(is_user, text, created_at)
         order by is_user desc
      )
      select case when not ${hasAccount} then 'token_expired_or_invalid'
                  when ${isHelpLocked(userId)} then 'exam_in_progress'
                  when not exists (select from reserved) then 'not_reserved'
                  when not exists (select from grown) then 'not_found' end as refusal,
             (select id from grown) as "conversationId",
             (select count(*)::int from assistant_questions
               where user_id = ${userId} and asked_at >= ${midnight(exchange.answeredAt, exchange.timezone, 0)}
                 and not hung_up and (expires_at is null or id = ${questionId})) as answered`,
    ),
  )
}

// --- messages

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
