import type { User } from '../session/grant.ts'
import type { ChatMessage, Outgoing, RoomMessage } from './types.ts'

const shown = new WeakMap<ChatMessage, RoomMessage>()

/** One message is always shown by one object, because user interfaces compare by identity. */
export function toShown(message: ChatMessage): RoomMessage {
  const known = shown.get(message)
  if (known) return known
  const made: RoomMessage = { ...message, key: message.client_id ?? `${message.id}`, state: 'sent' }
  shown.set(message, made)
  return made
}

/** The messages that are not stored yet, as a room shows them. */
export function toPending(
  outgoing: readonly Outgoing[],
  stored: readonly ChatMessage[],
  writer: User | null | undefined,
): RoomMessage[] {
  const arrived = new Set(stored.map(({ client_id }) => client_id))
  return outgoing
    .filter(({ clientId }) => !arrived.has(clientId))
    .map((each) => ({
      key: each.clientId,
      state: each.state,
      error: each.error,
      files: each.files,
      id: null,
      seq: null,
      version: 0,
      client_id: each.clientId,
      sender_id: writer?.id ?? 0,
      sender_name: writer?.full_name ?? '',
      message: each.message,
      created_at: each.createdAt,
      is_own: true,
      is_edited: false,
      is_deleted: false,
      reply_to_id: each.reply_to_id ?? null,
      reply_to_text: each.reply_to_text ?? null,
      reply_to_name: each.reply_to_name ?? null,
      reactions: [],
      attachments: [],
      mentions: each.mentions ?? [],
    }))
}
