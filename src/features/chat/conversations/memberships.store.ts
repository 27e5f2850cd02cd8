import { sql } from 'drizzle-orm'
import type { Db, Executor, Pool } from '../../../db/database-client.ts'
import { isAnyOf, only, query, statement, unseen } from '../../../db/query.ts'
import { type Row, rowOf } from '../../../db/rows.ts'
import {
  conversationMembers,
  conversations,
  countMentions,
  isArchived,
  isMuted,
} from '../../../db/tables/chat.tables.ts'
import { isHelpLocked } from '../../help-lock/help-lock.sql.ts'
import { type ConversationSettingsRow, SETTINGS } from './conversations.store.ts'

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

const selectVersions = statement<
  { conversationIds: number[]; userIds: string[] },
  VersionRow & { ord: number }
>(
  { ord: 'integer', version: 'integer', membersVersion: 'integer', memberIds: 'integer[]' },
  ({ conversationIds, userIds }) => sql`
    select asked.ord::int, c.version, c.members_version as "membersVersion",
           array(select user_id from conversation_members
                  where conversation_id = c.id and user_id = any(asked.user_ids::int[])) as "memberIds"
      from unnest(${unseen(conversationIds)}, ${unseen(userIds, 'text[]')})
             with ordinality as asked(conversation_id, user_ids, ord)
      join conversations c on c.id = asked.conversation_id`,
)

/** The version of each conversation, and which of the given people are in it; undefined for a deleted conversation. */
export async function listVersions(db: Pool, asked: VersionQuery[]): Promise<(VersionRow | undefined)[]> {
  const rows = await selectVersions(db, {
    conversationIds: asked.map(({ conversationId }) => conversationId),
    userIds: asked.map(({ userIds }) => `{${userIds.join()}}`),
  })
  const versions: (VersionRow | undefined)[] = asked.map(() => undefined)
  for (const { ord, ...row } of rows) versions[ord - 1] = row
  return versions
}

const MEMBER = rowOf(conversationMembers, ['userId', 'lastReadSeq'])
const CONVERSATION = rowOf(conversations, ['id', 'version', 'lastSeq'])

export type Membership = Row<typeof MEMBER> &
  Row<typeof CONVERSATION> & { settings: ConversationSettingsRow; unreadMentions: number }

/** The conversations that these people are in, with their versions, read pointers and settings. */
export async function listMemberships(db: Executor, userIds: number[]): Promise<Membership[]> {
  return query<Membership>(
    db,
    { ...MEMBER.check, ...CONVERSATION.check, settings: 'jsonb', unreadMentions: 'integer' },
    sql`
    select ${MEMBER.columns('member')}, ${CONVERSATION.columns('c')}, ${SETTINGS} as settings,
           ${countMentions(sql`member`)} as "unreadMentions"
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
  return query<{ userId: number; conversationId: number }>(
    db,
    { userId: 'integer', conversationId: 'integer' },
    sql`
    select user_id as "userId", conversation_id as "conversationId" from conversation_members
     where joined_at > now() - make_interval(secs => ${withinSeconds}) and ${isAnyOf(sql`user_id`, userIds)}`,
  )
}

const VERSION = rowOf(conversations, ['id', 'version'])

/** Those of these conversations whose version is newer than the known one, with the newer version. */
export async function listNewerVersions(
  db: Executor,
  known: Row<typeof VERSION>[],
): Promise<Row<typeof VERSION>[]> {
  return query<Row<typeof VERSION>>(
    db,
    VERSION.check,
    sql`
    select ${VERSION.columns('c')}
      from ${VERSION.given(known, 'known')}
      join conversations c on c.id = known.id and c.version > known.version`,
  )
}

/** Whose mutes have ended after that time, and the time of this look; without `since` nobody's. */
export async function listEndedMutes(
  db: Executor,
  since: string | undefined,
): Promise<{ userIds: number[]; until: string }> {
  return only(
    await query<{ userIds: number[]; until: string }>(
      db,
      { userIds: 'integer[]', until: 'text' },
      sql`
      select now()::text as until,
             array(select distinct user_id from conversation_members
                    where muted_until > ${since ?? null}::timestamptz and muted_until <= now()) as "userIds"`,
    ),
  )
}

export interface CountersRow {
  userId: number
  /** In conversations that are neither muted nor archived, and in all. */
  unread: number
  unreadAll: number
  requests: number
  mentions: number
  /** Unread messages of the given conversation; null without one, or if the person is not in it. */
  conversationUnread: number | null
  /** Whether an exam locks their help: then they are told no counters. */
  isLocked: boolean
}

/**
 * The counters of many people, computed from the read pointers; where a conversation is named, with its unread
 * messages too.
 */
export async function listCounters(
  db: Db,
  asked: { userId: number; conversationId: number | undefined }[],
): Promise<CountersRow[]> {
  return selectCounters(db, {
    userIds: asked.map(({ userId }) => userId),
    conversationIds: asked.map(({ conversationId }) => conversationId ?? null),
  })
}

const selectCounters = statement<{ userIds: number[]; conversationIds: (number | null)[] }, CountersRow>(
  {
    userId: 'integer',
    unread: 'integer',
    unreadAll: 'integer',
    mentions: 'integer',
    requests: 'integer',
    conversationUnread: 'integer',
    isLocked: 'boolean',
  },
  ({ userIds, conversationIds }) => sql`
    select person.id as "userId", coalesce(totals.unread, 0) as unread,
           coalesce(totals."unreadAll", 0) as "unreadAll", coalesce(totals.mentions, 0) as mentions, totals."conversationUnread",
           (select count(*)::int from connections
             where recipient_id = person.id and status = 'pending') as requests,
           ${isHelpLocked(sql`person.id`)} as "isLocked"
      from unnest(${unseen(userIds)}, ${unseen(conversationIds)}) as person(id, conversation_id)
      left join lateral (
        select (sum(c.last_seq - member.last_read_seq)
                 filter (where not ${isMuted(sql`member`)} and not ${isArchived(sql`member`, sql`c`)}))::int as unread,
               sum(c.last_seq - member.last_read_seq)::int as "unreadAll",
               sum(${countMentions(sql`member`)})::int as mentions,
               (sum(c.last_seq - member.last_read_seq) filter (where c.id = person.conversation_id))::int
                 as "conversationUnread"
          from conversation_members member join conversations c on c.id = member.conversation_id
         where member.user_id = person.id
      ) totals on true`,
)
