import { and, eq, ne, sql } from 'drizzle-orm'
import type { Db, Executor } from '../../db/client.ts'
import { connections, conversationMembers, conversations } from '../../db/tables/chat.ts'
import { users } from '../../db/tables/users.ts'

// --- messages

export interface Send {
  conversationId: number
  senderId: number
  message: string
  clientId: string | null
  replyToId: number | null
  replyToText: string | null
  replyToName: string | null
}

/** A message as it is stored, with its sender's name. */
export interface MessageRow {
  id: number
  conversation_id: number
  seq: number
  version: number
  sender_id: number
  sender_name: string
  message: string
  created_at: Date
  is_edited: boolean
  is_deleted: boolean
  reply_to_id: number | null
  reply_to_text: string | null
  reply_to_name: string | null
}
export type SentRow = Pick<
  MessageRow,
  'id' | 'seq' | 'version' | 'sender_name' | 'created_at' | 'reply_to_text' | 'reply_to_name'
>

/**
 * One statement for many sends. The conversations are locked first, in the order of their ids, so that
 * statements never lock one another out; the locks re-read each membership, so that nobody sends after
 * they were removed. Then every message takes the next `seq`, `version` and a later `created_at` than the
 * one before, and moves its sender's pointer.
 */
const INSERT_MESSAGES = `
with input as (
  select * from unnest($1::int[], $2::int[], $3::text[], $4::uuid[], $5::int[], $6::text[], $7::text[])
    with ordinality as t(conversation_id, sender_id, message, client_id, reply_to_id, reply_to_text, reply_to_name, ord)
), locked as materialized (
  select id, last_seq, version, last_activity_at from conversations
   where id = any($1) order by id for no key update
), allowed as materialized (
  select input.*, locked.last_seq, locked.version, locked.last_activity_at
    from input
    join locked on locked.id = input.conversation_id
    join conversation_members member
      on member.conversation_id = input.conversation_id and member.user_id = input.sender_id and member.can_send
     for no key update of member
), answerable as (
  select allowed.*, origin.message as origin_text, origin.sender_id as origin_sender_id,
         row_number() over (partition by allowed.conversation_id order by allowed.ord)::int as n
    from allowed left join messages origin
      on origin.id = allowed.reply_to_id and origin.conversation_id = allowed.conversation_id
   where allowed.reply_to_id is null or origin.id is not null
), numbered as (
  select answerable.conversation_id, sender_id, message, client_id, reply_to_id, ord,
         sender.full_name as sender_name,
         left(coalesce(reply_to_text, origin_text), 100) as reply_to_text,
         coalesce(reply_to_name, author.full_name) as reply_to_name,
         last_seq + n as seq, version + n as version,
         greatest(date_trunc('milliseconds', clock_timestamp()), last_activity_at + interval '1 ms')
           + (n - 1) * interval '1 ms' as created_at
    from answerable
    join users sender on sender.id = sender_id
    left join users author on author.id = origin_sender_id
), counted as (
  update conversations c set last_seq = newest.seq, version = newest.version, last_activity_at = newest.created_at
    from (select conversation_id, max(seq) as seq, max(version) as version, max(created_at) as created_at
            from numbered group by conversation_id) newest
   where c.id = newest.conversation_id
), inserted as (
  insert into messages (conversation_id, seq, version, sender_id, client_id, message,
                        reply_to_id, reply_to_text, reply_to_name, created_at)
  select conversation_id, seq, version, sender_id, client_id, message,
         reply_to_id, reply_to_text, reply_to_name, created_at from numbered order by ord
  returning id, conversation_id, seq
), pointed as (
  update conversation_members member set last_read_seq = own.seq
    from (select conversation_id, sender_id, max(seq) as seq from numbered group by conversation_id, sender_id) own
   where member.conversation_id = own.conversation_id and member.user_id = own.sender_id
)
select ord::int, inserted.id, numbered.seq, version, sender_name, reply_to_text, reply_to_name,
       (extract(epoch from created_at) * 1000)::float8 as created_at
  from numbered join inserted using (conversation_id, seq)`

