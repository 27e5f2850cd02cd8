import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { conversationMembers, conversations } from '../../db/tables/chat.ts'

/** Blocked by the one or by the other: neither sees the other's presence. */
export function areBlocked(one: SQL, other: SQL): SQL {
  return sql`exists (
    select from blocks where (blocker_id = ${one} and blocked_id = ${other})
                          or (blocker_id = ${other} and blocked_id = ${one}))`
}

export interface ConversationRow {
  /** Whose view of it this is. */
  reader_id: number
  id: number
  name: string
  is_group: boolean
  user_id: number | null
  conn_id: number | null
  member_count: number
  last_seq: number
  last_read_seq: number
  version: number
  can_send: boolean
  /** Everybody else in it whose presence the reader may see. */
  visible_ids: number[]
  last_message: string | null
  last_message_at: Date | null
}

/** The conversations of these people, or one of them, latest activity first: index look-ups only, whatever the history. */
export async function listConversations(
  db: Executor,
  userIds: number[],
  conversationId?: number,
): Promise<ConversationRow[]> {
  const rows = await db.execute<
    Omit<ConversationRow, 'last_message_at'> & { last_message_at: string | null; [column: string]: unknown }
  >(sql`
    select mine.user_id as reader_id, c.id, coalesce(c.name, other.full_name, 'Conversation') as name, c.is_group,
           other.user_id, connection.id as conn_id,
           (select count(*)::int from conversation_members where conversation_id = c.id) as member_count,
           c.last_seq, mine.last_read_seq, c.version, mine.can_send,
           array(select them.user_id from conversation_members them
                  where them.conversation_id = c.id and them.user_id <> mine.user_id and them.user_id > 0
                    and not ${areBlocked(sql`mine.user_id`, sql`them.user_id`)}) as visible_ids,
           newest.message as last_message, newest.created_at as last_message_at
      from conversation_members mine
      join conversations c on c.id = mine.conversation_id
      left join lateral (
        select them.user_id, person.full_name
          from conversation_members them join users person on person.id = them.user_id
         where not c.is_group and them.conversation_id = c.id and them.user_id <> mine.user_id
      ) other on true
      left join connections connection on connection.conversation_id = c.id
      left join messages newest on newest.conversation_id = c.id and newest.seq = c.last_seq
     where mine.user_id = any(${sql.param(userIds)})
       ${conversationId === undefined ? sql`` : sql`and c.id = ${conversationId}`}
     order by c.last_activity_at desc, c.id desc`)
  return rows.map((row) => ({
    ...row,
    last_message_at: row.last_message_at ? new Date(row.last_message_at) : null,
  }))
}

export interface MemberRow {
  id: number
  username: string
  full_name: string
  last_read_seq: number
  /** Whether the reader may see this member's presence. */
  visible: boolean
}

