import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { classes } from './classes.tables.ts'
import { createdAt, id, instant } from './columns.ts'
import { users } from './users.tables.ts'

export const assistantConversations = pgTable(
  'assistant_conversations',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** `study_chat`: the older generation's only chat of a person, which is not in the list of conversations. */
    kind: text({ enum: ['conversation', 'study_chat'] })
      .notNull()
      .default('conversation'),
    title: text().notNull(),
    /** The class whose materials it leans on, from its beginning on; null: none, or one that is deleted. */
    classId: integer().references(() => classes.id, { onDelete: 'set null' }),
    messageCount: integer().notNull(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (table) => [
    index('assistant_conversations_user_id_idx').on(table.userId, table.kind, table.updatedAt, table.id),
    uniqueIndex('assistant_conversations_study_chat_key')
      .on(table.userId)
      .where(sql`${table.kind} = 'study_chat'`),
    index('assistant_conversations_class_id_idx').on(table.classId).where(sql`${table.classId} is not null`),
    check('assistant_conversations_kind_check', sql`${table.kind} in ('conversation', 'study_chat')`),
  ],
)

/** What a mark in an answer names, as it was when the answer was written. */
export interface StoredSource {
  n: number
  material_id: number
  title: string
  page: number
  quote: string
}

/** A question and its answer are stored together, so questions and answers alternate. */
export const assistantMessages = pgTable(
  'assistant_messages',
  {
    id: id(),
    conversationId: integer()
      .notNull()
      .references(() => assistantConversations.id, { onDelete: 'cascade' }),
    /** The conversation's person, repeated here so that one index finds words within one person's messages. */
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    isUser: boolean().notNull(),
    text: text().notNull(),
    /** Of an answer: what its marks name, in the order of their first places; null for most. */
    sources: jsonb().$type<StoredSource[]>(),
    createdAt: createdAt(),
  },
  (table) => [
    index('assistant_messages_conversation_id_idx').on(table.conversationId, table.id),
    index('assistant_messages_search_idx').using('gin', table.userId, table.text.op('gin_trgm_ops')),
  ],
)

/**
 * Rows that the daily quota counts, one for each question: reserved while the model answers, kept with the stored
 * answer. A row outlives its conversation, so deleting one gives no question back. A few abandoned questions a day are
 * kept without being counted.
 */
export const assistantQuestions = pgTable(
  'assistant_questions',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Reserved from the conversations' sequence before the conversation exists, so there is no foreign key. */
    conversationId: integer().notNull(),
    askedAt: instant().notNull(),
    /** null: answered. Otherwise the end of the reservation, unless its node renews it. */
    expiresAt: instant(),
    /** Its asker went away before there was an answer, and it doesn't count. */
    hungUp: boolean().notNull().default(false),
    model: text(),
    /** null: the answer was cut off before the model said how many tokens it took. */
    inputTokens: integer(),
    cachedTokens: integer(),
    outputTokens: integer(),
  },
  (table) => [index('assistant_questions_user_id_idx').on(table.userId, table.askedAt)],
)
