import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { GHOST_ID } from '../../db/tables/users.ts'

export interface LeftRow {
  id: number
  version: number
}

/** Locks every conversation of this person, in the order of their ids as sends do, and takes a version of each. */
export async function takeVersionsOfAll(tx: Executor, userId: number): Promise<LeftRow[]> {
  return tx.execute<{ id: number; version: number }>(sql`
    with locked as materialized (
      select id from conversations
       where id in (select conversation_id from conversation_members where user_id = ${userId})
       order by id for no key update
    )
    update conversations c set version = version + 1, members_version = version + 1
      from locked where c.id = locked.id
    returning c.id, c.version`)
}

/** Direct conversations that the ghost is in already have nobody left: they go. In the others it takes this person's place. */
export async function replaceByGhost(tx: Executor, userId: number): Promise<void> {
  await tx.execute(sql`
    delete from conversations c
     where not is_group
       and exists (select from conversation_members where conversation_id = c.id and user_id = ${userId})
       and exists (select from conversation_members where conversation_id = c.id and user_id = ${GHOST_ID})`)
  await tx.execute(sql`
    update conversation_members member
       set can_send = false,
           user_id = case user_id when ${userId} then ${GHOST_ID} else user_id end
     where conversation_id in (
       select mine.conversation_id from conversation_members mine join conversations c on c.id = mine.conversation_id
        where mine.user_id = ${userId} and not c.is_group)`)
}

/** Out of the groups; one without anybody left goes, too. */
export async function deleteMemberships(tx: Executor, userId: number): Promise<void> {
  await tx.execute(sql`
    delete from conversations c
     where is_group
       and exists (select from conversation_members where conversation_id = c.id and user_id = ${userId})
       and not exists (select from conversation_members where conversation_id = c.id and user_id <> ${userId})`)
  await tx.execute(sql`delete from conversation_members where user_id = ${userId}`)
}

/** The ghost keeps no `client_id`: two people's could be the same. */
export async function disownMessages(tx: Executor, userId: number): Promise<void> {
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

/** Answers who had a pending request of theirs. */
export async function deleteConnectionsOf(tx: Executor, userId: number): Promise<number[]> {
  const rows = await tx.execute<{ recipient_id: number; status: string }>(sql`
    delete from connections where ${userId} in (requester_id, recipient_id) returning recipient_id, status`)
  return rows
    .filter(({ recipient_id, status }) => status === 'pending' && recipient_id !== userId)
    .map(({ recipient_id }) => recipient_id)
}
