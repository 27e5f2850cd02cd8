import type { ChatMessage } from '../../../../schemas/chat.ts'
import type { MessageChange, SharedMessage } from '../../../bus/events.ts'
import type { MessageRow } from './store.ts'

export function toSharedMessage(row: MessageRow): SharedMessage {
  return {
    id: row.id,
    seq: row.seq,
    version: row.version,
    sender_id: row.senderId,
    sender_name: row.senderName,
    message: row.message,
    created_at: row.createdAt.toISOString(),
    client_id: row.clientId,
    is_edited: row.isEdited,
    is_deleted: row.isDeleted,
    reply_to_id: row.replyToId,
    reply_to_text: row.replyToText,
    reply_to_name: row.replyToName,
  }
}

/** A message's latest change. */
export function toChange(message: SharedMessage): MessageChange {
  const kind = message.is_deleted ? 'message_deleted' : message.is_edited ? 'message_edited' : 'message'
  return { kind, version: message.version, message }
}

/** A message as one reader may see it. */
export function showTo(readerId: number, message: SharedMessage): ChatMessage {
  const isOwn = message.sender_id === readerId
  return { ...message, is_own: isOwn, client_id: isOwn ? message.client_id : null }
}

export function toMessage(row: MessageRow, readerId: number): ChatMessage {
  return showTo(readerId, toSharedMessage(row))
}
