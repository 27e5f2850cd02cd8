import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db, Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query, statement, unseen } from '../../../db/query.ts'
import {
  areBlocked,
  conversationMembers,
  conversations,
  countMentions,
  isArchived,
} from '../../../db/tables/chat.tables.ts'
import { isPerson } from '../../../db/tables/users.tables.ts'
import { isHelpLocked } from '../../help-lock/help-lock.sql.ts'
import { blockedPairs } from '../connections/people.store.ts'

/** How one member wants to be bothered by a conversation. */
export interface ConversationSettingsRow {
  /** null: not muted. */
  mutedUntil: string | null
  archived: boolean
  pinned: boolean
}

/** A member's settings as JSON. */
export const SETTINGS = sql`jsonb_build_object(
  'mutedUntil', case when member.muted_until > now() then member.muted_until end,
  'archived', ${isArchived(sql`member`, sql`c`)}, 'pinned', member.pinned)`

export interface ConversationRow {
  /** The person whose view of the conversation this is. */
  readerId: number
  id: number
  name: string
  isGroup: boolean
  /** The other person of a direct conversation. */
  userId: number | null
  connectionId: number | null
  memberCount: number
  lastSeq: number
  lastReadSeq: number
  version: number
  canSend: boolean
  settings: ConversationSettingsRow
  /** Everybody else in it whose presence the reader may see. */
  visibleIds: number[]
  lastMessage: string | null
  lastMessageAt: Date | null
  /** Files of the last message. */
  lastFiles: number
  unreadMentions: number
}

export interface ConversationFilter {
  /** Only those of these. */
  ids?: number[]
  /** Only those that somebody has archived, or only the others; pinned ones come first. */
  archived?: boolean
  /** None while this person's help is locked. */
  unlockedFor?: number
}

interface ConversationCriteria {
  userIds: number[]
  ids: number[] | undefined
  archived: boolean | undefined
  /** Whose help must not be locked. */
  unlockedFor: number | undefined
}

const selectConversations = statement<ConversationCriteria, ConversationRow>(
  {
    readerId: 'integer',
    id: 'integer',
    name: 'text',
    isGroup: 'boolean',
    userId: 'integer',
    connectionId: 'integer',
    memberCount: 'integer',
    lastSeq: 'integer',
    lastReadSeq: 'integer',
    version: 'integer',
    canSend: 'boolean',
    settings: 'jsonb',
    visibleIds: 'integer[]',
    lastMessage: 'text',
    lastMessageAt: 'timestamptz',
    lastFiles: 'integer',
    unreadMentions: 'integer',
  },
  ({ userIds, ids, archived, unlockedFor }) => sql`
    with blocked as materialized ${blockedPairs(unseen(userIds))}
    select member.user_id as "readerId", c.id, coalesce(c.name, person.full_name, 'Conversation') as name,
           c.is_group as "isGroup", person.id as "userId", connection.id as "connectionId",
           them.count as "memberCount", c.last_seq as "lastSeq", member.last_read_seq as "lastReadSeq", c.version,
           member.can_send as "canSend", ${SETTINGS} as settings, them."visibleIds",
           newest.message as "lastMessage", newest.created_at as "lastMessageAt",
           coalesce(jsonb_array_length(newest.attachments), 0) as "lastFiles", ${countMentions(sql`member`)} as "unreadMentions"
      from conversation_members member
      join conversations c on c.id = member.conversation_id
      cross join lateral (
        select count(*)::int as count, max(user_id) filter (where user_id <> member.user_id) as other,
               coalesce(array_agg(user_id) filter (
                 where user_id <> member.user_id and ${isPerson(sql`user_id`)}
                   and not exists (select from blocked where one = member.user_id and other = user_id)), '{}') as "visibleIds"
          from conversation_members where conversation_id = c.id) them
      left join users person on not c.is_group and person.id = them.other
      left join connections connection on connection.conversation_id = c.id
      left join messages newest on newest.conversation_id = c.id and newest.seq = c.last_seq
     where ${isAnyOf(sql`member.user_id`, unseen(userIds))}
       ${ids ? sql`and ${isAnyOf(sql`c.id`, unseen(ids))}` : sql``}
       ${archived ? sql`and ${isArchived(sql`member`, sql`c`)} = ${unseen(archived, 'boolean')}` : sql``}
       ${unlockedFor ? sql`and not ${isHelpLocked(unlockedFor)}` : sql``}
     order by ${archived ? sql`member.pinned desc,` : sql``} c.last_activity_at desc, c.id desc`,
)

