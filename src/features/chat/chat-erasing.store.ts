import { eq, type SQL, sql } from 'drizzle-orm'
import type { StoredReaction } from '../../bus/events.ts'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { messages } from '../../db/tables/chat.tables.ts'
import { GHOST_ID, isPerson } from '../../db/tables/users.tables.ts'
import { tryLockConversations } from './conversations/conversations.store.ts'
import { updateReactions } from './messages/reactions.store.ts'

export interface LeftRow {
  id: number
  version: number
}

/** Whether anybody but this person and the ghost is in the conversation `c`. */
function isShared(userId: number): SQL {
  return sql`exists (select from conversation_members other
                      where other.conversation_id = c.id and other.user_id <> ${userId} and ${isPerson(sql`other.user_id`)})`
}

/** Locks the conversations that this person shares with others, in the order of their ids, as sends do. */
export async function lockShared(tx: Executor, userId: number, limit: number): Promise<number[]> {
  const rows = await query<{ id: number }>(
    tx,
    { id: 'integer' },
    sql`
    select id from conversations c
     where id in (select conversation_id from conversation_members where user_id = ${userId}) and ${isShared(userId)}
     order by id limit ${limit} for no key update`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Takes this person out of these groups, and puts the ghost into their place in direct conversations. Conversations
 * that the others have left meanwhile stay as they are. Answers the changed ones with their new versions.
 */
export async function leaveConversations(
  tx: Executor,
  userId: number,
  lockedIds: number[],
): Promise<LeftRow[]> {
  const left = await query<LeftRow>(
    tx,
    { id: 'integer', version: 'integer' },
    sql`
    update conversations c set version = version + 1, members_version = version + 1
     where ${isAnyOf(sql`id`, lockedIds)} and ${isShared(userId)}
    returning c.id, c.version`,
  )
  const ids = left.map(({ id }) => id)
  await tx.execute(sql`
    update conversation_members member
       set can_send = false,
           muted_until = case user_id when ${userId} then null else muted_until end,
           archived_seq = case user_id when ${userId} then null else archived_seq end,
           pinned = pinned and user_id <> ${userId},
           user_id = case user_id when ${userId} then ${GHOST_ID} else user_id end
      from conversations c
     where ${isAnyOf(sql`member.conversation_id`, ids)} and c.id = member.conversation_id and not c.is_group`)
  await tx.execute(sql`
    delete from conversation_members where user_id = ${userId} and ${isAnyOf(sql`conversation_id`, ids)}`)
  return left
}

const MESSAGE = rowOf(messages, ['id', 'conversationId'])

/**
 * Makes the ghost the sender of this person's messages and answers how many there were. `client_id` is removed, because
 * two people may have used the same one.
 */
export async function disownMessages(tx: Executor, userId: number, limit: number): Promise<number> {
  const theirs = await tx
    .select({ id: messages.id, conversationId: messages.conversationId })
    .from(messages)
    .where(eq(messages.senderId, userId))
    .limit(limit)
  if (theirs.length === 0) return 0
  const ids = theirs.map(({ id }) => id)
  await tx.update(messages).set({ senderId: GHOST_ID, clientId: null }).where(isAnyOf(messages.id, ids))
  await tx.execute(sql`
    update message_words set words = ts_delete(words, message_words.conversation_id || ':@' || ${userId}::int)
      from ${MESSAGE.given(theirs, 'theirs')}
     where message_words.conversation_id = theirs.conversation_id and message_words.message_id = theirs.id`)
  await tx.execute(sql`
    update messages reply set reply_to_name = ghost.full_name
      from users ghost, ${MESSAGE.given(theirs, 'theirs')}
     where ghost.id = ${GHOST_ID} and reply.reply_to_id = theirs.id
       and reply.conversation_id = theirs.conversation_id`)
  return theirs.length
}

/**
 * Removes this person's reactions, each a change of its message. Conversations that somebody else has locked are left
 * for the next time.
 */
export async function removeReactions(
  tx: Executor,
  userId: number,
  limit: number,
): Promise<{ changed: LeftRow[]; count: number; hasMore: boolean }> {
  const theirs = await query<Row<typeof MESSAGE>>(
    tx,
    MESSAGE.check,
    sql`
    select ${MESSAGE.columns()} from messages
     where reactions @> ${JSON.stringify([{ user_ids: [userId] }])}::jsonb limit ${limit}`,
  )
  if (theirs.length === 0) return { changed: [], count: 0, hasMore: false }
  const versions = await tryLockConversations(tx, [
    ...new Set(theirs.map(({ conversationId }) => conversationId)),
  ])
  const locked = theirs.filter(({ conversationId }) => versions.has(conversationId))
  // Read after the lock.
  const rows = await query<Row<typeof MESSAGE> & { reactions: StoredReaction[] }>(
    tx,
    { ...MESSAGE.check, reactions: 'jsonb' },
    sql`
    select ${MESSAGE.columns()}, reactions from messages
     where reactions is not null and ${isAnyOf(
       sql`id`,
       locked.map(({ id }) => id),
     )} order by version`,
  )
  const changed = rows.map(({ id, conversationId, reactions }) => {
    const version = (versions.get(conversationId) ?? 0) + 1
    versions.set(conversationId, version)
    const others = reactions.map(({ emoji, user_ids }) => ({
      emoji,
      user_ids: user_ids.filter((each) => each !== userId),
    }))
    return { id, version, reactions: others.filter(({ user_ids }) => user_ids.length > 0) }
  })
  await updateReactions(tx, changed, versions)
  return {
    changed: [...versions].map(([id, version]) => ({ id, version })),
    count: rows.length,
    hasMore: locked.length < theirs.length,
  }
}

/** Deletes the conversations that nobody else is in, their messages first; answers how many rows. */
export async function deleteAbandoned(tx: Executor, userId: number, limit: number): Promise<number> {
  const abandoned = await query<{ id: number }>(
    tx,
    { id: 'integer' },
    sql`
    select id from conversations c
     where id in (select conversation_id from conversation_members where user_id = ${userId}) and not ${isShared(userId)}
     order by id limit ${limit} for update`,
  )
  if (abandoned.length === 0) return 0
  const ids = abandoned.map(({ id }) => id)
  const gone = await tx.execute(sql`
    with gone as (
      delete from messages where ctid = any(array(
        select ctid from messages where ${isAnyOf(sql`conversation_id`, ids)} limit ${limit}))
      returning id, conversation_id
    ), words as (
      delete from message_words using gone
       where message_words.conversation_id = gone.conversation_id and message_words.message_id = gone.id
    )
    select from gone`)
  if (gone.count >= limit) return limit
  await tx.execute(sql`delete from conversations where ${isAnyOf(sql`id`, ids)}`)
  return Math.min(limit, gone.count + abandoned.length)
}

/** Answers how many connections were deleted, and who had a pending request of this person. */
export async function deleteConnectionsOf(
  tx: Executor,
  userId: number,
  limit: number,
): Promise<{ count: number; asked: number[] }> {
  const rows = await query<{ recipientId: number; status: string }>(
    tx,
    { recipientId: 'integer', status: 'text' },
    sql`
    delete from connections where id = any(array(
      select id from connections where ${userId} in (requester_id, recipient_id) limit ${limit}))
    returning recipient_id as "recipientId", status`,
  )
  const pending = rows.filter(({ recipientId, status }) => status === 'pending' && recipientId !== userId)
  return { count: rows.length, asked: pending.map(({ recipientId }) => recipientId) }
}
