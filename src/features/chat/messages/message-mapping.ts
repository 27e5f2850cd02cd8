import {
  type ChatMessage,
  NAMED_REACTORS,
  type Reaction,
  type ReactionTotal,
} from '../../../../schemas/chat.schemas.ts'
import type { MessageChange, SharedMessage, StoredReaction } from '../../../bus/events.ts'
import type { Core } from '../../../core.ts'
import { toAttachment } from './attachments.service.ts'
import type { MessageRow } from './messages.store.ts'

function toSharedMessage(core: Core, row: MessageRow): SharedMessage {
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
    reactions: row.reactions ?? [],
    attachments: (row.attachments ?? []).map((each) => toAttachment(core, each)),
    mentions: row.mentions ?? [],
  }
}

/** A message's latest change. A reaction to a message that was never edited is a change of it too. */
export function toChange(core: Core, row: MessageRow): MessageChange {
  const message = toSharedMessage(core, row)
  const isChanged = row.isEdited || row.reactions !== null
  const kind = row.isDeleted ? 'message_deleted' : isChanged ? 'message_edited' : 'message'
  return { kind, version: row.version, message }
}

/** A message as one reader may see it. */
export function toMessageFor(readerId: number, message: SharedMessage): ChatMessage {
  const isOwn = message.sender_id === readerId
  return {
    ...message,
    is_own: isOwn,
    client_id: isOwn ? message.client_id : null,
    reactions: toReactions(readerId, message.reactions),
  }
}

export function toMessage(core: Core, row: MessageRow, readerId: number): ChatMessage {
  return toMessageFor(readerId, toSharedMessage(core, row))
}

export function toReactions(readerId: number, reactions: StoredReaction[]): Reaction[] {
  return reactions.map((each) => ({ ...toTotal(each), mine: each.user_ids.includes(readerId) }))
}

export function toTotal({ emoji, user_ids }: StoredReaction): ReactionTotal {
  return { emoji, count: user_ids.length, user_ids: user_ids.slice(0, NAMED_REACTORS) }
}
