import { eq, type SQL, sql } from 'drizzle-orm'
import type { Db, Executor, Pool } from '../../../db/database-client.ts'
import { query, statement, unseen } from '../../../db/query.ts'
import { type Row, rowOf } from '../../../db/rows.ts'
import { messages } from '../../../db/tables/chat.tables.ts'
import { isHelpLocked } from '../../help-lock/help-lock.sql.ts'

const STORED = rowOf(messages, [
  'id',
  'conversationId',
  'seq',
  'version',
  'senderId',
  'message',
  'createdAt',
  'clientId',
  'replyToId',
  'replyToText',
  'replyToName',
  'reactions',
  'attachments',
  'mentions',
])

/** A message as it is stored, with its sender's name. */
export type MessageRow = Row<typeof STORED> & { senderName: string; isEdited: boolean; isDeleted: boolean }

/** Of `message` and its `sender`. */
export const MESSAGE_COLUMNS = sql`
  ${STORED.columns('message')}, sender.full_name as "senderName", message.edited_at is not null as "isEdited",
  message.deleted_at is not null as "isDeleted"`

export const MESSAGE_TYPES = {
  ...STORED.check,
  senderName: 'text',
  isEdited: 'boolean',
  isDeleted: 'boolean',
} as const

/** Whether somebody is a member of this conversation whose help isn't locked. */
const mayRead = (readerId: SQL | number, conversationId: SQL | number) => sql`
  exists (select from conversation_members where conversation_id = ${conversationId} and user_id = ${readerId})
  and not ${isHelpLocked(readerId)}`

const selectPage = statement<
  { conversationId: number; readerId: number; before: string | undefined; limit: number },
  MessageRow
>(
  MESSAGE_TYPES,
  ({ conversationId, readerId, before, limit }) => sql`
    select ${MESSAGE_COLUMNS} from messages message join users sender on sender.id = message.sender_id
     where message.conversation_id = ${conversationId} ${before ? sql`and message.created_at < ${before}` : sql``}
       and ${mayRead(readerId, conversationId)}
     order by message.created_at desc limit ${limit}`,
)

/**
 * A page, oldest to newest: the newest messages, or the newest of those made before an instant. None for others than
 * members, and while the reader's help is locked.
 */
export async function listMessages(
  db: Db,
  readerId: number,
  conversationId: number,
  before: Date | undefined,
  limit: number,
): Promise<MessageRow[]> {
  const rows = await selectPage(db, { conversationId, readerId, before: before?.toISOString(), limit })
  return rows.reverse()
}

/**
 * A message with so many before and after it, oldest to newest. None if it isn't in this conversation, for others than
 * members, and while the reader's help is locked.
 */
export async function listMessagesAround(
  db: Executor,
  readerId: number,
  conversationId: number,
  id: number,
  before: number,
  after: number,
): Promise<MessageRow[]> {
  return query<MessageRow>(
    db,
    MESSAGE_TYPES,
    sql`
    select ${MESSAGE_COLUMNS}
      from messages middle
      join messages message
        on message.conversation_id = middle.conversation_id
       and message.seq between middle.seq - ${before}::int and middle.seq + ${after}::int
      join users sender on sender.id = message.sender_id
     where middle.id = ${id} and middle.conversation_id = ${conversationId}
       and ${mayRead(readerId, conversationId)}
     order by message.seq`,
  )
}

/** Changes later than `since` and not later than `until`. */
export interface VersionRange {
  conversationId: number
  since: number
  until: number
}

const selectChanges = statement<
  { conversationIds: number[]; since: number[]; until: number[]; limit: number },
  MessageRow & { ord: number }
>(
  { ...MESSAGE_TYPES, ord: 'integer' },
  ({ conversationIds, since, until, limit }) => sql`
    select span.ord::int, ${MESSAGE_COLUMNS}
      from unnest(${unseen(conversationIds)}, ${unseen(since)}, ${unseen(until)})
             with ordinality as span(conversation_id, since, until, ord)
      cross join lateral (
        select * from messages
         where conversation_id = span.conversation_id and version > span.since and version <= span.until
         order by version limit ${limit}) message
      join users sender on sender.id = message.sender_id
     order by span.ord, message.version`,
)

/** For each span the first `limit` messages whose latest change lies in it, in the order of the changes. */
export async function listChanges(db: Pool, spans: VersionRange[], limit: number): Promise<MessageRow[][]> {
  const rows = await selectChanges(db, {
    conversationIds: spans.map(({ conversationId }) => conversationId),
    since: spans.map(({ since }) => since),
    until: spans.map(({ until }) => until),
    limit,
  })
  const changes: MessageRow[][] = spans.map(() => [])
  for (const { ord, ...row } of rows) changes[ord - 1]?.push(row)
  return changes
}

/** A message of a conversation that this person is in, and whether they may send there. */
export async function findMessageFor(
  db: Executor,
  messageId: number,
  userId: number,
): Promise<(MessageRow & { canSend: boolean }) | undefined> {
  const [row] = await query<MessageRow & { canSend: boolean }>(
    db,
    { ...MESSAGE_TYPES, canSend: 'boolean' },
    sql`
    select ${MESSAGE_COLUMNS}, member.can_send as "canSend"
      from messages message
      join users sender on sender.id = message.sender_id
      join conversation_members member
        on member.conversation_id = message.conversation_id and member.user_id = ${userId}
     where message.id = ${messageId}`,
  )
  return row
}

export async function findMessage(db: Executor, messageId: number): Promise<MessageRow | undefined> {
  const [row] = await query<MessageRow>(
    db,
    MESSAGE_TYPES,
    sql`
    select ${MESSAGE_COLUMNS} from messages message join users sender on sender.id = message.sender_id
     where message.id = ${messageId}`,
  )
  return row
}

export async function updateMessage(
  db: Executor,
  messageId: number,
  change: Pick<
    Partial<typeof messages.$inferInsert>,
    'message' | 'version' | 'editedAt' | 'deletedAt' | 'reactions' | 'attachments' | 'mentions'
  >,
): Promise<void> {
  await db.update(messages).set(change).where(eq(messages.id, messageId))
}

/** Those of these people who are members, in the order given. */
export async function keepMembers(
  db: Executor,
  conversationId: number,
  userIds: number[],
): Promise<number[]> {
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    select named.id from unnest(${sql.param(userIds)}::int[]) with ordinality as named(id, place)
      join conversation_members member on member.conversation_id = ${conversationId} and member.user_id = named.id
     order by place`,
  )
  return rows.map(({ id }) => id)
}
