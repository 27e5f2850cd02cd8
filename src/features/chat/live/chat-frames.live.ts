import type { MessageChange, ReactionChange } from '../../../bus/events.ts'
import { encodeFrame } from '../../../gateway/frame.ts'
import { toMessageFor } from '../messages/message-mapping.ts'

/** When many get the same change, those who see the same share one encoded frame. */
const encoded = new WeakMap<MessageChange | ReactionChange, Map<string, Buffer>>()

/** A change of a conversation, as this reader sees it. */
export function encodeChange(
  readerId: number,
  conversationId: number,
  change: MessageChange | ReactionChange,
): Buffer {
  const view = viewOf(readerId, change)
  const frames = encoded.get(change) ?? new Map<string, Buffer>()
  const frame = frames.get(view) ?? encode(readerId, conversationId, change)
  frames.set(view, frame)
  encoded.set(change, frames)
  return frame
}

/** Readers with the same view see the same: one's own messages and reactions are marked. */
function viewOf(readerId: number, change: MessageChange | ReactionChange): string {
  if (change.kind === 'reactions') return ''
  const { sender_id, reactions } = change.message
  const own = sender_id === readerId ? 'own' : ''
  return reactions.reduce((view, { user_ids }) => view + (user_ids.includes(readerId) ? '+' : '-'), own)
}

function encode(readerId: number, conversationId: number, change: MessageChange | ReactionChange): Buffer {
  if (change.kind !== 'reactions') {
    const { kind, message } = change
    return encodeFrame({
      type: kind,
      conversation_id: conversationId,
      message: toMessageFor(readerId, message),
    })
  }
  const { version, messageId, reactions, userId, emoji, added } = change
  return encodeFrame({
    type: 'reactions',
    conversation_id: conversationId,
    message_id: messageId,
    version,
    reactions,
    user_id: userId,
    emoji,
    added,
  })
}

/** For somebody who is no longer a member. */
export function encodeRemoved(conversationId: number): Buffer {
  return encodeFrame({ type: 'conversation', conversation: { id: conversationId }, removed: true })
}