/** The conversations of these people, latest activity first. */
export async function listConversations(
  db: Db,
  userIds: number[],
  { ids, archived, unlockedFor }: ConversationFilter,
): Promise<ConversationRow[]> {
  return selectConversations(db, { userIds, ids, archived, unlockedFor })
}

export interface ConversationMemberRow {
  id: number
  username: string
  fullName: string
  lastReadSeq: number
  /** Whether the reader may see this member's presence. */
  isVisible: boolean
  /** Whether the reader may know that this is a member. */
  isListed: boolean
}

/**
 * Whether a reader may know that `member` is in a conversation: in that of a class that doesn't show its members,
 * students know its teachers and who has written.
 */
function isListedFor(readerId: number, conversationId: number): SQL {
  return sql`(member.user_id = ${readerId}
    or not exists (
      select from classes there
        join class_members mine on mine.class_id = there.id and mine.user_id = ${readerId}
       where there.conversation_id = ${conversationId} and not there.shows_members
         and mine.role = 'student' and mine.left_at is null)
    or exists (
      select from classes there
        join class_members them on them.class_id = there.id and them.user_id = member.user_id
       where there.conversation_id = ${conversationId} and them.role = 'teacher' and them.left_at is null)
    or member.user_id in (select sender_id from messages where messages.conversation_id = ${conversationId}))`
}

/** In the order in which they joined, so a group's owner is the first. */
export async function listMembers(
  db: Executor,
  conversationId: number,
  readerId: number,
): Promise<ConversationMemberRow[]> {
  return query<ConversationMemberRow>(
    db,
    {
      id: 'integer',
      username: 'text',
      fullName: 'text',
      lastReadSeq: 'integer',
      isVisible: 'boolean',
      isListed: 'boolean',
    },
    sql`
    select person.id, person.username, person.full_name as "fullName", member.last_read_seq as "lastReadSeq",
           ${isPerson(sql`person.id`)} and not ${areBlocked(sql`${readerId}`, sql`person.id`)} as "isVisible",
           ${isListedFor(readerId, conversationId)} as "isListed"
      from conversation_members member join users person on person.id = member.user_id
     where member.conversation_id = ${conversationId}
     order by member.joined_at, member.user_id`,
  )
}

/** The members between whom and this one there is a block. */
export async function listBlockedMembers(
  db: Executor,
  conversationId: number,
  userId: number,
): Promise<number[]> {
  const rows = await query<{ userId: number }>(
    db,
    { userId: 'integer' },
    sql`
    select member.user_id as "userId" from conversation_members member
     where member.conversation_id = ${conversationId}
       and member.user_id in (select other from ${blockedPairs([userId])} blocked)`,
  )
  return rows.map(({ userId }) => userId)
}

export async function findMember(db: Executor, conversationId: number, userId: number) {
  const [row] = await db
    .select({
      canSend: conversationMembers.canSend,
      lastReadSeq: conversationMembers.lastReadSeq,
      lastSeq: conversations.lastSeq,
      version: conversations.version,
    })
    .from(conversationMembers)
    .innerJoin(conversations, eq(conversations.id, conversationMembers.conversationId))
    .where(
      and(eq(conversationMembers.conversationId, conversationId), eq(conversationMembers.userId, userId)),
    )
  return row
}

export async function findSettings(
  db: Executor,
  conversationId: number,
  userId: number,
): Promise<ConversationSettingsRow | undefined> {
  const [row] = await query<{ settings: ConversationSettingsRow }>(
    db,
    { settings: 'jsonb' },
    sql`
    select ${SETTINGS} as settings
      from conversation_members member join conversations c on c.id = member.conversation_id
     where member.conversation_id = ${conversationId} and member.user_id = ${userId}`,
  )
  return row?.settings
}

