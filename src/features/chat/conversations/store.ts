import { and, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import { conversationMembers, conversations } from '../../../db/tables/chat.ts'
import { isPerson } from '../../../db/tables/people/users.ts'
import { areBlocked } from '../people/store.ts'

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
  /** Everybody else in it whose presence the reader may see. */
  visibleIds: number[]
  lastMessage: string | null
  lastMessageAt: Date | null
}

/** The conversations of these people, latest activity first; with `conversationIds` only those of them. */
export async function listConversations(
  db: Executor,
  userIds: number[],
  conversationIds?: number[],
): Promise<ConversationRow[]> {
  const rows = await query<Omit<ConversationRow, 'lastMessageAt'> & { lastMessageAt: string | null }>(
    db,
    sql`
    select mine.user_id as "readerId", c.id, coalesce(c.name, other.full_name, 'Conversation') as name,
           c.is_group as "isGroup", other.user_id as "userId", connection.id as "connectionId",
           (select count(*)::int from conversation_members where conversation_id = c.id) as "memberCount",
           c.last_seq as "lastSeq", mine.last_read_seq as "lastReadSeq", c.version, mine.can_send as "canSend",
           array(select them.user_id from conversation_members them
                  where them.conversation_id = c.id and them.user_id <> mine.user_id and ${isPerson(sql`them.user_id`)}
                    and not ${areBlocked(sql`mine.user_id`, sql`them.user_id`)}) as "visibleIds",
           newest.message as "lastMessage", newest.created_at as "lastMessageAt"
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
       ${conversationIds === undefined ? sql`` : sql`and ${isAnyOf(sql`c.id`, conversationIds)}`}
     order by c.last_activity_at desc, c.id desc`,
  )
  return rows.map((row) => ({
    ...row,
    lastMessageAt: row.lastMessageAt === null ? null : new Date(row.lastMessageAt),
  }))
}

export interface MemberRow {
  id: number
  username: string
  fullName: string
  lastReadSeq: number
  /** Whether the reader may see this member's presence. */
  isVisible: boolean
}

/** In the order in which they joined, so a group's owner is the first. */
export async function listMembers(
  db: Executor,
  conversationId: number,
  readerId: number,
): Promise<MemberRow[]> {
  return query<MemberRow>(
    db,
    sql`
    select person.id, person.username, person.full_name as "fullName", member.last_read_seq as "lastReadSeq",
           ${isPerson(sql`person.id`)} and not ${areBlocked(sql`${readerId}`, sql`person.id`)} as "isVisible"
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
    sql`
    select member.user_id as "userId" from conversation_members member
     where member.conversation_id = ${conversationId}
       and member.user_id in (select blocked_id from blocks where blocker_id = ${userId}
                              union all select blocker_id from blocks where blocked_id = ${userId})`,
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

/** Moves a read pointer forward, never back; undefined if there was nothing to move. */
export async function advancePointer(
  db: Executor,
  conversationId: number,
  userId: number,
  upToSeq: number,
): Promise<{ lastSeq: number; lastReadSeq: number } | undefined> {
  const [row] = await query<{ lastSeq: number; lastReadSeq: number }>(
    db,
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
             and not exists (select from blocks where blocked_id = member.user_id and blocker_id =
                   case member.user_id when connection.requester_id then connection.recipient_id
                                       else connection.requester_id end)
      from connections connection
     where connection.conversation_id = ${conversationId} and member.conversation_id = ${conversationId}`)
}
