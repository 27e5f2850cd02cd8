import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'
import { GHOST_ID, users } from './people/users.ts'

export const conversations = pgTable(
  'conversations',
  {
    id: id(),
    /** Who made a group, as long as they have an account. */
    creatorId: integer().references(() => users.id, { onDelete: 'set null' }),
    isGroup: boolean().notNull(),
    /** A group's name; a direct conversation is named after the other person. */
    name: text(),
    /** The number of the newest message: 1, 2, 3 … without gaps. */
    lastSeq: integer().notNull().default(0),
    /**
     * The number of the newest change: a message created, edited or deleted, a member added or removed, a new name.
     */
    version: integer().notNull().default(0),
    /** The `version` of the latest change of its name or its members. */
    membersVersion: integer().notNull().default(0),
    /** When the newest message was made, or the conversation itself. */
    lastActivityAt: createdAt(),
    createdAt: createdAt(),
  },
  (table) => [index('conversations_creator_id_idx').on(table.creatorId)],
)

/** How many groups others have added somebody to on the latest day when that happened. */
export const groupAdditions = pgTable('group_additions', {
  userId: integer()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  day: date().notNull(),
  count: integer().notNull(),
})

export const conversationMembers = pgTable(
  'conversation_members',
  {
    conversationId: integer()
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    lastReadSeq: integer().notNull().default(0),
    /** False in a direct conversation after its connection has ended, and for somebody who is blocked. */
    canSend: boolean().notNull().default(true),
    /**
     * Strictly increasing within a conversation. A group's owner is its longest-standing member, at first the
     * creator.
     */
    joinedAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.userId] }),
    index('conversation_members_user_id_idx').on(table.userId),
    index('conversation_members_joined_at_idx').on(table.joinedAt),
  ],
)

export const messages = pgTable(
  'messages',
  {
    id: id(),
    conversationId: integer()
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    /** The conversation's version at this message's last change. */
    version: integer().notNull(),
    senderId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    /** The sender's id for this send: sending it again stores nothing. */
    clientId: uuid(),
    message: text().notNull(),
    replyToId: integer(),
    replyToText: text(),
    replyToName: text(),
    /** Strictly increasing within a conversation, so that paging by it neither skips nor repeats. */
    createdAt: instant().notNull(),
    editedAt: instant(),
    deletedAt: instant(),
  },
  (table) => [
    uniqueIndex('messages_conversation_id_seq_key').on(table.conversationId, table.seq),
    // Not partial: it also finds a person's messages when their account is deleted.
    uniqueIndex('messages_sender_id_client_id_key').on(table.senderId, table.clientId),
    uniqueIndex('messages_conversation_id_version_key').on(table.conversationId, table.version),
    index('messages_conversation_id_created_at_idx').on(table.conversationId, table.createdAt),
    // Finds replies to messages of a deleted account.
    index('messages_reply_to_id_idx').on(table.replyToId).where(sql`${table.replyToId} is not null`),
  ],
)

/** One row for each pair of people of whom one has asked to connect. */
export const connections = pgTable(
  'connections',
  {
    id: id(),
    requesterId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    recipientId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    status: text({ enum: ['pending', 'accepted', 'rejected', 'ended'] }).notNull(),
    /** Created when the connection is first accepted, and used again after it has ended. */
    conversationId: integer().references(() => conversations.id, { onDelete: 'set null' }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('connections_pair_key').on(
      sql`least(${table.requesterId}, ${table.recipientId})`,
      sql`greatest(${table.requesterId}, ${table.recipientId})`,
    ),
    index('connections_recipient_id_idx').on(table.recipientId, table.status),
    index('connections_requester_id_idx').on(table.requesterId, table.status),
    uniqueIndex('connections_conversation_id_key').on(table.conversationId),
    check('connections_not_self', sql`${table.requesterId} <> ${table.recipientId}`),
  ],
)

/** People whom somebody has blocked. */
export const blocks = pgTable(
  'blocks',
  {
    blockerId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    blockedId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.blockerId, table.blockedId] }),
    index('blocks_blocked_id_idx').on(table.blockedId),
    check('blocks_not_self', sql`${table.blockerId} <> ${table.blockedId}`),
  ],
)