/**
 * Stores a member's settings, with the newest message at that moment if it is archived: what came during an earlier
 * mute doesn't count again. An `archived` of null leaves that as it is then, since a message may just have changed it.
 */
export async function updateSettings(
  db: Executor,
  conversationId: number,
  userId: number,
  { mutedUntil, archived, pinned }: Omit<ConversationSettingsRow, 'archived'> & { archived: boolean | null },
): Promise<void> {
  await db.execute(sql`
    update conversation_members member
       set muted_until = ${mutedUntil}::timestamptz, pinned = ${pinned}::boolean,
           archived_seq = case when coalesce(${archived}::boolean, ${isArchived(sql`member`, sql`c`)}) then c.last_seq end
      from conversations c
     where c.id = member.conversation_id and member.conversation_id = ${conversationId} and member.user_id = ${userId}`)
}

export async function countPinned(db: Executor, userId: number): Promise<number> {
  return db.$count(
    conversationMembers,
    and(eq(conversationMembers.userId, userId), eq(conversationMembers.pinned, true)),
  )
}

/** Moves a read pointer forward, never back; undefined if there was nothing to move. */
export async function advancePointer(
  db: Executor,
  conversationId: number,
  userId: number,
  upToSeq: number,
): Promise<{ lastSeq: number; lastReadSeq: number } | undefined> {
  const [row] = await query<{ lastSeq: number; lastReadSeq: number }>(
    db,
    { lastSeq: 'integer', lastReadSeq: 'integer' },
    sql`
    update conversation_members member set last_read_seq = least(${upToSeq}::int, c.last_seq)
      from conversations c
     where c.id = member.conversation_id and member.conversation_id = ${conversationId}
       and member.user_id = ${userId} and member.last_read_seq < least(${upToSeq}::int, c.last_seq)
    returning c.last_seq as "lastSeq", member.last_read_seq as "lastReadSeq"`,
  )
  return row
}

// --- changes: each one first locks the row of the conversation, as sends do

/** Nobody else changes the conversation or its members, or sends, until the transaction ends. */
export async function lockConversation(tx: Executor, conversationId: number): Promise<void> {
  await tx.execute(sql`select from conversations where id = ${conversationId} for no key update`)
}

/**
 * Locks the rows of many conversations as sends do, in the order of their ids, but never waits: returns the versions of
 * those that nobody else has locked.
 */
export async function tryLockConversations(tx: Executor, ids: number[]): Promise<Map<number, number>> {
  const rows = await query<{ id: number; version: number }>(
    tx,
    { id: 'integer', version: 'integer' },
    sql`select id, version from conversations where ${isAnyOf(sql`id`, ids)} order by id for no key update skip locked`,
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/**
 * Gives the conversation its next version, which locks it until the transaction ends: what is read after this contains
 * every earlier change. `members`: the members or the name change.
 */
export async function takeVersion(
  tx: Executor,
  conversationId: number,
  change: 'message' | 'members',
): Promise<number> {
  const next = sql`${conversations.version} + 1`
  const [row] = await tx
    .update(conversations)
    .set(change === 'members' ? { version: next, membersVersion: next } : { version: next })
    .where(eq(conversations.id, conversationId))
    .returning({ version: conversations.version })
  return row?.version ?? 0
}

export async function insertDirectConversation(db: Executor, userIds: [number, number]): Promise<number> {
  const conversationId = only(
    await db.insert(conversations).values({ isGroup: false }).returning({ id: conversations.id }),
  ).id
  await db.insert(conversationMembers).values(userIds.map((userId) => ({ conversationId, userId })))
  return conversationId
}

/** Updates who may send in a direct conversation, after its connection or a block has changed. */
export async function updateCanSend(tx: Executor, conversationId: number): Promise<void> {
  await lockConversation(tx, conversationId)
  await tx.execute(sql`
    update conversation_members member
       set can_send = connection.status = 'accepted'
             and not ${areBlocked(sql`connection.requester_id`, sql`connection.recipient_id`)}
      from connections connection
     where connection.conversation_id = ${conversationId} and member.conversation_id = ${conversationId}`)
}
