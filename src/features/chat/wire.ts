import type { ConnectionRequest, Conversation } from '../../../schemas/chat.ts'
import type { MessageChange, SharedMessage } from '../../bus/events.ts'
import type { ConversationRow } from './conversations-store.ts'
import type { MessageRow } from './messages-store.ts'

/** Rows as clients see them (contract §6). */

export function toSharedMessage(row: MessageRow): SharedMessage {
  return {
    id: row.id,
    seq: row.seq,
    version: row.version,
    sender_id: row.sender_id,
    sender_name: row.sender_name,
    message: row.message,
    created_at: row.created_at.toISOString(),
    is_edited: row.is_edited,
    is_deleted: row.is_deleted,
    reply_to_id: row.reply_to_id,
    reply_to_text: row.reply_to_text,
    reply_to_name: row.reply_to_name,
  }
}

/** A message's latest change. */
export function toChange(message: SharedMessage): MessageChange {
  const kind = message.is_deleted ? 'message_deleted' : message.is_edited ? 'message_edited' : 'message'
  return { kind, version: message.version, message }
}

export function toMessage(row: MessageRow, readerId: number) {
  return { ...toSharedMessage(row), is_own: row.sender_id === readerId }
}

export function toConversation(row: ConversationRow, online: boolean): Conversation {
  return {
    id: row.id,
    name: row.name,
    is_group: row.is_group,
    unread: row.last_seq - row.last_read_seq,
    online,
    last_message:
      row.last_message === null || row.last_message_at === null
        ? null
        : { message: row.last_message, created_at: row.last_message_at.toISOString() },
    user_id: row.user_id,
    conn_id: row.conn_id,
    member_count: row.member_count,
    last_seq: row.last_seq,
    last_read_seq: row.last_read_seq,
    version: row.version,
    can_send: row.can_send,
  }
}

export function toRequest(row: {
  id: number
  fromId: number
  fromName: string
  createdAt: Date
}): ConnectionRequest {
  return {
    conn_id: row.id,
    from_id: row.fromId,
    from_name: row.fromName,
    created_at: row.createdAt.toISOString(),
  }
}
