import { type SQL, sql } from 'drizzle-orm'
import {
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { StoredReaction } from '../../bus/events.ts'
import { createdAt, id, instant, tsvector } from './columns.ts'
import { GHOST_ID, users } from './users.tables.ts'

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
    /** The end of the latest mute. */
    mutedUntil: instant(),
    /** The newest message when it was archived; null if it is not. A later one un-archives it (`isArchived`). */
    archivedSeq: integer(),
    pinned: boolean().notNull().default(false),
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
    // Finds mutes that have just ended.
    index('conversation_members_muted_until_idx')
      .on(table.mutedUntil)
      .where(sql`${table.mutedUntil} is not null`),
  ],
)

// `member` and `conversation` in these conditions name rows of the two tables.

/** Whether a member has muted the conversation at this moment. */
export function isMuted(member: SQL): SQL {
  return sql`coalesce(${member}.muted_until > now(), false)`
}

/**
 * Whether a member has archived the conversation, and no message has come since then, except while it was muted. So a
 * send un-archives it without touching any row of its members.
 */
export function isArchived(member: SQL, conversation: SQL): SQL {
  return sql`(${member}.archived_seq is not null
    and (${conversation}.last_seq <= ${member}.archived_seq
         or coalesce(${conversation}.last_activity_at <= ${member}.muted_until, false)))`
}

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
    /** The emoji on it, in the order of their first use; null if nobody has ever reacted. */
    reactions: jsonb().$type<StoredReaction[]>(),
    /** Its files in their order; null for most. They don't change once it is sent. */
    attachments: jsonb().$type<StoredAttachment[]>(),
    /** Whom it mentions; null for most. Triggers keep `mentions` equal to it. */
    mentions: integer().array(),
  },
  (table) => [
    uniqueIndex('messages_conversation_id_seq_key').on(table.conversationId, table.seq),
    // Not partial: it also finds a person's messages when their account is deleted.
    uniqueIndex('messages_sender_id_client_id_key').on(table.senderId, table.clientId),
    uniqueIndex('messages_conversation_id_version_key').on(table.conversationId, table.version),
    index('messages_conversation_id_created_at_idx').on(table.conversationId, table.createdAt),
    // Finds replies to messages of a deleted account.
    index('messages_reply_to_id_idx').on(table.replyToId).where(sql`${table.replyToId} is not null`),
    // Finds what somebody has reacted to.
    index('messages_reactions_idx')
      .using('gin', table.reactions.op('jsonb_path_ops'))
      .where(sql`${table.reactions} is not null`),
  ],
)

/** A file as its message keeps it. */
export interface StoredAttachment {
  id: number
  name: string
  type: string
  size: number
  width: number | null
  height: number | null
  key: string
  thumbnail: string | null
}

/** Files of messages, and those that are not sent yet. Triggers discard the files of rows that go. */
export const attachments = pgTable(
  'attachments',
  {
    id: id(),
    conversationId: integer()
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    ownerId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    /** null until it is sent. */
    messageId: integer().references(() => messages.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    contentType: text().notNull(),
    /** Bytes. */
    size: integer().notNull(),
    /** Pixels of an image with a preview. */
    width: integer(),
    height: integer(),
    /** Never used twice; null once it is gone because nobody sent it. */
    fileKey: text(),
    thumbnailKey: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index('attachments_conversation_id_idx').on(table.conversationId),
    index('attachments_owner_id_idx').on(table.ownerId),
    index('attachments_message_id_idx').on(table.messageId).where(sql`${table.messageId} is not null`),
    index('attachments_unsent_idx').on(table.createdAt).where(sql`${table.messageId} is null`),
  ],
)

/** Who is mentioned where, for counting what is unread: a copy of `messages.mentions`, kept by triggers. */
export const mentions = pgTable(
  'mentions',
  {
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    conversationId: integer().notNull(),
    /** The message's place in its conversation, to compare with the read pointer. */
    seq: integer().notNull(),
    messageId: integer()
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.conversationId, table.seq] }),
    index('mentions_message_id_idx').on(table.messageId),
  ],
)

/**
 * The words of messages as a search looks for them: each behind its conversation, as `17:word`, so that the index finds
 * it in one conversation without reading the others'. They are filled some seconds after the messages (`searchMarks`).
 */
export const messageWords = pgTable(
  'message_words',
  {
    conversationId: integer()
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    messageId: integer().notNull(),
    /** And the sender, as `17:@5`. */
    words: tsvector().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.messageId] }),
    index('message_words_words_idx').using('gin', table.words),
  ],
)

/** How far `message_words` has followed a conversation; a search reads messages that changed later themselves. */
export const searchMarks = pgTable('search_marks', {
  conversationId: integer()
    .primaryKey()
    .references(() => conversations.id, { onDelete: 'cascade' }),
  version: integer().notNull(),
})

/** How many unread messages of its conversation mention a member; `member` names a row of `conversation_members`. */
export function countMentions(member: SQL): SQL {
  return sql`(select count(*)::int from mentions
    where mentions.user_id = ${member}.user_id and mentions.conversation_id = ${member}.conversation_id
      and mentions.seq > ${member}.last_read_seq)`
}

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
    /** When a push was last sent for a request of the pair, and how often one of the two has asked since. */
    pushedAt: instant(),
    asks: integer().notNull().default(0),
    /** When the last request was rejected. */
    rejectedAt: instant(),
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

/** Whether one of the two has blocked the other: then neither sees the other's presence. */
export function areBlocked(one: SQL, other: SQL): SQL {
  return sql`exists (
    select from blocks where (blocker_id = ${one} and blocked_id = ${other})
                          or (blocker_id = ${other} and blocked_id = ${one}))`
}
