import { sql } from 'drizzle-orm'
import { HELD } from '../../../db/batches.ts'
import type { Db, Executor } from '../../../db/database-client.ts'
import { type Columns, query, toRows } from '../../../db/query.ts'
import { given } from '../../../db/rows.ts'
import { readSql } from '../../../db/sql-files.ts'
import { helpLockedText } from '../../help-lock/help-lock.sql.ts'
import { IS_FRESH } from './attachments.store.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageRow } from './messages.store.ts'

export interface Send {
  conversationId: number
  senderId: number
  message: string
  clientId: string | null
  replyToId: number | null
  /** Own files that are not sent yet, in this order. */
  attachmentIds: number[]
  /** People whom it mentions, if they are members. */
  mentions: number[]
}

export type SentRow = Pick<
  MessageRow,
  'id' | 'seq' | 'version' | 'senderName' | 'createdAt' | 'replyToText' | 'replyToName'
>

/** Rules that other statements share. */
const PIECES = { sender_is_locked: helpLockedText('input.sender_id'), attachment_is_fresh: IS_FRESH }

/**
 * One statement for many sends. It locks the conversations in the order of their ids and skips those that another
 * transaction holds, so no send waits for another conversation. Locking reads each membership again, so nobody can
 * send after they were removed, nor while their help is locked. It locks the senders' rows as well, because the
 * foreign key would otherwise wait for them. Then each message gets the next `seq` and `version` and a later
 * `created_at` than the one before, and the sender's read pointer moves.
 *
 * Most messages have neither files nor mentions, so there are two texts. In the rich one, a send is allowed only if it
 * gets all of its files.
 */
const INSERT_PLAIN = readSql(new URL('sending-plain.sql', import.meta.url), PIECES)
const INSERT_RICH = readSql(new URL('sending-rich.sql', import.meta.url), PIECES)

/** Whether a message needs more than the plain statement. */
export function isRich({ attachmentIds, mentions }: Send): boolean {
  return attachmentIds.length > 0 || mentions.length > 0
}

type RawSentRow = Omit<SentRow, 'createdAt'> & { createdAt: number; ord: number; isHeld: boolean }

const SENT_TYPES: Columns<RawSentRow> = {
  ord: 'integer',
  isHeld: 'boolean',
  id: 'integer',
  seq: 'integer',
  version: 'integer',
  senderName: 'text',
  replyToText: 'text',
  replyToName: 'text',
  createdAt: 'float8',
}

/**
 * The outcomes in the order of `sends`: undefined if the sender may not send, `HELD` if somebody else has locked the
 * rows. Throws if a `client_id` is not new. Calls with the same `plan` share a prepared plan; a new number makes
 * PostgreSQL plan for the tables as they are now.
 */
export async function insertMessages(
  db: Db,
  sends: Send[],
  plan: number,
): Promise<(SentRow | typeof HELD | undefined)[]> {
  const rich = sends.some(isRich)
  const result = await db.$client.unsafe(
    `${rich ? INSERT_RICH : INSERT_PLAIN} -- plan ${plan}`,
    [
      sends.map((send) => send.conversationId),
      sends.map((send) => send.senderId),
      sends.map((send) => send.message),
      sends.map((send) => send.clientId),
      sends.map((send) => send.replyToId),
      ...(rich
        ? [
            sends.map(({ attachmentIds }) => `{${attachmentIds.join()}}`),
            sends.map(({ mentions }) => `{${mentions.join()}}`),
          ]
        : []),
    ],
    { prepare: true },
  )
  const sent: (SentRow | typeof HELD | undefined)[] = sends.map(() => undefined)
  for (const { ord, isHeld, ...row } of toRows<RawSentRow>(result, SENT_TYPES))
    sent[ord - 1] = isHeld ? HELD : { ...row, createdAt: new Date(row.createdAt) }
  return sent
}

export interface NamedSend {
  senderId: number
  clientId: string
}

/** The message that is stored under a `client_id`, and whether its sender is in its conversation still. */
export type StoredSend = MessageRow & { clientId: string; ageMs: number; isMember: boolean }

/** The messages that these senders have stored under these `client_id`s, with their age. */
export async function listMessagesByClientIds(db: Executor, asked: NamedSend[]): Promise<StoredSend[]> {
  return query<StoredSend>(
    db,
    { ...MESSAGE_TYPES, ageMs: 'float8', isMember: 'boolean' },
    sql`
    select ${MESSAGE_COLUMNS},
           extract(epoch from clock_timestamp() - message.created_at)::float8 * 1000 as "ageMs",
           exists (select from conversation_members member
                    where member.conversation_id = message.conversation_id
                      and member.user_id = message.sender_id) as "isMember"
      from ${given({ senderId: 'integer', clientId: 'uuid' }, asked, 'asked')}
      join messages message on message.sender_id = asked.sender_id and message.client_id = asked.client_id
      join users sender on sender.id = message.sender_id`,
  )
}
