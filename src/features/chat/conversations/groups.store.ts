import { and, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { only, query } from '../../../db/query.ts'
import { conversationMembers, conversations } from '../../../db/tables/chat.tables.ts'

export async function countGroupsMade(db: Executor, creatorId: number): Promise<number> {
  return db.$count(conversations, eq(conversations.creatorId, creatorId))
}

/**
 * Counts for each of these people that somebody has added them to a group on this day. Answers the people who have
 * reached `limit` already.
 */
export async function countAdditions(
  tx: Executor,
  userIds: number[],
  { now, timezone, limit }: { now: Date; timezone: string; limit: number },
): Promise<number[]> {
  const rows = await query<{ userId: number }>(
    tx,
    { userId: 'integer' },
    sql`
    insert into group_additions as known (user_id, day, count)
    select id, (${now.toISOString()}::timestamptz at time zone ${timezone})::date, 1
      from unnest(${sql.param(userIds)}::int[]) as t(id) order by id
    on conflict (user_id) do update
      set day = excluded.day, count = case when known.day = excluded.day then known.count + 1 else 1 end
      where known.day <> excluded.day or known.count < ${limit}
    returning user_id as "userId"`,
  )
  const counted = new Set(rows.map(({ userId }) => userId))
  return userIds.filter((id) => !counted.has(id))
}

export async function insertGroup(tx: Executor, name: string, creatorId: number | null): Promise<number> {
  return only(
    await tx
      .insert(conversations)
      .values({ isGroup: true, name, creatorId })
      .returning({ id: conversations.id }),
  ).id
}

export async function updateName(tx: Executor, conversationId: number, name: string): Promise<void> {
  await tx.update(conversations).set({ name }).where(eq(conversations.id, conversationId))
}

/**
 * Adds the people who are not members yet and answers who was added. They join in the order of `userIds`, with all
 * earlier messages read.
 */
export async function insertMembers(
  tx: Executor,
  conversationId: number,
  userIds: number[],
): Promise<number[]> {
  const rows = await query<{ userId: number }>(
    tx,
    { userId: 'integer' },
    sql`
    insert into conversation_members (conversation_id, user_id, last_read_seq, joined_at)
    select c.id, person.id, c.last_seq,
           greatest(date_trunc('milliseconds', clock_timestamp()),
                    (select max(joined_at) from conversation_members where conversation_id = c.id)
                      + interval '1 ms')
             + (person.ord - 1) * interval '1 ms'
      from conversations c, unnest(${sql.param(userIds)}::int[]) with ordinality as person(id, ord)
     where c.id = ${conversationId}
    on conflict do nothing
    returning user_id as "userId"`,
  )
  return rows.map(({ userId }) => userId)
}

/** False if this person was not a member. */
export async function deleteMember(tx: Executor, conversationId: number, userId: number): Promise<boolean> {
  const gone = await tx
    .delete(conversationMembers)
    .where(
      and(eq(conversationMembers.conversationId, conversationId), eq(conversationMembers.userId, userId)),
    )
    .returning({ userId: conversationMembers.userId })
  return gone.length > 0
}

/** The teachers of the class that a group is of; undefined if it is of none. */
export async function findTeachersOf(db: Executor, conversationId: number): Promise<number[] | undefined> {
  const [row] = await query<{ teachers: number[] }>(
    db,
    { teachers: 'integer[]' },
    sql`
    select array(select user_id from class_members
                  where class_id = classes.id and role = 'teacher' and left_at is null) as teachers
      from classes where conversation_id = ${conversationId}`,
  )
  return row?.teachers
}

/** Nobody can return to a group without members. */
export async function deleteEmptyGroup(db: Executor, conversationId: number): Promise<void> {
  await db.execute(sql`
    delete from conversations c
     where id = ${conversationId} and is_group
       and not exists (select from conversation_members where conversation_id = c.id)`)
}

/** The members of a group, longest-standing first; nobody if it is not a group. */
export async function listGroupMemberIds(db: Executor, conversationId: number): Promise<number[]> {
  const rows = await db
    .select({ userId: conversationMembers.userId })
    .from(conversationMembers)
    .innerJoin(conversations, eq(conversations.id, conversationMembers.conversationId))
    .where(and(eq(conversations.id, conversationId), eq(conversations.isGroup, true)))
    .orderBy(conversationMembers.joinedAt, conversationMembers.userId)
  return rows.map(({ userId }) => userId)
}
