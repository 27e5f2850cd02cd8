import { and, desc, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm'
import type { AssistantConversation, TutorSource } from '../../../schemas/assistant.schemas.ts'
import type { Usage } from '../../adapters/ai.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { midnight } from '../../db/midnights.ts'
import { iso, only, type Places, query, statement } from '../../db/query.ts'
import {
  assistantConversations,
  assistantMessages,
  type StoredSource,
} from '../../db/tables/assistant.tables.ts'
import { byComparison, containing, isIndexed } from '../../db/text-search.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'
import { PRESENT_SOURCES, presentClassOf } from './assistant.sql.ts'

export type AssistantConversationRow = typeof assistantConversations.$inferSelect
export type AssistantMessageRow = Omit<typeof assistantMessages.$inferSelect, 'sources'> & {
  sources: TutorSource[]
}
export type ConversationKind = AssistantConversationRow['kind']

const SHOWN = {
  ...getTableColumns(assistantConversations),
  classId: presentClassOf(sql`assistant_conversations`),
}

/** A conversation of this person. */
export async function findConversation(
  db: Executor,
  userId: number,
  id: number,
): Promise<AssistantConversationRow | undefined> {
  const [row] = await db.select(SHOWN).from(assistantConversations).where(ownConversation(userId, id))
  return row
}

/** Where a page ends: the last conversation on it. */
export interface ConversationCursor {
  updatedAt: Date
  id: number
}

interface ConversationListing {
  userId: number
  /** The cursor's; both or neither. */
  afterTime: string | undefined
  afterId: number | undefined
  limit: number
}
type ConversationSearch = ConversationListing & { pattern: string }

const COLUMNS = {
  id: 'integer',
  title: 'text',
  class_id: 'integer',
  messageCount: 'integer',
  createdAt: 'text',
  updatedAt: 'text',
} as const
const SELECTION = sql`id, title, ${presentClassOf(sql`conversation`)} as class_id, message_count as "messageCount",
           ${iso(sql`created_at`)} as "createdAt", ${iso(sql`updated_at`)} as "updatedAt"`
const LATEST_FIRST = sql`order by updated_at desc, id desc`

/** The conversations of a person, all of them or those after a cursor. */
function fromListed({ userId, afterTime, afterId }: Places<ConversationListing>): SQL {
  const isAfter =
    afterTime && afterId ? sql` and (updated_at, id) < (${afterTime}::timestamptz, ${afterId})` : sql``
  return sql`from assistant_conversations conversation where user_id = ${userId} and kind = 'conversation'${isAfter}`
}

const selectAll = statement<ConversationListing, AssistantConversation>(
  COLUMNS,
  (places) => sql`select ${SELECTION} ${fromListed(places)} ${LATEST_FIRST} limit ${places.limit}`,
)

/** How many of the latest conversations a search reads before it uses the index. */
const READ_THROUGH = 50

const searchesFor = byComparison((compare) => {
  // The inner LIMIT keeps PostgreSQL from reading everybody's messages at once instead.
  const holds = (pattern: SQL) => sql`(title ${compare} ${pattern} or (
         select true from assistant_messages message
          where conversation_id = conversation.id and text ${compare} ${pattern} limit 1))`
  return {
    short: statement<ConversationSearch, AssistantConversation>(
      COLUMNS,
      (places) => sql`
    select ${SELECTION} ${fromListed(places)} and ${holds(places.pattern)} ${LATEST_FIRST} limit ${places.limit}`,
    ),
    // Words that many messages contain are found among the latest ones; rare words are found by the index.
    indexed: statement<ConversationSearch, AssistantConversation>(
      COLUMNS,
      (places) => sql`
    with latest as materialized (select * ${fromListed(places)} ${LATEST_FIRST} limit ${READ_THROUGH}),
         near as materialized (
           select * from latest conversation where ${holds(places.pattern)} ${LATEST_FIRST} limit ${places.limit}),
         found as (
           select * from near where (select count(*) from near) = ${places.limit}
           union all
           (select * ${fromListed(places)}
              and (select count(*) from near) < ${places.limit}
              and (title ${compare} ${places.pattern} or id in (
                    select conversation_id from assistant_messages
                     where user_id = ${places.userId} and text ${compare} ${places.pattern}))
            ${LATEST_FIRST} limit ${places.limit}))
    select ${SELECTION} from found conversation ${LATEST_FIRST}`,
    ),
  }
})

/**
 * Latest change first; with `search` only those with it in their title or a message. A text that is too short for the
 * index is looked for in everything that the person has, which is little, from the latest on.
 */
export async function listConversations(
  db: Db,
  userId: number,
  { search, after, limit }: { search: string; after: ConversationCursor | undefined; limit: number },
): Promise<AssistantConversation[]> {
  const listing = { userId, afterTime: after?.updatedAt.toISOString(), afterId: after?.id, limit }
  if (search === '') return selectAll(db, listing)
  const select = searchesFor(search)[isIndexed(search) ? 'indexed' : 'short']
  return select(db.unprepared, { ...listing, pattern: containing(search) })
}

export async function renameConversation(
  db: Executor,
  userId: number,
  id: number,
  change: { title: string; updatedAt: Date },
): Promise<AssistantConversationRow | undefined> {
  const [row] = await db
    .update(assistantConversations)
    .set(change)
    .where(ownConversation(userId, id))
    .returning(SHOWN)
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
  /** Of a conversation that it begins. */
  classId: number | null
  question: string
  askedAt: Date
  answer: string
  sources: StoredSource[]
  answeredAt: Date
  timezone: string
  model: string
  /** undefined: the answer was cut off before the model said it. */
  usage: Usage | undefined
}

type StoringOutcome =
  | { refusal: 'token_expired_or_invalid' | 'exam_in_progress' | 'not_reserved' | 'not_found' }
  /** `answered`: how many questions of the day now are, this one included. */
  | { refusal: null; conversationId: number; answered: number }

/**
 * Stores a question and its answer in their conversation and makes the reservation count, or says why it does none of
 * this: the account was deleted, help is locked, the reservation had expired and its place was given to another
 * question, or the conversation was deleted. Needs the person's lock.
 */
export async function insertExchange(db: Executor, exchange: Exchange): Promise<StoringOutcome> {
  const { userId, questionId, conversationId, begins, usage } = exchange
  const sources = exchange.sources.length > 0 ? JSON.stringify(exchange.sources) : null
  const askedAt = sql`${exchange.askedAt.toISOString()}::timestamptz`
  const answeredAt = sql`${exchange.answeredAt.toISOString()}::timestamptz`
  const hasAccount = sql`exists (select from users where id = ${userId} and deleted_at is null)`
  const grown = sql`
               message_count = conversation.message_count + 2,
               updated_at = greatest(conversation.updated_at, ${answeredAt})`
  return only(
    await query<StoringOutcome>(
      db,
      { refusal: 'text', conversationId: 'integer', answered: 'integer' },
      sql`
      with reserved as materialized (
        select id from assistant_questions
         where id = ${questionId} and expires_at is not null and ${hasAccount} and not ${isHelpLocked(userId)}
           for no key update
      ), class as materialized (
        select id from classes where id = ${exchange.classId}::int for key share
      ), grown as (${
        begins
          ? sql`
        insert into assistant_conversations as conversation
               (id, user_id, kind, title, class_id, message_count, created_at, updated_at)
        select ${conversationId}::int, ${userId}::int, ${begins}, ${exchange.title},
               (select id from class), 2, ${askedAt}, ${answeredAt}
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
        insert into assistant_messages (conversation_id, user_id, is_user, text, created_at, sources)
        select grown.id, ${userId}::int, message.*
          from grown, (values (true, ${exchange.question}, ${askedAt}, null::jsonb),
                              (false, ${exchange.answer}, ${answeredAt}, ${sources}::jsonb))
               message(is_user, text, created_at, sources)
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
): Promise<AssistantMessageRow[]> {
  const rows = await db
    .select({ ...getTableColumns(assistantMessages), sources: PRESENT_SOURCES })
    .from(assistantMessages)
    .where(
      and(
        eq(assistantMessages.conversationId, conversationId),
        before === undefined ? undefined : lt(assistantMessages.id, before),
      ),
    )
    .orderBy(desc(assistantMessages.id))
    .limit(limit)
  return rows.reverse().map(({ sources, ...row }) => ({ ...row, sources: sources ?? [] }))
}