/** In the order of `sends`; undefined for each that its sender may not send. Throws if a `client_id` is not new. */
export async function insertMessages(db: Db, sends: Send[]): Promise<(SentRow | undefined)[]> {
  const rows = await db.$client.unsafe<(Omit<SentRow, 'created_at'> & { ord: number; created_at: number })[]>(
    INSERT_MESSAGES,
    [
      sends.map((send) => send.conversationId),
      sends.map((send) => send.senderId),
      sends.map((send) => send.message),
      sends.map((send) => send.clientId),
      sends.map((send) => send.replyToId),
      sends.map((send) => send.replyToText),
      sends.map((send) => send.replyToName),
    ],
    { prepare: true },
  )
  const sent: (SentRow | undefined)[] = sends.map(() => undefined)
  for (const { ord, ...row } of rows) sent[ord - 1] = { ...row, created_at: new Date(row.created_at) }
  return sent
}

const MESSAGE_COLUMNS = sql`
  message.id, message.conversation_id, message.seq, message.version, message.sender_id,
  sender.full_name as sender_name, message.message, message.created_at,
  message.edited_at is not null as is_edited, message.deleted_at is not null as is_deleted,
  message.reply_to_id, message.reply_to_text, message.reply_to_name`

type RawMessageRow = Omit<MessageRow, 'created_at'> & { created_at: string; [column: string]: unknown }

function readMessage(row: RawMessageRow): MessageRow {
  return { ...row, created_at: new Date(row.created_at) }
}

/** The message that this sender stored under this `client_id`, and whether that is less than `withinMs` ago. */
export async function findMessageByClientId(
  db: Executor,
  senderId: number,
  clientId: string,
  withinMs: number,
): Promise<(MessageRow & { is_recent: boolean }) | undefined> {
  const [row] = await db.execute<RawMessageRow & { is_recent: boolean }>(sql`
    select ${MESSAGE_COLUMNS},
           message.created_at > clock_timestamp() - make_interval(secs => ${withinMs / 1_000}) as is_recent
      from messages message join users sender on sender.id = message.sender_id
     where message.sender_id = ${senderId} and message.client_id = ${clientId}`)
  return row && { ...readMessage(row), is_recent: row.is_recent }
}

/** A page, oldest to newest: the newest messages, or the newest of those made before an instant. */
export async function listMessages(
  db: Executor,
  conversationId: number,
  before: Date | undefined,
  limit: number,
): Promise<MessageRow[]> {
  const rows = await db.execute<RawMessageRow>(sql`
    select ${MESSAGE_COLUMNS} from messages message join users sender on sender.id = message.sender_id
     where message.conversation_id = ${conversationId}
       ${before ? sql`and message.created_at < ${before.toISOString()}` : sql``}
     order by message.created_at desc limit ${limit}`)
  return rows.map(readMessage).reverse()
}

/** Every message that was created or changed after that version, in the order of the changes. */
export async function listChanges(
  db: Executor,
  conversationId: number,
  since: number,
  limit: number,
): Promise<MessageRow[]> {
  const rows = await db.execute<RawMessageRow>(sql`
    select ${MESSAGE_COLUMNS} from messages message join users sender on sender.id = message.sender_id
     where message.conversation_id = ${conversationId} and message.version > ${since}
     order by message.version limit ${limit}`)
  return rows.map(readMessage)
}

// --- conversations and members

export interface ConversationRow {
  id: number
  name: string
  is_group: boolean
  user_id: number | null
  conn_id: number | null
  member_count: number
  last_seq: number
  last_read_seq: number
  version: number
  last_message: string | null
  last_message_at: Date | null
}

