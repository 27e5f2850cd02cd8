import { and, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { isAnyOf, query } from '../../../db/query.ts'
import { conversationMembers } from '../../../db/tables/chat.ts'

export interface VersionRow {
  version: number
  membersVersion: number
  /** Those of the given people who are members at that version. */
  memberIds: number[]
}

export interface VersionQuery {
  conversationId: number
  userIds: number[]
}

/** The version of each conversation, and which of the given people are in it; undefined for a deleted conversation. */
export async function listVersions(db: Executor, asked: VersionQuery[]): Promise<(VersionRow | undefined)[]> {
  const rows = await query<VersionRow & { ord: number }>(
    db,
    sql`
    select asked.ord::int, c.version, c.members_version as "membersVersion",
           array(select user_id from conversation_members
                  where conversation_id = c.id and user_id = any(asked.user_ids::int[])) as "memberIds"
      from unnest(${sql.param(asked.map(({ conversationId }) => conversationId))}::int[],
                  ${sql.param(asked.map(({ userIds }) => `{${userIds.join()}}`))}::text[])
             with ordinality as asked(conversation_id, user_ids, ord)
      join conversations c on c.id = asked.conversation_id`,
  )
  const versions: (VersionRow | undefined)[] = asked.map(() => undefined)
  for (const { ord, ...row } of rows) versions[ord - 1] = row
  return versions
}

export interface Membership {
  userId: number
  id: number
  version: number
  lastSeq: number
  lastReadSeq: number
}

/** The conversations that these people are in, with their versions and read pointers. */
export async function listMemberships(db: Executor, userIds: number[]): Promise<Membership[]> {
  return query<Membership>(
    db,
    sql`
    select member.user_id as "userId", c.id, c.version, c.last_seq as "lastSeq", member.last_read_seq as "lastReadSeq"
      from conversation_members member join conversations c on c.id = member.conversation_id
     where ${isAnyOf(sql`member.user_id`, userIds)}`,
  )
}

/** The conversations that these people have joined within the last seconds. */
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
        isAnyOf(conversationMembers.userId, userIds),
      ),
    )
}

/** Those of these conversations whose version is newer than the known one, with the newer version. */
export async function listNewerVersions(
  db: Executor,
  known: { id: number; version: number }[],
): Promise<{ id: number; version: number }[]> {
  return query<{ id: number; version: number }>(
    db,
    sql`
    select c.id, c.version
      from unnest(${sql.param(known.map(({ id }) => id))}::int[], ${sql.param(known.map(({ version }) => version))}::int[])
           as known(id, version)
      join conversations c on c.id = known.id and c.version > known.version`,
  )
}

export interface CountersRow {
  userId: number
  unread: number
  requests: number
  /** Unread messages of the given conversation; null without one, or if the person is not in it. */
  conversationUnread: number | null
}

/**
 * The counters of many people, computed from the read pointers; where a conversation is named, with its unread
 * messages too.
 */
export async function listCounters(
  db: Executor,
  asked: { userId: number; conversationId: number | undefined }[],
): Promise<CountersRow[]> {
  return query<CountersRow>(
    db,
    sql`
    select person.id as "userId", coalesce(totals.unread, 0) as unread, totals."conversationUnread",
           (select count(*)::int from connections
             where recipient_id = person.id and status = 'pending') as requests
      from unnest(${sql.param(asked.map(({ userId }) => userId))}::int[],
                  ${sql.param(asked.map(({ conversationId }) => conversationId ?? null))}::int[])
           as person(id, conversation_id)
      left join lateral (
        select sum(c.last_seq - member.last_read_seq)::int as unread,
               (sum(c.last_seq - member.last_read_seq) filter (where c.id = person.conversation_id))::int
                 as "conversationUnread"
          from conversation_members member join conversations c on c.id = member.conversation_id
         where member.user_id = person.id
      ) totals on true`,
  )
}
