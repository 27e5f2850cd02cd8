import { eq, sql } from 'drizzle-orm'
import type { Db, Executor } from '../../db/client.ts'
import { messages } from '../../db/tables/chat.ts'

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

/**
 * In the order of `sends`; undefined for each that its sender may not send. Throws if a `client_id` is not new.
 * Calls with the same `plan` share a prepared plan, which PostgreSQL makes for the tables as it finds them.
 */
export async function insertMessages(db: Db, sends: Send[], plan: number): Promise<(SentRow | undefined)[]> {
  const rows = await db.$client.unsafe<(Omit<SentRow, 'created_at'> & { ord: number; created_at: number })[]>(
    `${INSERT_MESSAGES} -- plan ${plan}`,
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

/** Every message whose latest change is later than `since` and not later than `until`, in the order of the changes. */
export async function listChanges(
  db: Executor,
  conversationId: number,
  since: number,
  until: number,
  limit: number,
): Promise<MessageRow[]> {
  const rows = await db.execute<RawMessageRow>(sql`
    select ${MESSAGE_COLUMNS} from messages message join users sender on sender.id = message.sender_id
     where message.conversation_id = ${conversationId} and message.version > ${since} and message.version <= ${until}
     order by message.version limit ${limit}`)
  return rows.map(readMessage)
}

/** A message of a conversation that this person is in, and whether they may send there. */
export async function findMessageFor(
  db: Executor,
  messageId: number,
  userId: number,
): Promise<(MessageRow & { can_send: boolean }) | undefined> {
  const [row] = await db.execute<RawMessageRow & { can_send: boolean }>(sql`
    select ${MESSAGE_COLUMNS}, member.can_send
      from messages message
      join users sender on sender.id = message.sender_id
      join conversation_members member
        on member.conversation_id = message.conversation_id and member.user_id = ${userId}
     where message.id = ${messageId}`)
  return row && { ...readMessage(row), can_send: row.can_send }
}

export async function updateMessage(
  db: Executor,
  messageId: number,
  change: Pick<Partial<typeof messages.$inferInsert>, 'message' | 'version' | 'editedAt' | 'deletedAt'>,
): Promise<void> {
  await db.update(messages).set(change).where(eq(messages.id, messageId))
}