/** Longest-standing first, so a group's owner is the first. */
export async function listMembers(
  db: Executor,
  conversationId: number,
  readerId: number,
): Promise<MemberRow[]> {
  return db.execute<MemberRow & { [column: string]: unknown }>(sql`
    select person.id, person.username, person.full_name, member.last_read_seq,
           person.id > 0 and not ${areBlocked(sql`${readerId}`, sql`person.id`)} as visible
      from conversation_members member join users person on person.id = member.user_id
     where member.conversation_id = ${conversationId}
     order by member.joined_at, member.user_id`)
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

export interface StandingRow {
  version: number
  membersVersion: number
  /** Those of the people asked about who are members as of that version. */
  memberIds: number[]
}

/** Where a conversation stands, and which of these people are in it; undefined for one that is gone. */
export async function findStanding(
  db: Executor,
  conversationId: number,
  userIds: number[],
): Promise<StandingRow | undefined> {
  const [row] = await db.execute<{ version: number; members_version: number; member_ids: number[] }>(sql`
    select version, members_version,
           array(select user_id from conversation_members
                  where conversation_id = c.id and user_id = any(${sql.param(userIds)})) as member_ids
      from conversations c where id = ${conversationId}`)
  return row && { version: row.version, membersVersion: row.members_version, memberIds: row.member_ids }
}

/** The conversations that these people are in and their versions. */
export async function listMemberships(
  db: Executor,
  userIds: number[],
): Promise<{ userId: number; id: number; version: number }[]> {
  return db
    .select({ userId: conversationMembers.userId, id: conversations.id, version: conversations.version })
    .from(conversationMembers)
    .innerJoin(conversations, eq(conversations.id, conversationMembers.conversationId))
    .where(sql`${conversationMembers.userId} = any(${sql.param(userIds)})`)
}

/** The conversations that these people came to lately. */
export async function listNewMemberships(
  db: Executor,
  userIds: number[],
  withinSeconds: number,
): Promise<{ userId: number; conversationId: number }[]> {
  return db
    .select({ userId: conversationMembers.userId, conversationId: conversationMembers.conversationId })
    .from(conversationMembers)
    .where(
      and(
        sql`${conversationMembers.joinedAt} > now() - make_interval(secs => ${withinSeconds})`,
        sql`${conversationMembers.userId} = any(${sql.param(userIds)})`,
      ),
    )
}

export async function listVersions(
  db: Executor,
  conversationIds: number[],
): Promise<{ id: number; version: number }[]> {
  return db
    .select({ id: conversations.id, version: conversations.version })
    .from(conversations)
    .where(sql`${conversations.id} = any(${sql.param(conversationIds)})`)
}

/** Moves a read pointer forward, never back; undefined if there was nothing to move. */
export async function advancePointer(
  db: Executor,
  conversationId: number,
  userId: number,
  upToSeq: number,
): Promise<{ lastSeq: number; lastReadSeq: number } | undefined> {
  const [row] = await db.execute<{ last_seq: number; last_read_seq: number }>(sql`
    update conversation_members member set last_read_seq = least(${upToSeq}::int, c.last_seq)
      from conversations c
     where c.id = member.conversation_id and member.conversation_id = ${conversationId}
       and member.user_id = ${userId} and member.last_read_seq < least(${upToSeq}::int, c.last_seq)
    returning c.last_seq, member.last_read_seq`)
  return row && { lastSeq: row.last_seq, lastReadSeq: row.last_read_seq }
}

export interface CountersRow {
  user_id: number
  unread: number
  requests: number
  /** Of the conversation asked about; null where none was, or where they are not in it. */
  conversation_unread: number | null
}

/** The counters of many people at once, each with one conversation's own if asked for, from the pointers alone. */
export async function listCounters(
  db: Executor,
  asked: { userId: number; conversationId: number | undefined }[],
): Promise<CountersRow[]> {
  return db.execute<CountersRow & { [column: string]: unknown }>(sql`
    select person.id as user_id, coalesce(totals.unread, 0) as unread, totals.conversation_unread,
           (select count(*)::int from connections
             where recipient_id = person.id and status = 'pending') as requests
      from unnest(${sql.param(asked.map(({ userId }) => userId))}::int[],
                  ${sql.param(asked.map(({ conversationId }) => conversationId ?? null))}::int[])
           as person(id, conversation_id)
      left join lateral (
        select sum(c.last_seq - member.last_read_seq)::int as unread,
               (sum(c.last_seq - member.last_read_seq) filter (where c.id = person.conversation_id))::int
                 as conversation_unread
          from conversation_members member join conversations c on c.id = member.conversation_id
         where member.user_id = person.id
      ) totals on true`)
}

// --- changes of the conversation itself: whoever changes it or its members locks its row first, as sends do

/** Nobody else changes the conversation or its members, or sends, until the transaction ends. */
export async function lockConversation(tx: Executor, conversationId: number): Promise<void> {
  await tx.execute(sql`select from conversations where id = ${conversationId} for no key update`)
}

/**
 * The next version of a conversation, which stays locked until the transaction ends: what is read after this
 * is what every earlier change left. `members`: the change is of its members or its name.
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
  const [row] = await db.insert(conversations).values({ isGroup: false }).returning({ id: conversations.id })
  const conversationId = (row as { id: number }).id
  await db.insert(conversationMembers).values(userIds.map((userId) => ({ conversationId, userId })))
  return conversationId
}

/**
 * Lets the people of a direct conversation send as far as their connection and their blocks allow:
 * called after any of these changed.
 */
export async function updateCanSend(tx: Executor, conversationId: number): Promise<void> {
  await lockConversation(tx, conversationId)
  await tx.execute(sql`
    update conversation_members member
       set can_send = connection.status = 'accepted'
             and not exists (select from blocks where blocked_id = member.user_id and blocker_id =
                   case member.user_id when connection.requester_id then connection.recipient_id
                                       else connection.requester_id end)
      from connections connection
     where connection.conversation_id = ${conversationId} and member.conversation_id = ${conversationId}`)
}
