import { and, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { conversationMembers, conversations } from '../../db/tables/chat.ts'

export async function insertGroup(tx: Executor, name: string): Promise<number> {
  const [row] = await tx
    .insert(conversations)
    .values({ isGroup: true, name })
    .returning({ id: conversations.id })
  return (row as { id: number }).id
}

export async function updateName(tx: Executor, conversationId: number, name: string): Promise<void> {
  await tx.update(conversations).set({ name }).where(eq(conversations.id, conversationId))
}

/** Adds those who are not in it yet, with everything read; in this order they grow old in it. Answers who was added. */
export async function insertMembers(
  tx: Executor,
  conversationId: number,
  userIds: number[],
): Promise<number[]> {
  const rows = await tx.execute<{ user_id: number }>(sql`
    insert into conversation_members (conversation_id, user_id, last_read_seq, joined_at)
    select c.id, person.id, c.last_seq,
           greatest(date_trunc('milliseconds', clock_timestamp()),
                    (select max(joined_at) from conversation_members where conversation_id = c.id)
                      + interval '1 ms')
             + (person.ord - 1) * interval '1 ms'
      from conversations c, unnest(${sql.param(userIds)}::int[]) with ordinality as person(id, ord)
     where c.id = ${conversationId}
    on conflict do nothing
    returning user_id`)
  return rows.map(({ user_id }) => user_id)
}

/** False if they were not in it. */
export async function deleteMember(tx: Executor, conversationId: number, userId: number): Promise<boolean> {
  const gone = await tx
    .delete(conversationMembers)
    .where(
      and(eq(conversationMembers.conversationId, conversationId), eq(conversationMembers.userId, userId)),
    )
    .returning({ userId: conversationMembers.userId })
  return gone.length > 0
}

/** Nobody can come back to a group that nobody is in. */
export async function deleteEmptyGroup(db: Executor, conversationId: number): Promise<void> {
  await db.execute(sql`
    delete from conversations c
     where id = ${conversationId} and is_group
       and not exists (select from conversation_members where conversation_id = c.id)`)
}

/** The members of a group, longest-standing first: nobody for what is no group. */
export async function listGroupMemberIds(db: Executor, conversationId: number): Promise<number[]> {
  const rows = await db
    .select({ userId: conversationMembers.userId })
    .from(conversationMembers)
    .innerJoin(conversations, eq(conversations.id, conversationMembers.conversationId))
    .where(and(eq(conversations.id, conversationId), eq(conversations.isGroup, true)))
    .orderBy(conversationMembers.joinedAt, conversationMembers.userId)
  return rows.map(({ userId }) => userId)
}
