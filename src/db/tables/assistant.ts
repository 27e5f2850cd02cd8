import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'
import { users } from './users.ts'

export const assistantConversations = pgTable(
  'assistant_conversations',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** `study_chat` is the older generation's one chat per person: never listed among the others. */
    kind: text({ enum: ['conversation', 'study_chat'] })
      .notNull()
      .default('conversation'),
    title: text().notNull(),
    messageCount: integer().notNull(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (table) => [
    index('assistant_conversations_user_id_idx').on(table.userId, table.kind, table.updatedAt, table.id),
    uniqueIndex('assistant_conversations_study_chat_key')
      .on(table.userId)
      .where(sql`${table.kind} = 'study_chat'`),
    check('assistant_conversations_kind_check', sql`${table.kind} in ('conversation', 'study_chat')`),
  ],
)

/** Question and answer are stored together, so a conversation's messages alternate. */
export const assistantMessages = pgTable(
  'assistant_messages',
  {
    id: id(),
    conversationId: integer()
      .notNull()
      .references(() => assistantConversations.id, { onDelete: 'cascade' }),
    /** The conversation's person, here so that one index finds words within one person's messages. */
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    isUser: boolean().notNull(),
    text: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('assistant_messages_conversation_id_idx').on(table.conversationId, table.id),
    index('assistant_messages_search_idx').using('gin', table.userId, table.text.op('gin_trgm_ops')),
  ],
)

/**
 * What the daily quota counts: a row per question, reserved while the model answers and kept with the
 * stored answer. It outlives its conversation, so that deleting one gives no question back.
 */
export const assistantQuestions = pgTable(
  'assistant_questions',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Taken from the conversations' sequence before a new conversation exists: hence no reference. */
    conversationId: integer().notNull(),
    askedAt: instant().notNull(),
    /** null: answered. Else the reservation ends then, unless its node renews it. */
    expiresAt: instant(),
    model: text(),
    inputTokens: integer(),
    cachedTokens: integer(),
    outputTokens: integer(),
  },
  (table) => [index('assistant_questions_user_id_idx').on(table.userId, table.askedAt)],
)
