import type { MessageChange } from '../../../bus/events.ts'
import { encodeFrame } from '../../../gateway/frame.ts'
import { showTo } from '../messages/mapping.ts'

/** When many get the same change, all but its sender share one encoded frame. */
const encoded = new WeakMap<MessageChange, Buffer>()

/** A change of a conversation, as this reader sees it. */
export function encodeChange(readerId: number, conversationId: number, change: MessageChange): Buffer {
  const { kind, message } = change
  const encode = () =>
    encodeFrame({ type: kind, conversation_id: conversationId, message: showTo(readerId, message) })
  if (message.sender_id === readerId) return encode()
  const shared = encoded.get(change) ?? encode()
  encoded.set(change, shared)
  return shared
}

/** For somebody who is no longer a member. */
export function encodeRemoved(conversationId: number): Buffer {
  return encodeFrame({ type: 'conversation', conversation: { id: conversationId }, removed: true })
}
