import type { ServerFrames } from '../generated/frames.ts'

export type ChatMessage = ServerFrames['message']['message']
export type Conversation = Extract<ServerFrames['conversation']['conversation'], { name: string }>
export type ConnectionRequest = ServerFrames['connection_request']['request']

/** The frames that change a conversation, its messages, or somebody's read pointer. */
export type ChangeFrame = ServerFrames[
  | 'message'
  | 'message_edited'
  | 'message_deleted'
  | 'conversation'
  | 'read'
  | 'gap']

/** The content of the ack of a `resume`. */
export interface Resumed {
  conversations: Record<string, { version: number; last_read_seq: number; unread: number }>
}

/** A message as somebody writes it. */
export interface Draft {
  message: string
  reply_to_id?: number
  reply_to_text?: string
  reply_to_name?: string
}

export type SendState = 'queued' | 'sending' | 'sent' | 'failed'

/** A message that is not sent yet, as it is stored on this machine. */
export interface Outgoing extends Draft {
  /** The id by which the service recognises a repetition, so that it is never stored twice. */
  clientId: string
  conversationId: number
  createdAt: string
  state: SendState
  /** Why it failed: a code of the service. */
  error?: string
  /** As the service stored it, once it is sent. */
  stored?: ChatMessage
}

/**
 * A message as a room shows it: first the stored ones in the service's order, then the unsent ones in the order of
 * writing.
 */
export interface RoomMessage extends Omit<ChatMessage, 'id' | 'seq'> {
  /** Stays the same from writing on, also when the message is stored. */
  key: string
  state: SendState
  /** null until the message is stored. */
  id: number | null
  seq: number | null
  error?: string | undefined
}