/** The conversations of a person, or one of them, latest activity first: index look-ups only, whatever the history. */
export async function listConversations(
  db: Executor,
  userId: number,
  conversationId?: number,
): Promise<ConversationRow[]> {
  const rows = await db.execute<
    Omit<ConversationRow, 'last_message_at'> & { last_message_at: string | null; [column: string]: unknown }
  >(sql`
    select c.id, coalesce(c.name, other.full_name, 'Conversation') as name, c.is_group,
           other.user_id, connection.id as conn_id,
           (select count(*)::int from conversation_members where conversation_id = c.id) as member_count,
           c.last_seq, mine.last_read_seq, c.version,
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
     where mine.user_id = ${userId} ${conversationId === undefined ? sql`` : sql`and c.id = ${conversationId}`}
     order by c.last_activity_at desc, c.id desc`)
  return rows.map((row) => ({
    ...row,
    last_message_at: row.last_message_at ? new Date(row.last_message_at) : null,
  }))
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

/** 0 for a conversation that is gone. */
export async function findVersion(db: Executor, conversationId: number): Promise<number> {
  const [row] = await db
    .select({ version: conversations.version })
    .from(conversations)
    .where(eq(conversations.id, conversationId))
  return row?.version ?? 0
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
}

/** The counters of many people at once, from the pointers alone. */
export async function listCounters(db: Executor, userIds: number[]): Promise<CountersRow[]> {
  return db.execute<CountersRow & { [column: string]: unknown }>(sql`
    select person.id as user_id,
           (select coalesce(sum(c.last_seq - member.last_read_seq), 0)::int
              from conversation_members member join conversations c on c.id = member.conversation_id
             where member.user_id = person.id) as unread,
           (select count(*)::int from connections
             where recipient_id = person.id and status = 'pending') as requests
      from unnest(${sql.param(userIds)}::int[]) as person(id)`)
}

export async function insertDirectConversation(db: Executor, userIds: [number, number]): Promise<number> {
  const [row] = await db.insert(conversations).values({ isGroup: false }).returning({ id: conversations.id })
  const conversationId = (row as { id: number }).id
  await db.insert(conversationMembers).values(userIds.map((userId) => ({ conversationId, userId })))
  return conversationId
}

// --- connections

export type ConnectionRow = typeof connections.$inferSelect

export async function insertConnection(
  db: Executor,
  requesterId: number,
  recipientId: number,
): Promise<ConnectionRow | undefined> {
  const [row] = await db
    .insert(connections)
    .values({ requesterId, recipientId, status: 'pending' })
    .onConflictDoNothing()
    .returning()
  return row
}

/** The connection between two people, whoever asked, locked until the transaction ends. */
export async function findPairForUpdate(
  tx: Executor,
  one: number,
  other: number,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx
    .select()
    .from(connections)
    .where(
      and(
        eq(sql`least(${connections.requesterId}, ${connections.recipientId})`, Math.min(one, other)),
        eq(sql`greatest(${connections.requesterId}, ${connections.recipientId})`, Math.max(one, other)),
      ),
    )
    .for('update')
  return row
}

export async function findConnectionForUpdate(tx: Executor, id: number): Promise<ConnectionRow | undefined> {
  const [row] = await tx.select().from(connections).where(eq(connections.id, id)).for('update')
  return row
}

export async function updateConnection(
  db: Executor,
  id: number,
  change: Partial<Omit<typeof connections.$inferInsert, 'id'>>,
): Promise<void> {
  await db.update(connections).set(change).where(eq(connections.id, id))
}

/** Pending requests to this person, newest first, or the one of them with this id. */
export async function listRequests(db: Executor, recipientId: number, connectionId?: number) {
  return db
    .select({
      id: connections.id,
      fromId: connections.requesterId,
      fromName: users.fullName,
      createdAt: connections.createdAt,
    })
    .from(connections)
    .innerJoin(users, eq(users.id, connections.requesterId))
    .where(
      and(
        eq(connections.recipientId, recipientId),
        eq(connections.status, 'pending'),
        connectionId === undefined ? undefined : eq(connections.id, connectionId),
      ),
    )
    .orderBy(sql`${connections.createdAt} desc`)
}

/** Opens or closes a direct conversation for both of its people. */
export async function updateCanSend(db: Executor, conversationId: number, canSend: boolean): Promise<void> {
  await db
    .update(conversationMembers)
    .set({ canSend })
    .where(
      and(eq(conversationMembers.conversationId, conversationId), ne(conversationMembers.canSend, canSend)),
    )
}

export async function findPerson(db: Executor, id: number) {
  const [row] = await db
    .select({ id: users.id, username: users.username, fullName: users.fullName })
    .from(users)
    .where(eq(users.id, id))
  return row
}
