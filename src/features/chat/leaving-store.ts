import { eq, or, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { connections } from '../../db/tables/chat.ts'
import { GHOST_ID } from '../../db/tables/users.ts'

/** Keeps everybody else from changing these conversations, in the order in which sends lock them. */
export async function lockConversationsOf(tx: Executor, userId: number): Promise<void> {
  await tx.execute(sql`
    select id from conversations
     where id in (select conversation_id from conversation_members where user_id = ${userId})
     order by id for no key update`)
}

/** Without their `client_id`, which is unique per sender only. */
export async function anonymiseMessages(tx: Executor, userId: number): Promise<void> {
  await tx.execute(sql`
    with theirs as (
      update messages set sender_id = ${GHOST_ID}, client_id = null
       where sender_id = ${userId} returning id, conversation_id
    )
    update messages reply set reply_to_name = ghost.full_name
      from users ghost
     where ghost.id = ${GHOST_ID} and reply.sender_id <> ${userId}
       and reply.conversation_id in (select conversation_id from theirs)
       and reply.reply_to_id in (select id from theirs)`)
}

/** The ghost takes a person's place; a conversation that is then between ghosts goes. */
export async function replaceInDirectConversations(tx: Executor, userId: number): Promise<void> {
  await tx.execute(sql`
    delete from conversations c using conversation_members theirs, conversation_members ghost
     where not c.is_group and theirs.conversation_id = c.id and theirs.user_id = ${userId}
       and ghost.conversation_id = c.id and ghost.user_id = ${GHOST_ID}`)
  await tx.execute(sql`
    update conversation_members member
       set can_send = false,
           user_id = case when member.user_id = ${userId} then ${GHOST_ID}::int else member.user_id end
      from conversations c join conversation_members theirs on theirs.conversation_id = c.id
     where c.id = member.conversation_id and not c.is_group and theirs.user_id = ${userId}`)
}

/** A member removed is a change of the group. */
export async function leaveGroups(tx: Executor, userId: number): Promise<void> {
  await tx.execute(sql`
    with gone as (delete from conversation_members where user_id = ${userId} returning conversation_id)
    update conversations set version = version + 1 where id in (select conversation_id from gone)`)
}

/** Answers who had a pending request of theirs. */
export async function deleteConnectionsOf(tx: Executor, userId: number): Promise<number[]> {
  const rows = await tx
    .delete(connections)
    .where(or(eq(connections.requesterId, userId), eq(connections.recipientId, userId)))
    .returning({ recipientId: connections.recipientId, status: connections.status })
  return rows
    .filter(({ recipientId, status }) => status === 'pending' && recipientId !== userId)
    .map(({ recipientId }) => recipientId)
}
