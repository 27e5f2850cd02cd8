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
  await tx.execute(
    sql`update messages set sender_id = ${GHOST_ID}, client_id = null where sender_id = ${userId}`,
  )
}
